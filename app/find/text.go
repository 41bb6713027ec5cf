package find

import (
	"fmt"
	"strings"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/plain"
	"github.com/forage-net/forage/crawl/words"
	"github.com/forage-net/forage/storage/index"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// stored is a page that was found, as the archive has it.
type stored struct {
	url      crawl.URL
	id       string
	time     time.Time
	response *fetch.Response
	body     []byte // its codings undone
	isPage   bool
	facts    extract.Page // what it says of itself, once that was read
}

// open reads a page from the archive. It is to be released.
func (f *Finder) open(at index.Place) (*stored, error) {
	s, err := warcfile.Read(f.cfg.Archive, position(at))
	if err != nil {
		return nil, err
	}
	u, err := crawl.ParseURL(s.URL)
	if err != nil {
		return nil, err
	}
	raw := s.Response
	if s.Revisit != nil {
		if raw, err = f.original(*s.Revisit); err != nil {
			return nil, err
		}
	}
	r, err := fetch.ParseResponse(u, raw)
	if err != nil {
		return nil, err
	}
	p := &stored{url: u, id: warcfile.ID(s.Position), time: s.Date, response: r}
	if p.body, err = r.Text(); err != nil && len(p.body) == 0 {
		r.Release()
		return nil, fmt.Errorf("read %s: %w", u, err)
	}
	p.isPage = extract.IsPage(r.ContentType(), p.body)
	return p, nil
}

func (p *stored) release() { p.response.Release() }

// read gives the words of the page to a reader, which may be nil, and returns what it says of itself.
func (p *stored) read(r *words.Reader) extract.Page {
	contentType, xRobots := p.response.ContentType(), p.response.Header.Values("X-Robots-Tag")
	if p.isPage {
		return extract.HTMLWords(p.url, contentType, xRobots, p.body, r)
	}
	if r != nil {
		text, _ := extract.Decode(contentType, p.body)
		r.Text(words.Body, text)
		r.Break()
	}
	return extract.Page{Wishes: extract.Asked(contentType, xRobots, nil)}
}

// has reports whether the page has all phrases. Its address counts.
func (p *stored) has(wanted *phrases) bool {
	wanted.Reset()
	r := words.Reader{Sink: wanted}
	p.read(&r)
	if wanted.all() {
		return true
	}
	r.Text(words.Address, []byte(p.url.String()))
	r.Break()
	addLetters(&r, p.url)
	return wanted.all()
}

// maxShown is how much of a page is looked through for a text to show, in bytes.
const maxShown = 128 << 10

// paragraphs returns the text of the page.
func (p *stored) paragraphs() []string {
	body := p.body[:min(len(p.body), maxShown)]
	decoded, _ := extract.Decode(p.response.ContentType(), body)
	read := plain.Plain
	if p.isPage {
		read = plain.HTML
	}
	text := read(decoded)
	list := make([]string, 0, len(text.Paragraphs))
	for _, q := range text.Paragraphs {
		list = append(list, strings.ReplaceAll(q.Text, "\n", " "))
	}
	return list
}
