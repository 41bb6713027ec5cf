// Package chain follows redirects of a site that wants a cookie back before it shows a page.
//
// A chain is a row of redirects that one task leads through at once. It stays within the domain, and its cookies end
// with it: no other request ever has them. It begins where a redirect that sets a cookie leads back to the page that
// was asked for: to its own path, by way of an address that names the page, or as the second redirect in a row. All
// other redirects are tasks of their own, so that a page many lead to is requested once. It ends with another answer,
// or when the same would be asked for again with the same cookies.
package chain

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
)

// maxSetCookies is how many Set-Cookie fields of one answer are read.
const maxSetCookies = 20

// Chain is what a task asks for next on its way through redirects.
type Chain struct {
	URL    crawl.URL
	Cookie string // the field that goes with it, "" for none

	jar   *cookiejar.Jar
	asked []string // URL and cookies of each request
}

// Follow returns the chain that goes on with an answer, nil if that is no step of one. c is the chain so far, nil if
// there is none; it is used up. o is the outcome of the answer if it is no step.
func Follow(c *Chain, r *fetch.Response, o *crawl.Outcome) *Chain {
	if o.Result != crawl.Redirected || len(o.Outlinks) == 0 || o.Task.Source > 0 {
		return nil // not to be followed
	}
	target, err := r.Location()
	if err != nil || target.Domain() != o.Domain {
		return nil
	}
	if c == nil {
		if len(r.Header["Set-Cookie"]) == 0 || !leadsBack(target, o.Task) {
			return nil
		}
		jar, _ := cookiejar.New(nil) // never fails; a chain stays within one domain
		c = &Chain{jar: jar, asked: []string{r.URL.String() + "\n"}}
	}
	c.take(r)
	c.URL, c.Cookie = target, c.cookiesFor(target)
	step := target.String() + "\n" + c.Cookie
	if slices.Contains(c.asked, step) {
		return nil
	}
	c.asked = append(c.asked, step)
	if len(c.asked) > answer.MaxRedirects-int(o.Task.Redirects) {
		return nil
	}
	return c
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
func (c *Chain) take(r *fetch.Response) {
	u, err := url.Parse(r.URL.String())
	if err != nil {
		return
	}
	lines := r.Header["Set-Cookie"]
	head := http.Header{"Set-Cookie": lines[:min(len(lines), maxSetCookies)]}
	c.jar.SetCookies(u, (&http.Response{Header: head}).Cookies())
}

// cookiesFor returns the field Cookie of a request, "" if it needs none or it would be too long to send.
func (c *Chain) cookiesFor(target crawl.URL) string {
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
