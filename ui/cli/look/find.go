package look

import (
	"context"
	"errors"
	"os"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

const (
	// maxFind is how many results one command prints at most, perCall how many are asked for at once.
	maxFind = 1000
	perCall = 100
)

// librarian is asked by find, links, site and read: the node that runs here or, if none
// does, its files.
func librarian(e *env.Env) (api.Librarian, error) {
	client, err := e.Dial()
	if err == nil {
		return client, nil
	}
	if !errors.Is(err, api.ErrNotRunning) {
		return nil, err
	}
	if _, err := os.Stat(e.Paths.WARC()); errors.Is(err, os.ErrNotExist) {
		return nil, e.NeverRan()
	}
	return library.Open(e.Paths), nil
}

// NewFind returns "forage find", which searches the archive.
func NewFind(e *env.Env) *cobra.Command {
	c := env.Command("find WORDS...", "search your archive", 1, 32)
	limit := c.Flags().Int("limit", 20, "print at most `N` pages, 1 to 1000")
	return env.Does(c, func(ctx context.Context, words []string) error {
		if err := checkLimit(*limit); err != nil {
			return err
		}
		lib, err := librarian(e)
		if err != nil {
			return err
		}
		all, err := search(ctx, lib, queryOf(words), *limit)
		if err != nil {
			return err
		}
		if e.JSON {
			err = console.JSON(e.Out, all)
		} else {
			err = printFound(console.NewPrinter(e.Out), e.Lang, all)
		}
		if err == nil && len(all.Results) == 0 {
			err = ErrNoneFound
		}
		return err
	})
}

// ErrNoneFound ends a search that has said itself that it found nothing. Its exit code is 1, like that of grep.
var ErrNoneFound = errors.New("nothing found")

// filledResults makes JSON say [] instead of null.
func filledResults(list []api.SearchResult) []api.SearchResult {
	for i := range list {
		if list[i].Snippet == nil {
			list[i].Snippet = []api.SnippetPiece{}
		}
	}
	return list
}

func checkLimit(limit int) error {
	if limit < 1 || limit > maxFind {
		return env.OutOfRange("limit", limit, 1, 1000)
	}
	return nil
}

// AsWords puts words with one dash, which are unwanted in pages, where no flags are looked for. Flags of find have two.
func AsWords(args []string) []string {
	var flags, unwanted []string
	for i, arg := range args {
		switch {
		case arg == "--":
			return append(append(append(flags, "--"), unwanted...), args[i+1:]...)
		case len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && arg != "-h" && arg != "-help":
			unwanted = append(unwanted, arg)
		default:
			flags = append(flags, arg)
		}
	}
	return append(append(flags, "--"), unwanted...)
}

// queryOf makes a query of arguments. The shell took the quotes off a phrase: they are put around it again.
func queryOf(args []string) string {
	list := make([]string, len(args))
	for i, arg := range args {
		list[i] = arg
		if isPhrase(arg) {
			list[i] = `"` + strings.TrimSpace(arg) + `"`
		}
	}
	return strings.Join(list, " ")
}

// isPhrase reports whether an argument is several plain words, none of which means something in a query.
func isPhrase(arg string) bool {
	fields := strings.Fields(arg)
	for _, word := range fields {
		if word[0] == '-' || strings.ContainsAny(word, `":`) {
			return false
		}
	}
	return len(fields) > 1
}

// search asks for pages until there are as many as wanted, or no more.
func search(ctx context.Context, lib api.Searcher, query string, limit int) (api.SearchPage, error) {
	all := api.SearchPage{Results: []api.SearchResult{}}
	for from := ""; ; {
		page, err := lib.SearchArchive(ctx, query, from, min(limit-len(all.Results), perCall))
		if err != nil {
			return all, err
		}
		page.Results = append(all.Results, filledResults(page.Results)...)
		if all, from = page, page.Next; from == "" || len(all.Results) >= limit {
			return all, nil
		}
	}
}

// printFound writes an address at the beginning of a line, so that other programs find it, and what there is to say
// about it below.
func printFound(p console.Printer, lang language.Language, all api.SearchPage) error {
	if all.Some && len(all.Results) > 0 {
		p.Line("", lang.Text("find.some", nil))
	}
	for _, r := range all.Results {
		p.Line("", console.Printable(r.URL))
		p.Line("    ", r.Time.Local().Format("2006-01-02 15:04")+"  "+titleOr(lang, r.Title))
		p.Wrapped("      ", marked(r.Snippet))
		p.Wrapped("      ", console.Printable(notesOn(lang, r)))
	}
	if text := foundText(lang, all); text != "" {
		p.Line("", text)
	}
	if all.Waiting > 0 {
		key := "find.waiting"
		if all.Full {
			key = "find.full"
		}
		p.Line("", lang.Text(key, words.Args{"count": all.Waiting}))
	}
	return p.Flush()
}

func titleOr(lang language.Language, title string) string {
	if title = console.Printable(title); title == "" {
		return lang.Text("find.untitled", nil)
	}
	return title
}

// notesOn says what else there is to know about a result.
func notesOn(lang language.Language, r api.SearchResult) string {
	var notes []string
	if r.Copies > 0 {
		notes = append(notes, lang.Text("find.copies", words.Args{"count": r.Copies}))
	}
	if r.MoreOfSite > 0 {
		notes = append(notes, lang.Text("find.ofsite", words.Args{"count": r.MoreOfSite, "domain": r.Domain}))
	}
	if r.Links > 0 {
		notes = append(notes, lang.Text("find.links", words.Args{"count": r.Links, "domain": r.Domain}))
	}
	return strings.Join(notes, " · ")
}

// foundText says how much was found.
func foundText(lang language.Language, all api.SearchPage) string {
	switch {
	case len(all.Results) == 0 && !all.Off && all.Pages == 0 && all.Waiting == 0:
		return lang.Text("find.none.yet", nil)
	case len(all.Results) == 0 && all.Off:
		return lang.Text("find.none.off", nil)
	case len(all.Results) == 0:
		return lang.Text("find.none", words.Args{"count": all.Pages})
	case all.Off && all.Next != "":
		return lang.Text("find.more.off", nil)
	case all.Off:
		return lang.Text("find.all.off", nil)
	case all.Next != "" && all.More:
		return lang.Text("find.more.over", words.Args{"count": all.Total})
	case all.Some && all.Next == "":
		return "" // what there is to say stands above
	case all.Next != "":
		return lang.Text("find.more", words.Args{"count": all.Total})
	}
	return lang.Text("find.all", words.Args{"count": all.Total})
}

// marked returns the text of a snippet with marks around each word that the query named.
func marked(pieces []api.SnippetPiece) string {
	var b strings.Builder
	for _, p := range pieces {
		inWord := false
		for _, r := range p.Text {
			blank := unicode.IsSpace(r)
			if p.Match && blank == inWord {
				b.WriteRune(map[bool]rune{true: console.MarkEnd, false: console.MarkBegin}[inWord])
				inWord = !inWord
			}
			if blank {
				r = ' '
			}
			b.WriteString(console.Printable(string(r)))
		}
		if inWord {
			b.WriteRune(console.MarkEnd)
		}
	}
	return b.String()
}
