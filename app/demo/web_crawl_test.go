package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	htmlcharset "golang.org/x/net/html/charset"

	"github.com/forage-net/forage/crawl"
)

// startWeb serves a web for the length of a test.
func startWeb(t testing.TB, o Options) *Web {
	t.Helper()
	w, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return w
}

// client returns a client that finds the web's hosts and follows no redirects.
func client(t testing.TB, w *Web) *http.Client {
	t.Helper()
	addresses := make(map[string]string)
	for line := range strings.Lines(w.Hosts()) {
		fields := strings.Fields(line)
		addresses[fields[1]] = fields[0]
	}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, _, err := net.SplitHostPort(address)
			if err != nil || addresses[host] == "" {
				return nil, fmt.Errorf("no address for %s", address)
			}
			return new(net.Dialer).DialContext(ctx, network, addresses[host])
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// get returns an answer whose body is read.
func get(t testing.TB, c *http.Client, url string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, body
}

// referenceCrawl is a crawler as simple as one can be that does everything right,
// with a DOM and regular expressions.
type referenceCrawl struct {
	t       testing.TB
	client  *http.Client
	endless string
	robots  map[string][]robotsRule
	pages   []string        // got with 200 as HTML, in order
	barred  map[string]bool // linked and not to be requested
}

type robotsRule struct {
	allow   bool
	length  int
	pattern *regexp.Regexp
}

func (c *referenceCrawl) run(start string) {
	seen := map[string]bool{start: true}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		for _, link := range c.fetch(queue[0]) {
			if !seen[link] && (c.endless == "" || !strings.HasPrefix(link, c.endless)) {
				seen[link] = true
				queue = append(queue, link)
			}
		}
	}
}

// fetch requests a URL if that is allowed and returns its links.
func (c *referenceCrawl) fetch(u string) []string {
	base, err := crawl.ParseURL(u)
	if err != nil {
		c.t.Fatal(err)
	}
	if !c.allowed(base) {
		c.barred[u] = true
		return nil
	}
	resp, body := get(c.t, c.client, u)
	if resp.StatusCode >= 500 {
		resp, body = get(c.t, c.client, u)
	}
	switch {
	case resp.StatusCode/100 == 3:
		return c.resolve(base, []string{resp.Header.Get("Location")})
	case resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html"):
		return nil
	}
	c.pages = append(c.pages, u)
	reader, err := htmlcharset.NewReader(bytes.NewReader(body), resp.Header.Get("Content-Type"))
	if err != nil {
		c.t.Fatal(err)
	}
	root, err := html.Parse(reader)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.links(base, root, strings.Contains(resp.Header.Get("X-Robots-Tag"), "nofollow"))
}

func (c *referenceCrawl) links(base crawl.URL, root *html.Node, nofollow bool) []string {
	var refs []string
	var baseRef *string
	for n := range root.Descendants() {
		attrs := make(map[string]string)
		for _, a := range n.Attr {
			attrs[a.Key] = a.Val
		}
		href, hasHref := attrs["href"]
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "base" && hasHref && baseRef == nil:
			baseRef = &href
		case (n.Data == "a" || n.Data == "area") && hasHref:
			refs = append(refs, href)
		case n.Data == "frame" || n.Data == "iframe":
			refs = append(refs, attrs["src"])
		case n.Data == "meta" && strings.EqualFold(attrs["http-equiv"], "refresh"):
			_, target, _ := strings.Cut(attrs["content"], "=")
			refs = append(refs, strings.Trim(target, "'\" "))
		case n.Data == "meta" && strings.EqualFold(attrs["name"], "robots"):
			nofollow = nofollow || strings.Contains(strings.ToLower(attrs["content"]), "nofollow")
		}
	}
	if baseRef != nil {
		b, err := base.Resolve(*baseRef)
		if err != nil {
			c.t.Fatal(err)
		}
		base = b
	}
	links := c.resolve(base, refs)
	if !nofollow {
		return links
	}
	for _, l := range links {
		if strings.Contains(l, "/hidden/") {
			c.barred[l] = true
		}
	}
	return nil
}

func (c *referenceCrawl) resolve(base crawl.URL, refs []string) []string {
	var links []string
	for _, ref := range refs {
		if u, err := base.Resolve(ref); err == nil {
			links = append(links, u.String())
		}
	}
	return links
}

