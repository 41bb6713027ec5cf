package look

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

// NewRead returns "forage read", which prints an archived page.
func NewRead(e *env.Env) *cobra.Command {
	c := env.Command("read URL", "read an archived page as plain text", 1, 1)
	links := c.Flags().Bool("links", false, "print the links of the page too")
	return env.Does(c, func(ctx context.Context, rest []string) error {
		lib, err := librarian(e)
		if err != nil {
			return err
		}
		id, err := latest(ctx, lib, rest[0])
		if err != nil {
			return err
		}
		page, err := lib.ReadCapture(ctx, id, e.Lang.Of())
		if err != nil {
			return err
		}
		if e.JSON {
			if page.Paragraphs == nil {
				page.Paragraphs = []api.Paragraph{}
			}
			if page.Links == nil {
				page.Links = []string{}
			}
			return console.JSON(e.Out, page)
		}
		if err := printPage(e.Out, e.Lang, page); err != nil || !*links {
			return err
		}
		for _, l := range page.Links {
			if _, err := fmt.Fprintln(e.Out, console.Printable(l)); err != nil {
				return err
			}
		}
		return nil
	})
}

// latest returns the capture to read for a URL: the newest that was answered,
// else the newest.
func latest(ctx context.Context, lib api.Librarian, url string) (id string, err error) {
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
		return "", words.New("cli.read.none", words.Args{"url": url})
	}
	return id, nil
}

// printPage writes a page as text for a terminal.
func printPage(w io.Writer, lang language.Language, p api.ArchivedPage) error {
	var b strings.Builder
	if p.Title != "" {
		fmt.Fprintln(&b, console.Printable(p.Title))
	}
	fmt.Fprintf(&b, "%s\n%s\n", console.Printable(p.URL),
		lang.Text("read.visited", words.Args{"time": p.Time.Local().Format(time.DateTime),
			"status": fmt.Sprint(p.Status), "type": console.Printable(p.MIME)}))
	for i, para := range p.Paragraphs {
		if para.Kind != "li" || i == 0 || p.Paragraphs[i-1].Kind != "li" {
			b.WriteByte('\n')
		}
		switch para.Kind {
		case "pre":
			for line := range strings.Lines(para.Text) {
				fmt.Fprintln(&b, "    "+console.Printable(line))
			}
		case "li":
			b.WriteString(wrapped("  * ", "    ", para.Text))
		case "p":
			b.WriteString(wrapped("", "", para.Text))
		default:
			mark := strings.Repeat("#", int(para.Kind[len(para.Kind)-1]-'0')) + " "
			b.WriteString(wrapped(mark, mark, para.Text))
		}
	}
	if p.Cut {
		fmt.Fprintf(&b, "\n%s\n", lang.Text("read.cut", nil))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// wrapped breaks text into lines, of which the first begins like this and the others like that, in as many columns.
func wrapped(first, others, text string) string {
	lines := console.Wrap(strings.Fields(console.Printable(text)), console.LineWidth-len(first))
	return first + strings.Join(lines, "\n"+others) + "\n"
}
