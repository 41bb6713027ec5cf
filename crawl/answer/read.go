// Package answer reads what a site answered: the outcome of the task, what the page is, and its links. It needs
// nothing but the response, so one that is read back from the archive gives the same as the live one.
package answer

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	phrases "github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/crawl/words"
)

// MaxRedirects is how many redirects in a row are followed, as many as RFC
// 9309 wants for robots.txt and twice over.
const MaxRedirects = 10

// Page is what was found on a page, beside its links.
type Page struct {
	Title, Language, Charset string
	Depth                    uint8
	// NoIndex and NoArchive are what page or server ask of crawlers.
	NoIndex, NoArchive bool
	// Text says that people can read it. Words are its words and Links its links, nil unless words were asked for.
	Text  bool
	Words *words.Counter
	Links []extract.Link
}

// Read makes the outcome of a task from the response to it. It needs nothing else, so a response read back from the
// archive gives the same outcome and the same outlinks as the live one.
//
// What x asks for it puts there. If x is nil, it takes no URLs of other sites of a sitemap, and no more than an outcome
// has room for.
func Read(task crawl.Task, r *fetch.Response, s *scope.Scope, now time.Time, x *Extras) (crawl.Outcome, Page) {
	o := crawl.Outcome{
		Task: task, Domain: task.URL.Domain(), Status: r.Status, Date: r.Started,
		Took: r.Took, Sent: r.Sent, Received: r.Received,
		Digest: r.Digest(), ETag: short(r.Header.Get("ETag")), LastModified: short(r.Header.Get("Last-Modified")),
	}
	page := Page{Depth: task.Depth}
	if r.Status >= 200 && r.Status < 300 {
		readBody(&o, &page, r, s, x)
		o.Links = len(o.Outlinks)
		return o, page
	}
	asked := Asked(r)
	page.NoIndex, page.NoArchive = asked.NoIndex, asked.NoArchive
	switch {
	case r.Status == http.StatusNotModified && isConditional(&task):
		o.Result, o.Digest = crawl.Unchanged, task.Prior.Digest
	case r.Status >= 300 && r.Status < 400:
		readRedirect(&o, asked, r, s)
	case asksForLess(r, now):
		o.Result, o.Reason = crawl.Refused, reasonOf(r.Status)
		o.Wait, _ = r.RetryAfter(now)
	case r.Status >= 500:
		o.Result, o.Reason = crawl.Failed, reasonOf(r.Status)
	default:
		o.Result, o.Reason = crawl.Gone, reasonOf(r.Status)
	}
	o.Links = len(o.Outlinks)
	return o, page
}

// isConditional reports whether a task was asked for only if it has changed.
func isConditional(t *crawl.Task) bool {
	return t.Prior != nil && (t.Prior.ETag != "" || t.Prior.LastModified != "")
}

// asksForLess reports whether an answer is about all requests and not about its page alone: a 503 is so only if
// it says for how long.
func asksForLess(r *fetch.Response, now time.Time) bool {
	_, asks := r.RetryAfter(now)
	return r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable && asks
}

// statusText returns what a status means, as an argument of a message.
func statusText(status int) any {
	if m := (&phrases.Message{Key: "said.visit.status." + strconv.Itoa(status)}); phrases.Has(m.Key) {
		return m
	}
	return http.StatusText(status)
}

// reasonOf returns the reason of an outcome that only a status tells.
func reasonOf(status int) string {
	if m, is := statusText(status).(*phrases.Message); is {
		return m.Stored()
	}
	return http.StatusText(status)
}

// unreadable is the key of the reason of an outcome whose body could not be read to its end.
const unreadable = "said.visit.body"

// Unreadable reports whether the body of a page came and cannot be read to its end: its coding is damaged, say.
func Unreadable(o *crawl.Outcome) bool { return strings.HasPrefix(o.Reason, unreadable+"?") }

// because returns the message in an error, which is what is kept of it, else the error.
func because(err error) error {
	if m, is := errors.AsType[*phrases.Message](err); is {
		return m
	}
	return err
}

