package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/assets/words"
	warcexport "github.com/forage-net/forage/storage/warc/export"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

// exportAnswer is what export has written. What a format has none of is 0.
type exportAnswer struct {
	Format string `json:"format"`
	// Path is the file, for warc and graph the directory. stats.json stands beside that of stats.
	Path string `json:"path"`
	// Files counts those written again, of so many Bytes in all.
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// Lines counts those of the index, of links, of pages, of edges of the graph, or of domains.
	Lines    int `json:"lines"`
	Captures int `json:"captures"`
	Pages    int `json:"pages"`
	// Domains counts the vertices of the graph.
	Domains int `json:"domains"`
	// LeftOut counts captures that ask to be left out: by noindex, by noai or noimageai, or by a TDM reservation.
	LeftOut         int `json:"left_out"`
	LeftOutNoIndex  int `json:"left_out_noindex"`
	LeftOutNoAI     int `json:"left_out_noai"`
	LeftOutReserved int `json:"left_out_reserved"`
	// Damaged says which files of the archive could be read in part only.
	Damaged []string `json:"damaged"`
}

// exportJob is what a command line asks export to write.
type exportJob struct {
	format, title string
	path          string // where to: a directory, or a file of pages
	all           bool
}

func newExport(e *env.Env) *cobra.Command {
	c := env.Command("export --format FORMAT DIR", "export what was fetched", 1, 1)
	fs := c.Flags()
	var job exportJob
	fs.StringVar(&job.format, "format", "", "what to write: `warc|wacz|cdxj|links|pages|graph|stats`")
	fs.StringVar(&job.title, "title", "", "title of the package, for the format wacz: any `TEXT`")
	fs.BoolVar(&job.all, "all", false, "include pages with noai or a TDM reservation")
	return env.Does(c, func(ctx context.Context, rest []string) error {
		job.path = rest[0]
		if err := checkExport(e, job); err != nil {
			return err
		}
		watched, unwatch := e.Watched(ctx)
		answer, err := exportAs(watched, e, job)
		unwatch()
		if errors.Is(err, context.Canceled) {
			return words.New("said.cli.the-export-was-stopped", nil)
		}
		if err != nil {
			return err
		}
		answer.Format = job.format
		for _, damage := range answer.Damaged {
			fmt.Fprintln(e.Err, "forage:", e.Lang.Text("export.damaged", words.Args{"error": damage}))
		}
		return e.Answer(answer, exportedText(e, answer))
	})
}

// checkExport finds out what is wrong with a job before anything is written.
func checkExport(e *env.Env, job exportJob) error {
	switch {
	case job.title != "" && job.format != "wacz":
		return env.Usage("said.cli.title-goes-with-wacz", nil)
	case job.all && job.format == "stats":
		return env.Usage("said.cli.all-does-not-go-with-stats", nil)
	}
	switch job.format {
	case "warc", "wacz", "cdxj", "links", "pages", "graph":
		if _, err := os.Stat(e.Paths.WARC()); errors.Is(err, os.ErrNotExist) {
			return e.NeverRan()
		}
	}
	return nil
}

// exportAs writes out what was fetched in a format, and says what it has written.
func exportAs(ctx context.Context, e *env.Env, job exportJob) (exportAnswer, error) {
	switch job.format {
	case "warc":
		return exportWARC(ctx, e, job)
	case "wacz":
		return exportWACZ(ctx, e, job)
	case "cdxj":
		done, err := export.AsCDXJ(ctx, e.Paths, filepath.Join(job.path, "index.cdxj"), job.all)
		return fileAnswer(e, done), err
	case "links":
		done, err := export.AsLinks(ctx, e.Paths, filepath.Join(job.path, "links.tsv"), job.all)
		return fileAnswer(e, done), err
	case "pages":
		done, err := export.AsPages(ctx, e.Paths, pagesFile(job.path), job.all)
		a := fileAnswer(e, done)
		a.Pages = a.Lines
		return a, err
	case "graph":
		return exportGraph(ctx, e, job)
	case "stats":
		return exportStats(ctx, e, job)
	case "":
		return exportAnswer{}, env.Usage("said.cli.say-which-format", nil)
	}
	return exportAnswer{}, env.Usage("said.api.there-is-no-format-there-are",
		words.Args{"name": strconv.Quote(job.format)})
}

// pagesFile returns the file for pages: the one that is named, or one in the
// directory that is.
func pagesFile(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() || path != "" && os.IsPathSeparator(path[len(path)-1]) {
		return filepath.Join(path, "pages.jsonl")
	}
	return path
}

