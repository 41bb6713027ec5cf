package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

func runRead(ctx context.Context, e *env, args []string) error {
	fs := e.flags("read")
	links := fs.Bool("links", false, "print the links of the page too")
	rest, err := e.parse(fs, args, 1, 1)
	if err != nil {
		return done(err)
	}
	lib, err := e.librarian()
	if err != nil {
		return err
	}
	id, err := latest(ctx, lib, e.lang, rest[0])
	if err != nil {
		return err
	}
	page, err := lib.ReadCapture(ctx, id, e.lang.of())
	if err != nil {
		return err
	}
	if e.json {
		if page.Paragraphs == nil {
			page.Paragraphs = []api.Paragraph{}
		}
		if page.Links == nil {
			page.Links = []string{}
		}
		return printJSON(e.out, page)
	}
	if err := printPage(e.out, e.lang, page); err != nil || !*links {
		return err
	}
	for _, l := range page.Links {
		if _, err := fmt.Fprintln(e.out, printable(l)); err != nil {
			return err
		}
	}
	return nil
}

// latest returns the capture to read for a URL: the newest that was answered,
// else the newest.
func latest(ctx context.Context, lib api.Librarian, lang language, url string) (id string, err error) {
	for before := ""; ; {
		page, err := lib.Captures(ctx, url, before, 100)
		if err != nil {
			return "", err
		}
		for _, c := range page.Captures {
			if c.Status/100 == 2 {
				return c.ID, nil
			}
			if id == "" {
				id = c.ID
			}
		}
		if before = page.Next; before == "" || id != "" && len(page.Captures) > 0 {
			break
		}
	}
	if id == "" {
		return "", errors.New(lang.text("read.none", words.Args{"url": url}))
	}
	return id, nil
}

// lineWidth is how wide text is printed, in characters: what is read with ease.
const lineWidth = 78

// printPage writes a page as text for a terminal.
func printPage(w io.Writer, lang language, p api.ArchivedPage) error {
	var b strings.Builder
	if p.Title != "" {
		fmt.Fprintln(&b, printable(p.Title))
	}
	fmt.Fprintf(&b, "%s\n%s\n", printable(p.URL), lang.text("read.visited", words.Args{"time": p.Time.Local().Format(time.DateTime), "status": fmt.Sprint(p.Status), "type": printable(p.MIME)}))
	for i, para := range p.Paragraphs {
		if para.Kind != "li" || i == 0 || p.Paragraphs[i-1].Kind != "li" {
			b.WriteByte('\n')
		}
		switch para.Kind {
		case "pre":
			for line := range strings.Lines(para.Text) {
				fmt.Fprintln(&b, "    "+printable(line))
			}
		case "li":
			wrap(&b, lineWidth, "  * ", "    ", printable(para.Text))
		case "p":
			wrap(&b, lineWidth, "", "", printable(para.Text))
		default:
			mark := strings.Repeat("#", int(para.Kind[len(para.Kind)-1]-'0')) + " "
			wrap(&b, lineWidth, mark, mark, printable(para.Text))
		}
	}
	if p.Cut {
		fmt.Fprintf(&b, "\n%s\n", lang.text("read.cut", nil))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// wrap writes words in lines of at most so many characters, if no word is longer.
func wrap(b *strings.Builder, width int, first, others, text string) {
	line, n := first, len(first)
	empty := true
	for _, word := range strings.Fields(text) {
		k := len([]rune(word))
		if !empty && n+1+k > width {
			fmt.Fprintln(b, line)
			line, n, empty = others, len(others), true
		}
		if !empty {
			line += " "
			n++
		}
		line += word
		n, empty = n+k, false
	}
	fmt.Fprintln(b, line)
}