// Asked returns what an answer asks of crawlers, whatever its status.
func Asked(r *fetch.Response) extract.Wishes {
	var body []byte
	if r.TextType {
		body, _ = r.Text() // what cannot be read asks for nothing
	}
	return extract.Asked(r.ContentType(), r.Header.Values("X-Robots-Tag"), body)
}

func readBody(o *crawl.Outcome, page *Page, r *fetch.Response, s *scope.Scope, x *Extras) {
	links := linkTaker{outcome: o, scope: s}
	if !r.TextType && o.Task.Source == 0 {
		asked := Asked(r)
		page.NoIndex, page.NoArchive = asked.NoIndex, asked.NoArchive
		o.Result, o.Reason = crawl.Skipped, r.MediaType
		links.takePage(&extract.Page{Wishes: asked}, r)
		return
	}
	o.Result = crawl.Fetched
	body, err := r.Text()
	if err != nil {
		o.Reason = phrases.New(unreadable, phrases.Args{"error": because(err)}).Stored()
	}
	contentType := r.ContentType()
	isPage := extract.IsPage(contentType, body)
	if !isPage || o.Task.Source > 0 { // servers call anything HTML
		asked := extract.Asked(contentType, r.Header.Values("X-Robots-Tag"), body)
		page.NoIndex, page.NoArchive = asked.NoIndex, asked.NoArchive
		isSource := !asked.NoFollow && links.takeSource(r, body, x)
		if isSource || !isPage {
			if !isSource && o.Task.Source == 0 {
				page.Text = r.MediaType == "text/plain" || r.MediaType == "text/markdown"
				page.Words = x.plainWords(page.Text, contentType, body)
			}
			links.takePage(&extract.Page{Wishes: asked}, r)
			return
		}
	}
	found := readHTML(page, r, body, x)
	o.Title, o.Language = found.Title, found.Language
	links.takePage(&found, r)
	if page.Words == nil { // else they go into the search index
		found.Release()
	}
}

// readHTML reads a page of HTML.
func readHTML(page *Page, r *fetch.Response, body []byte, x *Extras) extract.Page {
	var text *words.Reader
	if page.Words = x.counter(); page.Words != nil {
		text = &page.Words.Reader
	}
	found := extract.HTMLWords(r.URL, r.ContentType(), r.Header.Values("X-Robots-Tag"), body, text)
	if page.Text = true; page.Words != nil {
		page.Links = found.Links
	}
	if found.Language == "" {
		first, _, _ := strings.Cut(r.Header.Get("Content-Language"), ",")
		found.Language = words.Primary(strings.TrimSpace(first))
	}
	page.Title, page.Language, page.Charset = found.Title, found.Language, found.Charset
	page.NoIndex, page.NoArchive = found.NoIndex, found.NoArchive
	return found
}

// readRedirect takes the target of a redirect as a link of its answer: nofollow keeps it from being followed.
func readRedirect(o *crawl.Outcome, asked extract.Wishes, r *fetch.Response, s *scope.Scope) {
	target, err := r.Location()
	switch {
	case err != nil:
		o.Result, o.Reason = crawl.Gone, phrases.New("said.visit.without-a-usable-target",
			phrases.Args{"status": statusText(r.Status)}).Stored()
	case o.Task.Redirects >= MaxRedirects:
		o.Result, o.Reason = crawl.Gone, phrases.New("said.visit.too-many-redirects-in-a-row", nil).Stored()
	default:
		o.Result, o.Reason = crawl.Redirected, target.String()
		if asked.NoFollow {
			return
		}
		links := linkTaker{outcome: o, scope: s}
		links.take(target, 0, crawl.Outlink{
			Redirects: o.Task.Redirects + 1, Priority: crawl.PriorityHigh, Source: o.Task.Source,
		})
	}
}

// short returns a validator, or nothing if it is too long to keep.
func short(v string) string {
	if len(v) > crawl.MaxValidator {
		return ""
	}
	return v
}
