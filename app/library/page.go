package library

import (
	"context"
	"errors"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/plain"
	"github.com/forage-net/forage/storage/warc/lookup"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// maxReadLinks is how many links of a page are told.
const maxReadLinks = 500

// ReadCapture implements api.Librarian. A revisit is read from the capture it
// names.
func (l *Library) ReadCapture(ctx context.Context, id, lang string) (api.ArchivedPage, error) {
	leave, err := l.sit(ctx)
	if err != nil {
		return api.ArchivedPage{}, err
	}
	defer leave()
	c, err := lookup.Find(l.dir, id)
	if errors.Is(err, lookup.ErrNoCapture) {
		return api.ArchivedPage{}, api.ErrNoCapture
	}
	if err != nil {
		return api.ArchivedPage{}, err
	}
	page := api.ArchivedPage{URL: c.URL, Time: c.Date, Title: plain.Line(c.Title), Status: c.Status, MIME: c.MIME}
	source := c
	if c.Revisit {
		source, err = lookup.Original(ctx, l.dir, c)
		if errors.Is(err, lookup.ErrNoCapture) {
			page.Paragraphs = sentence(lang, "library.revisit", nil)
			return page, nil
		}
		if err != nil {
			return api.ArchivedPage{}, err
		}
		page.MIME = source.MIME
		if page.Title == "" {
			page.Title = plain.Line(source.Title)
		}
	}
	raw, err := warcfile.ReadResponse(l.dir, source.Position)
	if err != nil {
		return api.ArchivedPage{}, words.New("said.trouble.read", words.Args{"path": c.URL, "error": err})
	}
	if err := describePage(&page, raw, lang); err != nil {
		page.Paragraphs = sentence(lang, "library.answer.unreadable", words.Args{"error": err})
	}
	return page, nil
}

// describePage adds what a response says.
func describePage(page *api.ArchivedPage, raw []byte, lang string) error {
	u, err := crawl.ParseURL(page.URL)
	if err != nil {
		return err
	}
	r, err := fetch.ParseResponse(u, raw)
	if err != nil {
		return err
	}
	defer r.Release()
	if target, err := r.Location(); err == nil && r.Status/100 == 3 {
		page.Links = []string{target.String()}
		page.Paragraphs = sentence(lang, "library.leads", words.Args{"address": target.String()})
		return nil
	}
	if !r.TextType {
		page.Paragraphs = sentence(lang, "library.no-text", words.Args{"kind": kindOf(page.MIME)})
		return nil
	}
	body, err := r.Text()
	if err != nil && len(body) == 0 {
		return err
	}
	page.Cut = err != nil
	read(page, u, r, body)
	if len(page.Paragraphs) == 0 {
		page.Paragraphs = sentence(lang, "library.empty-page", nil)
	}
	return nil
}

func kindOf(mime string) string {
	if mime == "unk" || mime == "" {
		return "data"
	}
	return mime
}

// read makes paragraphs of a text.
func read(page *api.ArchivedPage, u crawl.URL, r *fetch.Response, body []byte) {
	if len(body) > plain.MaxInput {
		body, page.Cut = body[:plain.MaxInput], true
	}
	contentType := r.ContentType()
	decoded, _ := extract.Decode(contentType, body)
	var text plain.Text
	switch t := r.MediaType; {
	case extract.IsPage(t, body):
		text = plain.HTML(decoded)
		page.HTML = len(body) > 0
		found := extract.HTML(u, contentType, nil, body)
		page.Language = found.Language
		if found.Title != "" {
			page.Title = plain.Line(found.Title)
		}
		for _, link := range found.Links[:min(len(found.Links), maxReadLinks)] {
			page.Links = append(page.Links, link.URL.String())
		}
	case t == "text/xml" || t == "application/xml" || strings.HasSuffix(t, "+xml"):
		text = plain.XML(decoded)
	default:
		text = plain.Plain(decoded)
	}
	page.Cut = page.Cut || text.Cut
	page.Paragraphs = make([]api.Paragraph, len(text.Paragraphs))
	for i, p := range text.Paragraphs {
		page.Paragraphs[i] = api.Paragraph{Kind: string(p.Kind), Text: p.Text}
	}
}

// sentence stands for what there is no text of.
func sentence(lang, key string, args words.Args) []api.Paragraph {
	return []api.Paragraph{{Kind: string(plain.Ordinary), Text: words.Text(lang, key, args)}}
}
