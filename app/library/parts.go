package library

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/replay"
	"github.com/forage-net/forage/storage/warc/lookup"
)

const (
	// maxSheets is how much of a page's style sheets is read for what they
	// need in turn, in bytes.
	maxSheets = 8 << 20
	// imports is how deep style sheets import each other. Each level takes
	// another walk through the indexes.
	imports = 3
	// surelyFull is how many bytes a stored answer has at least that is not a
	// head alone. Smaller ones are looked into.
	surelyFull = 8 << 10
)

// gathering is what was found of the parts of a page.
type gathering struct {
	needed  []replay.Part
	ids     map[string]string // IDs of captures by partKey
	asked   map[string]bool   // by partKey
	more    int
	hurried bool
	read    int // bytes of style sheets
}

// partKey names a part of a page: what is a picture is not a style sheet too.
func partKey(p replay.Part) string { return string(p.Kind) + " " + p.URL }

// gather finds the parts of a page, and what its style sheets need: all that is
// known to be needed in one walk, those of the style sheets in the next.
func (l *Library) gather(ctx context.Context, parts replay.Parts, at time.Time) (*gathering, error) {
	g := &gathering{ids: map[string]string{}, asked: map[string]bool{}}
	budget := lookup.DefaultBudget
	for range imports {
		fresh := g.add(parts)
		if len(fresh) == 0 {
			break
		}
		if err := l.find(ctx, g, fresh, lookup.Near{Time: at, Bodies: true, Budget: budget}); err != nil {
			return nil, err
		}
		parts = l.needsOf(ctx, g, fresh)
		budget = lookup.DefaultBudget / 2
	}
	return g, nil
}

// add notes what is needed and returns what was not asked for yet.
func (g *gathering) add(parts replay.Parts) (fresh []replay.Part) {
	g.more += parts.More
	for _, p := range parts.List {
		if g.asked[partKey(p)] {
			continue
		}
		if len(g.needed) == replay.MaxParts {
			g.more++
			continue
		}
		g.asked[partKey(p)] = true
		g.needed, fresh = append(g.needed, p), append(fresh, p)
	}
	return fresh
}

// missing returns what was not found, in the order of need.
func (g *gathering) missing() []api.MissingPart {
	var list []api.MissingPart
	for _, p := range g.needed {
		if g.ids[partKey(p)] == "" {
			list = append(list, api.MissingPart{URL: p.URL, Kind: string(p.Kind)})
		}
	}
	return list
}

// find looks for captures of parts.
func (l *Library) find(ctx context.Context, g *gathering, parts []replay.Part, near lookup.Near) error {
	var urls []string
	for _, p := range parts {
		if p.Kind != replay.Other {
			urls = append(urls, p.URL)
		}
	}
	found, whole, err := lookup.Nearest(ctx, l.dir, urls, near)
	if err != nil {
		return err
	}
	g.hurried = g.hurried || !whole
	for _, p := range parts {
		if c, ok := found[p.URL]; ok && fits(p.Kind, c.MIME) && l.hasBody(ctx, c) {
			g.ids[partKey(p)] = c.ID
		}
	}
	return nil
}

// fits reports whether an answer of a type can be what a part is for.
func fits(kind replay.Kind, mime string) bool {
	switch kind {
	case replay.Style:
		return mime == "text/css"
	case replay.Image:
		return isPicture(mime)
	case replay.Font:
		return !strings.HasPrefix(mime, "text/") && !isPicture(mime)
	}
	return false
}

// hasBody reports whether more than the head of an answer is stored: of what is
// not text a crawl keeps the head alone.
func (l *Library) hasBody(ctx context.Context, c lookup.Found) bool {
	if c.Bytes >= surelyFull {
		return true
	}
	v, err := l.take(ctx, c.ID)
	if err != nil {
		return false
	}
	defer v.Release()
	return len(v.Payload) > 0
}

// needsOf returns what style sheets that were found need.
func (l *Library) needsOf(ctx context.Context, g *gathering, parts []replay.Part) (needs replay.Parts) {
	for _, p := range parts {
		id := g.ids[partKey(p)]
		if p.Kind != replay.Style || id == "" || g.read >= maxSheets {
			continue
		}
		v, err := l.take(ctx, id)
		if err != nil {
			continue
		}
		sheet := v.sheet()
		g.read += len(sheet.Text)
		of := sheet.Parts()
		needs.List, needs.More = append(needs.List, of.List...), needs.More+of.More
		v.Release()
	}
	return needs
}

// sheet returns a style sheet in UTF-8.
func (v volume) sheet() replay.Sheet {
	body, _ := v.Text() // as far as it goes
	text, _ := extract.Decode(v.ContentType(), body)
	return replay.Sheet{URL: v.url, Text: string(text)}
}

// ViewPart implements api.Viewer.
func (l *Library) ViewPart(ctx context.Context, id string, parts map[string]string) (api.ViewedPart, error) {
	leave, err := l.sit(ctx)
	if err != nil {
		return api.ViewedPart{}, err
	}
	defer leave()
	v, err := l.take(ctx, id)
	if err != nil {
		return api.ViewedPart{}, api.ErrNoCapture
	}
	defer v.Release()
	body, _ := v.Text() // a picture that was cut shows its beginning
	switch {
	case v.c.Status/100 != 2 || len(body) == 0:
	case v.MediaType == "text/css":
		text := v.sheet().Rewrite(replay.Places{Part: func(p replay.Part) string { return parts[partKey(p)] }})
		return api.ViewedPart{Kind: "text/css; charset=utf-8", Body: []byte(text)}, nil
	case isPicture(v.MediaType):
		return api.ViewedPart{Kind: v.MediaType, Body: bytes.Clone(body)}, nil
	default:
		if kind := fontKind(body); kind != "" {
			return api.ViewedPart{Kind: kind, Body: bytes.Clone(body)}, nil
		}
	}
	return api.ViewedPart{}, api.ErrNoCapture
}

// fontKind tells a font by its first bytes: servers name fonts in many ways.
func fontKind(body []byte) string {
	for mark, kind := range map[string]string{"wOFF": "font/woff", "wOF2": "font/woff2", "OTTO": "font/otf",
		"\x00\x01\x00\x00": "font/ttf", "true": "font/ttf"} {
		if bytes.HasPrefix(body, []byte(mark)) {
			return kind
		}
	}
	return ""
}