// fileAnswer says what is in the file of an export.
func fileAnswer(e *env.Env, done export.Written) exportAnswer {
	a := exportAnswer{Path: done.File, Lines: done.Lines, Damaged: texts(e.Lang, done.Damaged)}
	a.leaveOut(done.LeftOut)
	a.addFiles(done.File)
	return a
}

// addFiles counts the files that were written.
func (a *exportAnswer) addFiles(files ...string) {
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			a.Files++
			a.Bytes += info.Size()
		}
	}
}

// leaveOut notes what was left out.
func (a *exportAnswer) leaveOut(l warcexport.LeftOut) {
	a.LeftOut, a.LeftOutNoIndex, a.LeftOutNoAI, a.LeftOutReserved = l.Total(), l.NoIndex, l.NoAI, l.Reserved
}

// exportWARC copies the files of the archive.
func exportWARC(ctx context.Context, e *env.Env, job exportJob) (exportAnswer, error) {
	done, err := export.AsWARC(ctx, e.Paths, job.path, job.all)
	a := exportAnswer{Path: job.path, Files: done.Files, Bytes: done.Bytes, Damaged: texts(e.Lang, done.Damaged)}
	a.leaveOut(done.LeftOut)
	return a, err
}

// exportWACZ writes a package.
func exportWACZ(ctx context.Context, e *env.Env, job exportJob) (exportAnswer, error) {
	done, err := export.AsWACZ(ctx, e.Paths, job.path, job.title, time.Now(), job.all)
	if errors.Is(err, export.ErrNothingArchived) {
		err = words.New("said.cli.forage-run-fetches-pages", words.Args{"error": err})
	}
	a := exportAnswer{Path: done.File, Files: 1, Bytes: done.Bytes, Captures: done.Captures, Pages: done.Pages,
		Damaged: texts(e.Lang, done.Damaged)}
	a.leaveOut(done.LeftOut)
	return a, err
}

// exportGraph writes which domains link to which.
func exportGraph(ctx context.Context, e *env.Env, job exportJob) (exportAnswer, error) {
	done, err := export.AsGraph(ctx, e.Paths, job.path, job.all)
	a := exportAnswer{Path: job.path, Lines: done.Edges, Domains: done.Vertices, Damaged: texts(e.Lang, done.Damaged)}
	a.leaveOut(done.LeftOut)
	if err == nil {
		a.addFiles(filepath.Join(job.path, "vertices.txt.gz"), filepath.Join(job.path, "edges.txt.gz"))
	}
	return a, err
}

// exportStats writes what the node has counted.
func exportStats(ctx context.Context, e *env.Env, job exportJob) (exportAnswer, error) {
	a := exportAnswer{Damaged: []string{}}
	err := e.Ask(ctx, func(s env.Source) (err error) {
		a.Lines, a.Path, err = export.AsStats(ctx, s, job.path)
		return err
	})
	if err == nil {
		a.addFiles(a.Path, filepath.Join(job.path, "stats.json"))
	}
	return a, err
}

// texts returns what errors say, never nil.
func texts(lang language.Language, errs []error) []string {
	list := make([]string, len(errs))
	for i, err := range errs {
		list[i] = lang.Said(err)
	}
	return list
}

// exportedText says what was written, for people.
func exportedText(e *env.Env, a exportAnswer) string {
	key, args := "export.lines", words.Args{"count": a.Lines, "path": a.Path, "size": e.Lang.Bytes(a.Bytes)}
	switch a.Format {
	case "warc":
		key, args["count"] = "export.warc", a.Files
	case "wacz":
		key, args["count"], args["pages"] = "export.wacz", a.Captures, a.Pages
	case "pages":
		key = "export.pages"
	case "graph":
		key, args["count"], args["links"] = "export.graph", a.Domains, a.Lines
	}
	text := e.Lang.Text(key, args)
	if a.LeftOut > 0 {
		text += "\n" + e.Lang.Text("export.left_out", words.Args{"count": a.LeftOut, "why": whyLeftOut(e, a)})
	}
	return text
}

// whyLeftOut says for how many captures which wish was followed.
func whyLeftOut(e *env.Env, a exportAnswer) string {
	var why []string
	for _, part := range []struct {
		key   string
		count int
	}{
		{"export.why.noindex", a.LeftOutNoIndex}, {"export.why.noai", a.LeftOutNoAI},
		{"export.why.reserved", a.LeftOutReserved},
	} {
		if part.count > 0 {
			why = append(why, e.Lang.Text(part.key, words.Args{"number": part.count}))
		}
	}
	return strings.Join(why, ", ")
}
