package worker

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
)

// maxSetCookies is how many Set-Cookie fields of one answer are read.
const maxSetCookies = 20

// chain is a row of redirects that one task leads through at once, because its site wants a cookie back before
// it shows the page. It stays within the domain, and its cookies end with it: no other request ever has them.
type chain struct {
	url    crawl.URL // what is requested next
	jar    *cookiejar.Jar
	cookie string   // what goes with it
	asked  []string // URL and cookies of each request
}

// current returns what the task at hand asks for next.
func (t *turn) current() crawl.URL {
	if t.chain != nil {
		return t.chain.url
	}
	return t.Tasks[t.next].URL
}

// done takes the turn to its next task.
func (t *turn) done() { t.next, t.chain = t.next+1, nil }

// follow reports whether the answer to the task at hand is a step of a chain, and takes the chain on. o is its
// outcome if it is not.
//
// A chain begins where a redirect that sets a cookie leads back to the page that was asked for: to its own
// path, by way of an address that names the page, or as the second redirect in a row. All other redirects are
// tasks of their own, so that a page many lead to is requested once. It ends with another answer, or when the
// same would be asked for again with the same cookies.
func (t *turn) follow(r *fetch.Response, o *crawl.Outcome) bool {
	if o.Result != crawl.Redirected || len(o.Outlinks) == 0 || o.Task.Source > 0 {
		return false // not to be followed
	}
	target, err := r.Location()
	if err != nil || target.Domain() != t.Domain {
		return false
	}
	c := t.chain
	if c == nil {
		if len(r.Header["Set-Cookie"]) == 0 || !leadsBack(target, o.Task) {
			return false
		}
		jar, _ := cookiejar.New(nil) // never fails; a chain stays within one domain
		c = &chain{jar: jar, asked: []string{r.URL.String() + "\n"}}
	}
	c.take(r)
	c.url, c.cookie = target, c.cookiesFor(target)
	step := target.String() + "\n" + c.cookie
	for _, asked := range c.asked {
		if asked == step {
			return false
		}
	}
	c.asked = append(c.asked, step)
	if len(c.asked) > answer.MaxRedirects-int(o.Task.Redirects) {
		return false
	}
	t.chain = c
	return true
}

// leadsBack reports whether a redirect of a task's page may lead back to it.
func leadsBack(target crawl.URL, task crawl.Task) bool {
	path, query, _ := strings.Cut(target.Path(), "?")
	own, _, _ := strings.Cut(task.URL.Path(), "?")
	if task.Redirects > 0 || target.Origin() == task.URL.Origin() && path == own {
		return true
	}
	for part := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(part, "=")
		plain, err := url.QueryUnescape(value)
		if err != nil || plain == "" {
			continue
		}
		if u, err := task.URL.Resolve(plain); err == nil && u == task.URL &&
			(plain[0] == '/' || strings.Contains(plain, "://")) {
			return true
		}
	}
	return false
}

// take takes the cookies of an answer (RFC 6265 §5.3).
func (c *chain) take(r *fetch.Response) {
	u, err := url.Parse(r.URL.String())
	if err != nil {
		return
	}
	lines := r.Header["Set-Cookie"]
	head := http.Header{"Set-Cookie": lines[:min(len(lines), maxSetCookies)]}
	c.jar.SetCookies(u, (&http.Response{Header: head}).Cookies())
}

// cookiesFor returns the field Cookie of a request, "" if it needs none or it would be too long to send.
func (c *chain) cookiesFor(target crawl.URL) string {
	u, err := url.Parse(target.String())
	if err != nil {
		return ""
	}
	req := http.Request{Header: make(http.Header)}
	for _, cookie := range c.jar.Cookies(u) {
		req.AddCookie(cookie)
	}
	if field := req.Header.Get("Cookie"); len(field) <= fetch.MaxCookie {
		return field
	}
	return ""
}
