// Package demo is a practice ground for the crawler on one machine. Web is a
// small web of made-up sites, in many languages and with the peculiarities of
// real ones, served over HTTP on loopback. It is the same for the same
// options, and knows what a right crawler does with it: which pages are to be
// fetched once, and which never.
//
// The content of the sites is made when it is asked for, from the words of
// package language. A site is planned (web_plan.go), its odd corners are
// features (web_features.go and its neighbours), its pages are written by a
// writer (web_writer.go), and its server is in web_serve.go.
package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/demo/language"
	"github.com/forage-net/forage/app/demo/pack"
	"github.com/forage-net/forage/app/demo/sample"
)

// Options say what web to make. The zero value is the usual one.
type Options struct {
	// Sites is the number of sites besides the start page, 0 meaning
	// DefaultSites; 1,000 at most. Each is a registrable domain with a listener
	// of its own. Beyond DefaultSites they repeat under other names and with
	// other peculiarities; about one in six then has three hosts.
	Sites int
	// Pages is how many URLs Expected returns, 0 meaning DefaultPages; 100,000
	// at most. Start says how many are needed at least where it is too few.
	Pages int
	// PageBytes is the least length of an ordinary page in bytes, before it is
	// encoded or compressed, 0 meaning as it comes (about 5 kB); 1 MiB at most.
	PageBytes int
	// Manual has pages as those of reference manuals: in UTF-8, compressed with gzip by all servers, and with
	// listings in which every word has a tag.
	Manual bool
	// Bulky has serving cost little and reading much: all pages are in UTF-8, and brought to PageBytes by text
	// that is the same on all pages of a site and compressed once.
	Bulky bool
	// Seed chooses among webs that differ in texts and links.
	Seed uint64
	// Address is what the sites listen on, 127.0.0.1 by default: loopback, or of a private network for labs of
	// several computers.
	Address string
	// Port is that of the start page; the sites have those after it. 0 means
	// any free ones.
	Port int
	// Latency is how long every answer is held back, 0 to 1 minute.
	Latency time.Duration
	// Log, where set, is called after every request, from many goroutines.
	Log func(Hit) `json:"-"`
}

const (
	// DefaultSites is how many sites there are material for.
	DefaultSites = 40
	// DefaultPages keeps three nodes busy for a few minutes at a gap of 100 ms.
	DefaultPages = 5000

	maxSites     = 1000
	maxPages     = 100_000
	maxPageBytes = 1 << 20
	maxLatency   = time.Minute // well within the write timeout
)

// startHost is the host of the page that links to all sites.
const startHost = "start.test"

// Web is a running practice web. Its methods may be called from any goroutine,
// also after Close.
type Web struct {
	options   Options
	languages map[string]*language.Language
	sites     []*site // the first is the start page's
	files     []sample.File
	hits      hits

	cached   atomic.Int64 // bytes of pages kept encoded
	encoders pack.Encoders

	servers []*http.Server
	conns   sync.WaitGroup // open connections
	serving sync.WaitGroup // one for each server
	closing sync.Once
}

// Start makes a web and serves it until Close. Nothing listens if it returns
// an error.
func Start(o Options) (*Web, error) {
	w, err := newWeb(o)
	if err != nil {
		return nil, fmt.Errorf("practice web: %w", err)
	}
	if err := w.listen(); err != nil {
		w.Close()
		return nil, fmt.Errorf("practice web: %w", err)
	}
	return w, nil
}

// newWeb plans a web without serving it.
func newWeb(o Options) (*Web, error) {
	if o.Sites == 0 {
		o.Sites = DefaultSites
	}
	if o.Pages == 0 {
		o.Pages = DefaultPages
	}
	if o.Address == "" {
		o.Address = "127.0.0.1"
	}
	if addr, err := netip.ParseAddr(o.Address); err != nil || !addr.IsLoopback() && !addr.IsPrivate() {
		return nil, fmt.Errorf("%q is not a loopback or private address", o.Address)
	}
	switch {
	case o.Sites < 0 || o.Sites > maxSites:
		return nil, fmt.Errorf("%d sites: want 1 to %d", o.Sites, maxSites)
	case o.Pages < 0 || o.Pages > maxPages:
		return nil, fmt.Errorf("%d pages: want %d at most", o.Pages, maxPages)
	case o.PageBytes < 0 || o.PageBytes > maxPageBytes:
		return nil, fmt.Errorf("pages of %d bytes: want 0 to %d", o.PageBytes, maxPageBytes)
	case o.Port < 0 || o.Port > 0 && o.Port+o.Sites > 65535:
		return nil, fmt.Errorf("port %d: want 0 to %d", o.Port, 65535-o.Sites)
	case o.Latency < 0 || o.Latency > maxLatency:
		return nil, fmt.Errorf("latency of %s: want 0 to %s", o.Latency, maxLatency)
	}
	w := &Web{options: o, languages: language.All(), files: sample.Files(), encoders: pack.NewEncoders()}
	if err := w.plan(); err != nil {
		return nil, err
	}
	return w, nil
}

// listen starts a server for each site.
func (w *Web) listen() error {
	for i, s := range w.sites {
		port := w.options.Port
		if port > 0 {
			port += i
		}
		l, err := net.Listen("tcp", net.JoinHostPort(w.options.Address, itoa(port)))
		if err != nil {
			return err
		}
		s.port = l.Addr().(*net.TCPAddr).Port
		server := &http.Server{
			Handler:           s,
			ReadHeaderTimeout: 10 * time.Second,
			WriteTimeout:      5 * time.Minute, // clients may be throttled
			IdleTimeout:       2 * time.Minute,
			MaxHeaderBytes:    16 << 10,
			ConnState:         w.count,
		}
		w.servers = append(w.servers, server)
		w.serving.Go(func() {
			// Serve returns ErrServerClosed after Close, and nothing else that
			// anyone could act on.
			_ = server.Serve(l)
		})
	}
	return nil
}

// count keeps the number of open connections, which Close waits for.
func (w *Web) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		w.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		w.conns.Done()
	}
}

// Close cuts all connections and returns when no goroutine of the web is left.
func (w *Web) Close() error {
	var errs []error
	w.closing.Do(func() {
		for _, server := range w.servers {
			errs = append(errs, server.Close())
		}
	})
	w.serving.Wait() // no new connections after this
	w.conns.Wait()
	return errors.Join(errs...)
}

// Hosts returns the web's name service: one line "ADDRESS:PORT NAME" a host.
func (w *Web) Hosts() string {
	var b strings.Builder
	for _, s := range w.sites {
		for _, host := range s.hosts {
			fmt.Fprintf(&b, "%s %s\n", net.JoinHostPort(w.options.Address, itoa(s.port)), host)
		}
	}
	return b.String()
}

// StartURL returns the URL of the page that links to all sites.
func (w *Web) StartURL() string { return "http://" + startHost + "/" }

// Warm makes all expected pages whose making costs something, so that a
// measurement afterwards measures the client. It returns ctx's error if that
// ends first.
func (w *Web) Warm(ctx context.Context) error {
	work := make(chan *page)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for p := range work {
				p.body(p.site.coding())
			}
		})
	}
	defer workers.Wait()
	defer close(work)
	for _, s := range w.sites {
		for _, p := range s.pages {
			if p.role != roleExpected {
				continue
			}
			select {
			case work <- p:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// Served returns the last 65,536 hits in the order in which they ended. The
// slice is the caller's.
func (w *Web) Served() []Hit {
	w.hits.mu.Lock()
	defer w.hits.mu.Unlock()
	return slices.Concat(w.hits.ring[w.hits.next:], w.hits.ring[:w.hits.next])
}
