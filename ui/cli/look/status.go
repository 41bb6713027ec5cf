// Package look holds the commands that only look: at a node that runs or, if none does, at its files.
package look

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

// NewStatus returns "forage status", which says what a node does, and why.
func NewStatus(e *env.Env) *cobra.Command {
	c := env.Command("status", "what Forage is doing, and why", 0, 0)
	return env.Does(c, func(ctx context.Context, _ []string) error {
		return e.Ask(ctx, func(s env.Source) error {
			st, err := s.StatusIn(ctx, e.Lang.Of())
			if err != nil {
				return err
			}
			return e.Show(st, func() error { return PrintStatus(e.Out, e.Lang, st) })
		})
	})
}

// PrintStatus says what a node does and why, and how much it has done.
func PrintStatus(w io.Writer, lang language.Language, s api.Status) error {
	fmt.Fprintln(w, console.Printable(s.Sentence))
	if s.Remedy != "" {
		fmt.Fprintln(w, console.Printable(s.Remedy))
	}
	running := s.PID != 0
	note := func(key string, args words.Args) string { return lang.Text("status."+key+".note", args) }
	pages := note("pages", words.Args{"session": s.PagesSession, "rate": lang.Rate(s.PagesPerS)})
	if !running { // what is of this moment means nothing
		pages = ""
	}
	network := note("network", words.Args{"received": lang.Bytes(s.BytesReceived), "sent": lang.Bytes(s.BytesSent)})
	requests := note("requests", words.Args{"leases": int64(s.Leases), "sockets": int64(s.Sockets)})
	rows := [][]string{
		{"pages", lang.Number(s.Pages), pages},
		{"domains", lang.Number(s.Domains), ""},
		{"urls", lang.Number(s.Known), note("urls", words.Args{"queued": s.Queued})},
		{"network", s.Network, network},
		{"others", lang.Number(int64(s.Connected)), swarmText(lang, s)},
		{"shards", lang.Number(s.Leads), shardsText(lang, s)},
		{"requests", lang.Number(int64(s.InFlight)), requests},
		{"archive", lang.Bytes(s.ArchiveBytes), note("archive", words.Args{"folder": s.ArchiveDir})},
		{"index", indexSize(lang, s.Index), indexText(lang, s.Index)},
		{"disk", lang.Bytes(s.DiskFree), note("disk", nil)},
	}
	if !running {
		ofRunning := []string{"requests", "others", "shards"}
		rows = slices.DeleteFunc(rows, func(row []string) bool { return slices.Contains(ofRunning, row[0]) })
	}
	for _, row := range rows {
		row[0] = lang.Text("status."+row[0], nil)
	}
	if err := console.Facts(w, rows); err != nil {
		return err
	}
	if s.Admission != "" {
		fmt.Fprintln(w, s.Admission)
	}
	if s.Undone > 0 && s.UndoneAt != nil {
		fmt.Fprintln(w, lang.Text("status.undone",
			words.Args{"count": s.Undone, "peer": language.ShortID(s.UndonePeer),
				"time": s.UndoneAt.Local().Format(time.DateTime)}))
	}
	if s.Health.Sentence == "" {
		return nil
	}
	_, err := fmt.Fprintln(w, s.Health.Sentence)
	return err
}

// swarmText says what share this node has in its network.
func swarmText(lang language.Language, s api.Status) string {
	if s.Connected == 0 && s.Members <= 1 {
		return lang.Text("status.others.first", nil)
	}
	text := lang.Text("status.others.note", words.Args{"members": int64(s.Members), "share": lang.Percent(s.Share)})
	if s.Waiting > 0 {
		text += lang.Text("status.others.waiting", words.Args{"items": int64(s.Waiting)})
	}
	return text
}

// shardsText says whether what this node leads is safe with others too.
func shardsText(lang language.Language, s api.Status) string {
	text := ""
	switch {
	case s.Careful > 0:
		text = lang.Text("status.shards.careful", words.Args{"careful": s.Careful})
	case s.Members <= 1:
		text = lang.Text("status.shards.alone", nil)
	case s.Whole == s.Leads:
		text = lang.Text("status.shards.whole", nil)
	default:
		text = lang.Text("status.shards.missing", words.Args{"missing": s.Leads - s.Whole})
	}
	if s.Follows > 0 {
		text += lang.Text("status.shards.follows", words.Args{"follows": s.Follows})
	}
	if s.CatchingUp > 0 {
		text += lang.Text("status.shards.catching", words.Args{"catching": s.CatchingUp})
	}
	return text
}

func indexSize(lang language.Language, x api.IndexStatus) string {
	if !x.On {
		return lang.Text("status.index.off", nil)
	}
	return lang.Bytes(x.Bytes)
}

// indexText says whether the text of all pages can be searched.
func indexText(lang language.Language, x api.IndexStatus) string {
	pages := lang.Text("status.index.pages", words.Args{"count": x.Pages})
	switch {
	case !x.On:
		return lang.Text("status.index.off.note", nil)
	case x.Full:
		return lang.Text("status.index.full", words.Args{"pages": pages})
	case x.Waiting > 0:
		return lang.Text("status.index.waiting", words.Args{"pages": pages, "count": x.Waiting})
	}
	return pages
}
