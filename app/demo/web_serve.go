package demo

import (
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/app/demo/markup"
	"github.com/forage-net/forage/app/demo/pack"
	"github.com/forage-net/forage/app/demo/sample"
)

// ServeHTTP answers for a site and records that it did.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	status := statusGone
	answer := &answerWriter{ResponseWriter: w}
	if hold(r.Context(), s.web.options.Latency) {
		status = s.answer(answer, r)
	}
	hit := Hit{
		URL: "http://" + hostname(r.Host) + r.RequestURI, Method: r.Method, Agent: r.UserAgent(), Client: r.RemoteAddr,
		Status: status, Type: w.Header().Get("Content-Type"), Coding: w.Header().Get("Content-Encoding"),
		Bytes: answer.bytes, Start: start, End: answer.end(start),
	}
	s.web.hits.add(hit)
	if s.web.options.Log != nil {
		s.web.options.Log(hit)
	}
}

// hostname returns a Host header without the port, in lower case.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(host)
}

// answer writes the answer and returns its status.
func (s *site) answer(w http.ResponseWriter, r *http.Request) int {
	host := hostname(r.Host)
	switch {
	case !slices.Contains(s.hosts, host):
		return plain(w, http.StatusMisdirectedRequest, "this server does not serve "+host+"\n")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		return plain(w, http.StatusMethodNotAllowed, "only GET and HEAD\n")
	case host == s.apex:
		return redirectTo(w, http.StatusMovedPermanently, "http://"+s.hosts[0]+r.RequestURI)
	}
	if p := s.byTarget[key(host, r.URL.Path, r.URL.RawQuery)]; p != nil {
		return s.answerPage(w, r, p)
	}
	path := r.URL.Path
	switch file := s.robots[host]; {
	case path == "/robots.txt" && file.location != "":
		return redirectTo(w, http.StatusMovedPermanently, file.location)
	case !file.absent && (path == "/robots.txt" || path == file.location && path != ""):
		return plain(w, http.StatusOK, file.text)
	case path == "/sitemap.xml" && s.sitemap:
		return data(w, "application/xml", s.sitemapXML())
	case path == "/style.css":
		return data(w, "text/css; charset=utf-8",
			[]byte("body { font: 17px/1.5 serif; max-width: 44em; margin: auto }\n"))
	case strings.HasPrefix(path, "/img/"):
		return data(w, "image/png", sample.PNG(64, 48))
	}
	if p := s.month(path); p != nil {
		return s.answerPage(w, r, p)
	}
	missing := &page{site: s, host: host, path: "/", title: s.lang.Words.Missing, write: writeMissing,
		status: http.StatusNotFound}
	if s.softMissing && path != "/robots.txt" {
		missing.status = http.StatusOK
	}
	if s.index == 0 {
		return plain(w, http.StatusNotFound, "not found\n") // the start page has no frame to write it in
	}
	return s.answerPage(w, r, missing)
}

func (s *site) answerPage(w http.ResponseWriter, r *http.Request, p *page) int {
	switch {
	case p.location != "":
		return redirectTo(w, p.status, p.location)
	case p.write == nil:
		return data(w, p.fileType, p.file)
	case p.fails != 0 && !p.asked.Swap(true):
		if p.fails == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "1")
		}
		return plain(w, p.fails, "come back later\n")
	}
	h := w.Header()
	h.Set("Content-Type", s.spec.charset.ContentType())
	if p.tag != "" {
		h.Set("X-Robots-Tag", p.tag)
	}
	c := s.negotiate(r.Header.Get("Accept-Encoding"))
	if s.coding() != pack.None {
		h.Set("Vary", "Accept-Encoding")
	}
	if c != pack.None {
		h.Set("Content-Encoding", string(c))
	}
	if p.status == 0 && p.validate(h, r, c) {
		h.Del("Content-Type")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified
	}
	body := p.body(c)
	status := max(p.status, http.StatusOK)
	if s.index%3 == 1 && r.Method == http.MethodGet {
		return chunked(w, status, body)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
	return status
}

// validate sets the validators that the site uses, by the third of the web it
// is in: an entity tag, a date, or both. It reports whether the client has the
// page already.
func (p *page) validate(h http.Header, r *http.Request, c pack.Coding) bool {
	rnd := newRandom(p.site.web.options.Seed, p.url())
	tag := `"` + strconv.FormatUint(rnd.next(), 36)
	if c != pack.None {
		tag += "-" + string(c)
	}
	tag += `"`
	modified := time.Date(2019, 1, 1, rnd.below(24), rnd.below(60), rnd.below(60), 0, time.UTC).AddDate(0, 0,
		rnd.below(2800))
	if p.site.index%3 != 1 {
		h.Set("ETag", tag)
	}
	if p.site.index%3 != 0 {
		h.Set("Last-Modified", modified.Format(http.TimeFormat))
	}
	if none := r.Header.Get("If-None-Match"); none != "" {
		for item := range strings.SplitSeq(none, ",") {
			if item = strings.TrimPrefix(strings.TrimSpace(item), "W/"); h.Get("ETag") != "" &&
				(item == tag || item == "*") {
				return true
			}
		}
		return false // RFC 9110 §13.1.3: then If-Modified-Since does not count
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && h.Get("Last-Modified") != "" && !modified.After(since)
}

// chunked writes a body in three chunks, without saying how long it is.
func chunked(w http.ResponseWriter, status int, body []byte) int {
	w.WriteHeader(status)
	control := http.NewResponseController(w)
	for i := range 3 {
		if _, err := w.Write(body[len(body)*i/3 : len(body)*(i+1)/3]); err != nil {
			break // the client is gone
		}
		_ = control.Flush() // and would be noticed at the next chunk
	}
	return status
}

func redirectTo(w http.ResponseWriter, status int, location string) int {
	w.Header().Set("Location", location)
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(status)
	return status
}

func plain(w http.ResponseWriter, status int, text string) int {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client may be gone
	return status
}

func data(w http.ResponseWriter, contentType string, body []byte) int {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the client may be gone
	return http.StatusOK
}

// sitemapXML lists the expected pages of the first host.
func (s *site) sitemapXML() []byte {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset " +
		"xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for _, p := range s.pages {
		if p.role == roleExpected {
			b.WriteString("<url><loc>" + markup.Escape(p.url()) + "</loc></url>\n")
		}
	}
	b.WriteString("</urlset>\n")
	return []byte(b.String())
}

// Hit is one request that was answered.
type Hit struct {
	// URL is http, the host asked for and the target as it was requested.
	URL string
	// Method and Agent are what the client sent, Client is its address and port.
	Method, Agent, Client string
	// Status is the HTTP status of the answer, 499 if the client left before; Type its Content-Type and Coding
	// its Content-Encoding, "" if there is none.
	Status       int
	Type, Coding string
	// Bytes is the length of the answer's body.
	Bytes int64
	// Start is when the request had been read, End is when the last bytes of the
	// answer were about to be sent, on this process's clock: no client has the
	// whole answer before End, however busy the machine is. Of a client that left
	// before the end nobody knows when it did, and End is Start.
	Start, End time.Time
}

// maxHits bounds the memory for hits to about 25 MB.
const maxHits = 1 << 16

// hits keeps the last maxHits hits.
type hits struct {
	mu   sync.Mutex
	ring []Hit
	next int // where the next one goes once the ring is full
}

func (h *hits) add(hit Hit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.ring) < maxHits {
		h.ring = append(h.ring, hit)
		return
	}
	h.ring[h.next] = hit
	h.next = (h.next + 1) % maxHits
}
