package rates

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/forage-net/forage/crawl"
)

const (
	siteCount = 6
	pageBytes = 16 << 10
	// pieceBytes is how much of an answer is written at once.
	pieceBytes = 2 << 10
)

// sites are web sites that answer every request with the same page, and count
// what their sockets move.
type sites struct {
	listeners      []net.Listener
	answer         []byte
	sent, received atomic.Int64
}

func newSites() (*sites, error) {
	page := make([]byte, pageBytes/2)
	rand.Read(page)
	s := &sites{answer: fmt.Appendf(nil,
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", pageBytes,
		hex.EncodeToString(page))}
	for range siteCount {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.close()
			return nil, err
		}
		s.listeners = append(s.listeners, l)
		go s.serve(l)
	}
	return s, nil
}

func (s *sites) serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go s.converse(c)
	}
}

// converse answers each empty line, with which a request ends.
func (s *sites) converse(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		line, err := r.ReadSlice('\n')
		s.received.Add(int64(len(line)))
		if err != nil {
			return
		}
		if len(line) > 2 {
			continue
		}
		for piece := range slices.Chunk(s.answer, pieceBytes) { // so that it is counted as it goes
			n, err := c.Write(piece)
			s.sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}
}

func (s *sites) urls() (list []crawl.URL) {
	for _, l := range s.listeners {
		u, err := crawl.ParseURL("http://" + l.Addr().String() + "/")
		if err != nil {
			panic(err) // an address of our own
		}
		list = append(list, u)
	}
	return list
}

// ports returns the ports of the sites.
func (s *sites) ports() map[string]bool {
	ports := make(map[string]bool)
	for _, l := range s.listeners {
		ports[strconv.Itoa(l.Addr().(*net.TCPAddr).Port)] = true
	}
	return ports
}

func (s *sites) close() {
	for _, l := range s.listeners {
		l.Close()
	}
}
