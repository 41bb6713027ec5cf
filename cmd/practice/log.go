package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/app/demo"
)

// accessLog is a file with a line for each answer. Its methods may be called
// from any goroutine.
type accessLog struct {
	mu   sync.Mutex
	file *os.File
	err  error // the first that was met
}

func createLog(name string) (*accessLog, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return &accessLog{file: f}, nil
}

// add writes a line at once, so that whoever reads the file after the client
// has its answer finds it there, or a moment later.
func (l *accessLog) add(h demo.Hit) {
	line := format(h)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.file.WriteString(line); err != nil && l.err == nil {
		l.err = fmt.Errorf("write access log: %w", err)
	}
}

// Close returns the first error of the log's life.
func (l *accessLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.file.Close(); l.err == nil {
		l.err = err
	}
	return l.err
}

// format writes a hit as nginx does with
//
//	'$msec\t$host\t$status\t$request_method\t$request_uri\t$sent_http_content_type\t'
//	'$bytes_sent\t$sent_http_content_encoding\t$connection\t$http_user_agent\t$request_time'
//
// except for times in microseconds, bytes of the body alone, and the client's
// address and port in the place of the connection's number.
func format(h demo.Hit) string {
	host, path, _ := strings.Cut(strings.TrimPrefix(h.URL, "http://"), "/")
	end := h.End.UnixMicro()
	took := h.End.Sub(h.Start).Round(time.Microsecond).Microseconds()
	return fmt.Sprintf("%d.%06d\t%s\t%d\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%d.%06d\n",
		end/1e6, end%1e6, escape(host), h.Status, escape(h.Method), escape("/"+path), escape(h.Type), h.Bytes,
		escape(h.Coding), escape(h.Client), escape(h.Agent), took/1e6, took%1e6)
}

// escape writes what is no plain text as nginx does, \xHH, and - for nothing.
func escape(s string) string {
	if s == "" {
		return "-"
	}
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\x%02X`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
