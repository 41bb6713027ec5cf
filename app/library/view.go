package library

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/plain"
	"github.com/forage-net/forage/crawl/replay"
	"github.com/forage-net/forage/storage/warc/lookup"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// maxShownText is how much is shown of a text that is not a page, in bytes.
const maxShownText = 2 << 20

// errOriginalGone is returned for a revisit whose original was erased.
var errOriginalGone = errors.New("the earlier visit that this one was like is no longer in the archive")

// volume is a capture that was taken from the shelf.
type volume struct {
	c    lookup.Found
	url  crawl.URL
	mime string // of the answer
	*fetch.Response
}

// take reads a capture, and a revisit from the capture that it names. The caller
// releases the response. With errOriginalGone, and where the answer cannot be
// read, the volume has no response.
func (l *Library) take(ctx context.Context, id string) (v volume, err error) {
	if v.c, err = lookup.Find(l.dir, id); errors.Is(err, lookup.ErrNoCapture) {
		return v, api.ErrNoCapture
	} else if err != nil {
		return v, err
	}
	source := v.c
	if v.c.Revisit {
		if source, err = lookup.Original(ctx, l.dir, v.c); errors.Is(err, lookup.ErrNoCapture) {
			return v, errOriginalGone
		} else if err != nil {
			return v, err
		}
	}
	v.mime = source.MIME
	raw, err := warcfile.ReadResponse(l.dir, source.Position)
	if err != nil {
		return v, words.New("said.trouble.read", words.Args{"path": v.c.URL, "error": err})
	}
	if v.url, err = crawl.ParseURL(v.c.URL); err == nil {
		v.Response, err = fetch.ParseResponse(v.url, raw)
	}
	return v, err
}

// target returns where a redirect leads.
func (v volume) target() (u crawl.URL, ok bool) {
	if v.c.Status/100 != 3 {
		return u, false
	}
	u, err := v.Location()
	return u, err == nil
}

// ViewCapture implements api.Viewer.
func (l *Library) ViewCapture(ctx context.Context, id, lang string) (api.ViewedPage, error) {
	leave, err := l.sit(ctx)
	if err != nil {
		return api.ViewedPage{}, err
	}
	defer leave()
	v, err := l.take(ctx, id)
	page := api.ViewedPage{ArchiveView: api.ArchiveView{ID: id, URL: v.c.URL, Time: v.c.Date,
		Title: plain.Line(v.c.Title), Status: v.c.Status}}
	switch {
	case errors.Is(err, errOriginalGone):
		page.HTML = notices{lang}.original()
		return page, nil
	case errors.Is(err, api.ErrNoCapture) || v.url.IsZero():
		return page, err
	case err != nil:
		page.HTML = notices{lang}.unreadable(err)
		return page, nil
	}
	defer v.Release()
	return page, l.show(ctx, &page, v, lang)
}

// show fills in what a frame shows of a capture.
func (l *Library) show(ctx context.Context, page *api.ViewedPage, v volume, lang string) error {
	say := notices{lang}
	if target, ok := v.target(); ok {
		page.HTML = say.redirect(target.String())
		return nil
	}
	body, err := v.Text()
	page.Cut = err != nil
	switch {
	case len(body) == 0:
		page.HTML = say.empty(kindOf(v.mime))
	case extract.IsPage(v.MediaType, body):
		return l.showPage(ctx, page, v, body)
	case isPicture(v.MediaType):
		page.HTML = say.picture("p/" + v.c.ID)
	case v.TextType:
		text, _ := extract.Decode(v.ContentType(), body[:min(len(body), maxShownText)])
		page.Cut = page.Cut || len(body) > maxShownText
		page.HTML = say.text(text)
	default:
		page.HTML = say.data(kindOf(v.mime))
	}
	return nil
}

// showPage rewrites a page, with the parts that the archive has.
func (l *Library) showPage(ctx context.Context, page *api.ViewedPage, v volume, body []byte) error {
	text, _ := extract.Decode(v.ContentType(), body)
	source := replay.Page{URL: v.url, XML: v.MediaType != "" && v.MediaType != "text/html", Text: text}
	found, err := l.gather(ctx, source.Parts(), v.c.Date)
	if err != nil {
		return err
	}
	page.Parts, page.Missing, page.More, page.Hurried = found.ids, found.missing(), found.more, found.hurried
	page.HTML = source.Rewrite(replay.Places{Link: "to?", Part: func(p replay.Part) string {
		if id := found.ids[partKey(p)]; id != "" {
			return "p/" + id
		}
		return ""
	}})
	return nil
}

// FollowLink implements api.Viewer. Redirects that were archived are followed.
func (l *Library) FollowLink(ctx context.Context, from, url, lang string) (id string, none api.ViewedPage, err error) {
	const maxHops = 5
	u, err := crawl.ParseURL(url)
	if err != nil {
		return "", none, &api.InputError{Err: words.New("said.api.a-link-must-lead-to-a", nil)}
	}
	leave, err := l.sit(ctx)
	if err != nil {
		return "", none, err
	}
	defer leave()
	page, err := lookup.Find(l.dir, from)
	if errors.Is(err, lookup.ErrNoCapture) {
		return "", none, api.ErrNoCapture
	} else if err != nil {
		return "", none, err
	}
	for range maxHops {
		next, ok, err := l.near(ctx, u, page.Date)
		if err != nil {
			return "", none, err
		}
		if !ok {
			break
		}
		id = next.ID
		if u, ok = l.leadsOn(ctx, next); !ok {
			return id, none, nil
		}
	}
	if id != "" {
		return id, none, nil // a redirect to what is not archived says so itself
	}
	none.ArchiveView = api.ArchiveView{URL: u.String()}
	none.HTML = notices{lang}.none(u.String())
	return "", none, nil
}

// leadsOn returns where a capture leads, if it is a redirect.
func (l *Library) leadsOn(ctx context.Context, c lookup.Found) (u crawl.URL, ok bool) {
	if c.Status/100 != 3 {
		return u, false
	}
	v, err := l.take(ctx, c.ID)
	if err != nil {
		return u, false
	}
	defer v.Release()
	return v.target()
}

// near returns the capture of a URL that is nearest to a time. One that was
// answered well, or leads on, comes before an error.
func (l *Library) near(ctx context.Context, u crawl.URL, at time.Time) (c lookup.Found, ok bool, err error) {
	found, _, err := lookup.Nearest(ctx, l.dir, []string{u.String()}, lookup.Near{Time: at})
	c, ok = found[u.String()]
	if err != nil || !ok || c.Status/100 == 2 || c.Status/100 == 3 {
		return c, ok, err
	}
	found, _, err = lookup.Nearest(ctx, l.dir, []string{u.String()}, lookup.Near{Time: at, Bodies: true})
	if better, is := found[u.String()]; is {
		c = better
	}
	return c, ok, err
}

func isPicture(mediaType string) bool { return strings.HasPrefix(mediaType, "image/") }

var _ api.Viewer = (*Library)(nil)
