package app

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// hostileLab is a web of sites that mean us ill, and some that do not, each
// behind a listener of its own. It counts what they are asked for and what is
// taken of what they send.
type hostileLab struct {
	cases  []*hostileCase
	good   []*goodSite
	sites  []*hostileSite
	served sync.WaitGroup

	begun    time.Time
	order    atomic.Int64 // numbers the events that are compared
	goodLeft atomic.Int64 // pages of good sites not yet asked for
	goodDone chan struct{}
	ended    chan struct{} // closed by close: whoever holds a connection lets go
	// heldThen counts the sites that still held, or would hold again, a
	// connection when goodDone was closed.
	heldThen atomic.Int64
	// holdsThen counts the requests to those sites by then.
	holdsThen atomic.Int64
}

// hostileSite is a listener and what came to it.
type hostileSite struct {
	lab     *hostileLab
	names   []string
	ln      net.Listener
	begin   func(*visit)      // the connection, before anything was read
	answer  func(*visit) bool // each request; false closes the connection
	holding bool

	conns, requests, robots, sent atomic.Int64
	last                          atomic.Int64 // when the last request came, nanoseconds from the start of the lab
	mu                            sync.Mutex
	open                          map[net.Conn]bool
	asked                         map[string]int // by host and target, the first few thousand
	longest                       int            // header field of a request
}

// maxAsked bounds the targets a site remembers.
const maxAsked = 20_000

// newSite starts a site; handlers are called from many goroutines.
func (l *hostileLab) newSite(t testing.TB, names ...string) *hostileSite {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &hostileSite{lab: l, names: names, ln: ln, open: make(map[net.Conn]bool), asked: make(map[string]int)}
	l.sites = append(l.sites, s)
	return s
}

// serve begins to answer.
func (s *hostileSite) serve() {
	s.lab.served.Go(func() {
		for {
			c, err := s.ln.Accept()
			if err != nil {
				return
			}
			s.conns.Add(1)
			s.lab.served.Go(func() { s.converse(c) })
		}
	})
}

// sendBuffer keeps what the kernel takes of what nobody reads small, so that
// what was sent is about what was read.
const sendBuffer = 8 << 10

func (s *hostileSite) converse(c net.Conn) {
	s.mu.Lock()
	s.open[c] = true
	s.mu.Unlock()
	defer func() {
		c.Close()
		s.mu.Lock()
		delete(s.open, c)
		s.mu.Unlock()
	}()
	select {
	case <-s.lab.ended:
		return
	default:
	}
	c.(*net.TCPConn).SetWriteBuffer(sendBuffer)
	v := &visit{site: s, conn: c, in: bufio.NewReader(c)}
	if s.begin != nil {
		s.begin(v)
	}
	for v.err == nil && v.next() && s.answer(v) {
	}
}

// url returns the address of a path of the site's first name.
func (s *hostileSite) url(path string) string { return "http://" + s.names[0] + path }

// timesAsked returns how often targets were asked for that begin so, on any
// host of the site.
func (s *hostileSite) timesAsked(prefix string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for target, times := range s.asked {
		if _, path, _ := strings.Cut(target, "/"); strings.HasPrefix("/"+path, prefix) {
			n += times
		}
	}
	return n
}

// visit is a connection and the request at hand.
type visit struct {
	site *hostileSite
	conn net.Conn
	in   *bufio.Reader
	*http.Request
	n   int64 // how many requests for pages the site had, this one included
	err error // of the last write
}

// next reads a request.
func (v *visit) next() bool {
	r, err := http.ReadRequest(v.in)
	if err != nil {
		return false
	}
	v.Request = r
	s := v.site
	s.requests.Add(1)
	s.last.Store(int64(time.Since(s.lab.begun)))
	if r.URL.Path == "/robots.txt" {
		s.robots.Add(1)
	} else {
		v.n = s.requests.Load() - s.robots.Load()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if target := r.Host + r.RequestURI; s.asked[target] > 0 || len(s.asked) < maxAsked {
		s.asked[target]++
	}
	for _, values := range r.Header {
		for _, value := range values {
			s.longest = max(s.longest, len(value))
		}
	}
	return true
}

// isRobots reports whether robots.txt is asked for.
func (v *visit) isRobots() bool { return v.URL.Path == "/robots.txt" }

// write sends bytes and counts those that were taken. It reports false when
// nobody takes any more.
func (v *visit) write(b []byte) bool {
	if v.err != nil {
		return false
	}
	n, err := v.conn.Write(b)
	v.site.sent.Add(int64(n))
	v.err = err
	return err == nil
}

func (v *visit) print(s string) bool { return v.write([]byte(s)) }

func (v *visit) printf(format string, args ...any) bool { return v.print(fmt.Sprintf(format, args...)) }

// reply sends a whole response.
func (v *visit) reply(status int, fields, body string) bool {
	return v.printf("HTTP/1.1 %d %s\r\n%sContent-Length: %d\r\n\r\n%s", status, http.StatusText(status), fields, len(body), body)
}

const htmlType = "Content-Type: text/html\r\n"

// page sends a page with links.
func (v *visit) page(text string, links ...string) bool {
	return v.reply(200, htmlType, pageOf(text, links...))
}

// pageOf makes a page with links.
func pageOf(text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><title>%.60s</title><p>%s</p>\n", text, text)
	for i, l := range links {
		fmt.Fprintf(&b, "<a href=\"%s\">%d</a>\n", l, i)
	}
	return b.String()
}

// notFound is the answer of a site that has no robots.txt, and no such page.
func (v *visit) notFound() bool { return v.reply(404, "Content-Type: text/plain\r\n", "not here") }

// hold waits until the other side closes the connection, or the lab ends.
func (v *visit) hold() {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for { // more requests would be pipelining; they are not answered
			if _, err := v.in.Discard(1); err != nil {
				return
			}
		}
	}()
	select {
	case <-gone:
	case <-v.site.lab.ended:
		v.conn.Close()
		<-gone
	}
}

// drip sends text without end, so many bytes every tenth of a second, until
// nobody wants it or the lab ends.
func (v *visit) drip(text string, bytes int) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for text = strings.Repeat(text, 1+bytes/len(text)); v.print(text[:bytes]); text = text[bytes:] + text[:bytes] {
		select {
		case <-ticker.C:
		case <-v.site.lab.ended:
			return
		}
	}
}

// flood sends a piece again and again until nobody wants it, or the server
// has had enough of it itself.
func (v *visit) flood(piece string) {
	const enough = 256 << 20
	for sent := 0; sent < enough && v.print(piece); sent += len(piece) {
	}
}

// close ends all sites.
func (l *hostileLab) close() {
	close(l.ended)
	for _, s := range l.sites {
		s.ln.Close()
		s.mu.Lock()
		for c := range s.open {
			c.Close()
		}
		s.mu.Unlock()
	}
	l.served.Wait()
}

// hosts returns the hosts file.
func (l *hostileLab) hosts() string {
	var b strings.Builder
	for _, s := range l.sites {
		for names := range slices.Chunk(s.names, 50) {
			fmt.Fprintf(&b, "%s %s\n", s.ln.Addr(), strings.Join(names, " "))
		}
	}
	return b.String()
}