func (c *referenceCrawl) allowed(u crawl.URL) bool {
	rules, ok := c.robots[u.Origin()]
	if !ok {
		resp, body := get(c.t, c.client, u.Origin()+"/robots.txt")
		for resp.StatusCode/100 == 3 {
			location, err := u.Resolve(resp.Header.Get("Location"))
			if err != nil {
				c.t.Fatal(err)
			}
			resp, body = get(c.t, c.client, location.String())
		}
		if resp.StatusCode == 200 {
			rules = parseRules(string(body))
		}
		c.robots[u.Origin()] = rules
	}
	length, allow := -1, true
	for _, r := range rules {
		if (r.length > length || r.length == length && r.allow) && r.pattern.MatchString(u.Path()) {
			length, allow = r.length, r.allow
		}
	}
	return allow
}

// parseRules reads the robots files of this web: the group for us or, if there
// is none, that for all.
func parseRules(text string) []robotsRule {
	groups := make(map[string][]robotsRule)
	var agents []string
	rules := true
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		name, value, _ := strings.Cut(line, ":")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		switch {
		case name == "user-agent":
			if rules {
				agents, rules = nil, false
			}
			agents = append(agents, value)
			groups[value] = append(groups[value], []robotsRule{}...)
		case name == "allow" || name == "disallow":
			rules = true
			if value == "" {
				continue
			}
			pattern := strings.ReplaceAll(regexp.QuoteMeta(value), `\*`, ".*")
			if rest, ok := strings.CutSuffix(pattern, `\$`); ok {
				pattern = rest + "$"
			}
			for _, a := range agents {
				groups[a] = append(groups[a], robotsRule{name == "allow", len(value), regexp.MustCompile("^" + pattern)})
			}
		}
	}
	if own, ok := groups[crawl.Token]; ok {
		return own
	}
	return groups["*"]
}

func TestWeb_ReferenceCrawl(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
	}{
		{"usual", Options{Pages: 640}},
		{"one site", Options{Sites: 1, Pages: 60}},
		{"sites that repeat", Options{Sites: 100, Pages: 1800}},
		{"long pages", Options{Sites: 3, Pages: 140, PageBytes: 10_000, Seed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := startWeb(t, c.o)
			r := &referenceCrawl{
				t: t, client: client(t, w), endless: w.Endless(), robots: make(map[string][]robotsRule), barred: make(map[string]bool),
			}
			r.run(w.StartURL())
			slices.Sort(r.pages)
			diff(t, "pages", r.pages, w.Expected())
			if len(r.pages) != c.o.Pages {
				t.Errorf("%d pages, want %d", len(r.pages), c.o.Pages)
			}
			forbidden := w.Forbidden()
			for u := range r.barred {
				if _, ok := slices.BinarySearch(forbidden, u); !ok {
					t.Errorf("%s is barred and not among the forbidden", u)
				}
			}
			for _, h := range w.Served() {
				if _, ok := slices.BinarySearch(forbidden, h.URL); ok {
					t.Errorf("%s was requested", h.URL)
				}
			}
		})
	}
}

// diff reports what two sorted lists do not have in common.
func diff(t *testing.T, what string, got, want []string) {
	t.Helper()
	reported := 0
	report := func(format, u string) {
		if reported++; reported <= 10 {
			t.Errorf(format, what, u)
		}
	}
	for _, u := range got {
		if _, ok := slices.BinarySearch(want, u); !ok {
			report("%s: unexpected %s", u)
		}
	}
	for _, u := range want {
		if _, ok := slices.BinarySearch(got, u); !ok {
			report("%s: missing %s", u)
		}
	}
}

func TestWeb_URLsAreCanonical(t *testing.T) {
	w, err := newWeb(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(w.Expected()); n != DefaultPages {
		t.Errorf("%d pages expected, want %d", n, DefaultPages)
	}
	for _, u := range slices.Concat(w.Expected(), w.Forbidden()) {
		c, err := crawl.ParseURL(u)
		if err != nil || c.String() != u {
			t.Errorf("%q is not canonical: %q, %v", u, c, err)
		}
		if _, err := url.Parse(u); err != nil {
			t.Error(err)
		}
	}
}
