package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// hit is one line of the access log.
type hit struct {
	end         float64 // Unix time at which the request ended, in seconds
	host        string
	status      int
	method      string
	target      string // path and query
	contentType string
}

// isHTML reports whether the answer was an HTML document.
func (h hit) isHTML() bool {
	kind, _, _ := strings.Cut(h.contentType, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/html")
}

// readLogFile reads the lines of a log from a byte offset on that ended at
// since or later.
func readLogFile(name string, from int64, since float64) ([]hit, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return nil, err
	}
	hits, err := readLog(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	first := 0
	for first < len(hits) && hits[first].end < since {
		first++
	}
	return hits[first:], nil
}

// maxLine is the longest line accepted, in bytes: nginx bounds a request line
// to 8 KiB, and a byte may be written as four.
const maxLine = 256 << 10

// readLog reads lines of time, host, status, method, target, content type and
// more, separated by tabs, in the order in which the requests ended.
func readLog(r io.Reader) ([]hit, error) {
	var hits []hit
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		fields := strings.SplitN(lines.Text(), "\t", 7)
		if len(fields) < 6 {
			return nil, fmt.Errorf("line %d: %d fields, want 6 at least", n, len(fields))
		}
		end, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: time: %w", n, err)
		}
		status, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, fmt.Errorf("line %d: status: %w", n, err)
		}
		hits = append(hits, hit{
			end: end, host: strings.ToLower(unescapeLog(fields[1])), status: status, method: fields[3],
			target: unescapeLog(fields[4]), contentType: fields[5],
		})
	}
	return hits, lines.Err()
}

// unescapeLog undoes nginx's \xHH.
func unescapeLog(s string) string {
	if !strings.Contains(s, `\x`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && s[i+1] == 'x' && isHex(s[i+2]) && isHex(s[i+3]) {
			b.WriteByte(unhex(s[i+2])<<4 | unhex(s[i+3]))
			i += 3
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
