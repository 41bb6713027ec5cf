package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

// loop is a crawl. Sites that fail are passed over.
type loop struct {
	addresses map[string]string // by name
	queue     chan string
	working   sync.WaitGroup // one for each URL

	mu   sync.Mutex
	left map[string]bool    // pages that were not found yet
	idle map[string][]*conn // by name
	warc *bufio.Writer
}

// crawl crawls. Arguments of the program are a file of hosts, one of pages, the first of these, and a file to write.
func crawl(io.Writer) error {
	hosts, err := os.ReadFile(os.Args[2])
	if err != nil {
		return err
	}
	pages, err := os.ReadFile(os.Args[3])
	if err != nil {
		return err
	}
	out, err := os.Create(os.Args[5])
	if err != nil {
		return err
	}
	defer out.Close()
	if f, err := os.Create(os.Getenv(profileVariable)); err == nil {
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	l := &loop{addresses: map[string]string{}, left: map[string]bool{}, idle: map[string][]*conn{},
		queue: make(chan string, bytes.Count(pages, []byte("\n"))), warc: bufio.NewWriterSize(out, 1<<20)}
	for line := range strings.Lines(string(pages)) {
		l.left[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(string(hosts)) {
		address, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		l.addresses[name] = address
	}
	l.push(os.Args[4])
	for range fetchers {
		go func() {
			f := new(fetcher)
			for u := range l.queue {
				l.page(f, u)
				l.working.Done()
			}
		}()
	}
	l.working.Wait()
	return l.warc.Flush()
}

// push takes in the pages among some URLs that are new. The list of pages stands for what the loop does not have: rules
// of robots.txt, and a way out of calendars without end.
func (l *loop) push(urls ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range urls {
		if l.left[u] {
			delete(l.left, u)
			l.working.Add(1)
			l.queue <- u
		}
	}
}

// record writes a response as it came.
func (l *loop) record(u string, raw []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.warc, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\n"+
		"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		u, time.Now().UTC().Format(time.RFC3339), len(raw), raw)
}

// fetcher is memory for one request after the other.
type fetcher struct {
	raw, body []byte // the response as it came, and its body without chunks
	text      bytes.Buffer
	gzip      gzip.Reader
	brotli    brotli.Reader
}

// conn is a connection that is kept.
type conn struct {
	net.Conn
	r *bufio.Reader
}

// page gets a page, records it and takes in its links.
func (l *loop) page(f *fetcher, u string) {
	host, path := split(u)
	l.mu.Lock()
	var c *conn
	if idle := l.idle[host]; len(idle) > 0 {
		c, l.idle[host] = idle[len(idle)-1], idle[:len(idle)-1]
	}
	l.mu.Unlock()
	if c == nil {
		socket, err := net.Dial("tcp", l.addresses[host])
		if err != nil {
			return
		}
		c = &conn{socket, bufio.NewReaderSize(socket, 32<<10)}
	}
	head, keep := f.exchange(c, host, path)
	if keep {
		l.mu.Lock()
		l.idle[host] = append(l.idle[host], c)
		l.mu.Unlock()
	} else {
		c.Close()
	}
	l.record(u, f.raw)
	if strings.HasPrefix(field(head, "Content-Type"), "text/html") {
		l.push(links(host, path, f.inflate(field(head, "Content-Encoding")))...)
	}
}

// exchange sends a request and reads the response. keep says that it is complete and the connection is of further use.
func (f *fetcher) exchange(c *conn, host, path string) (head string, keep bool) {
	c.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: gzip, br\r\nUser-Agent: loop\r\n\r\n", path, host)
	f.raw, f.body = f.raw[:0], f.body[:0]
	for f.line(c) != "" {
	}
	head = string(f.raw)
	keep = field(head, "Connection") != "close"
	if field(head, "Transfer-Encoding") != "chunked" {
		n, err := strconv.Atoi(field(head, "Content-Length"))
		return head, err == nil && f.read(c, n) && keep
	}
	for {
		n, err := strconv.ParseInt(f.line(c), 16, 32)
		if err != nil || !f.read(c, int(n)) {
			return head, false
		}
		if f.line(c); n == 0 {
			return head, keep
		}
	}
}

// line reads a line into raw.
func (f *fetcher) line(c *conn) string {
	line, _ := c.r.ReadSlice('\n')
	f.raw = append(f.raw, line...)
	if len(line) < 2 {
		return ""
	}
	return string(line[:len(line)-2])
}

// read reads n bytes into raw and body.
func (f *fetcher) read(c *conn, n int) bool {
	at := len(f.raw)
	f.raw = slices.Grow(f.raw, n)[:at+n]
	_, err := io.ReadFull(c.r, f.raw[at:])
	f.body = append(f.body, f.raw[at:]...)
	return err == nil
}

// inflate returns the body without its coding.
func (f *fetcher) inflate(coding string) []byte {
	f.text.Reset()
	switch in := bytes.NewReader(f.body); coding {
	case "":
		return f.body
	case "gzip":
		if f.gzip.Reset(in) == nil {
			f.text.ReadFrom(&f.gzip)
		}
	case "br":
		f.brotli.Reset(in)
		f.text.ReadFrom(&f.brotli)
	}
	return f.text.Bytes()
}

// field returns a field of a head, "" if it has none.
func field(head, name string) string {
	_, rest, _ := strings.Cut(head, "\r\n"+name+": ")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

// links returns the links of a page, in one pass over its bytes.
func links(host, path string, text []byte) (list []string) {
	for {
		at := bytes.IndexByte(text, '<')
		if at < 0 || at+3 > len(text) {
			return list
		}
		if text = text[at+1:]; text[0]|0x20 != 'a' || text[1] > ' ' {
			continue
		}
		tag, rest, _ := bytes.Cut(text, []byte(">"))
		text = rest
		_, value, _ := bytes.Cut(tag, []byte("href="))
		if len(value) < 2 || value[0] != '"' && value[0] != '\'' {
			continue
		}
		if end := bytes.IndexByte(value[1:], value[0]); end >= 0 {
			list = append(list, resolve(host, path, value[1:1+end]))
		}
	}
}

// split returns host and path of an http URL.
func split(u string) (host, path string) {
	host, path, _ = strings.Cut(strings.TrimPrefix(u, "http://"), "/")
	return host, "/" + path
}

// resolve returns a link of a page as a URL, which may be one of another scheme.
func resolve(host, path string, link []byte) string {
	link, _, _ = bytes.Cut(link, []byte("#"))
	ref := string(bytes.ReplaceAll(link, []byte("&amp;"), []byte("&")))
	path, _, _ = strings.Cut(path, "?")
	switch {
	case ref == "" || strings.Contains(ref[:min(len(ref), 12)], ":"):
		return ref
	case strings.HasPrefix(ref, "//"):
		return "http:" + ref
	case ref[0] == '/':
		return "http://" + host + ref
	case ref[0] == '?':
		return "http://" + host + path + ref
	}
	for {
		path = path[:strings.LastIndexByte(path, '/')]
		ref = strings.TrimPrefix(ref, "./")
		rest, up := strings.CutPrefix(ref, "../")
		if !up {
			return "http://" + host + path + "/" + ref
		}
		if ref = rest; path == "" {
			path = "/"
		}
	}
}
