package cli

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

// printStatus says what a node does and why, and how much it has done.
func printStatus(w io.Writer, lang language, s api.Status) error {
	fmt.Fprintln(w, printable(s.Sentence))
	if s.Remedy != "" {
		fmt.Fprintln(w, printable(s.Remedy))
	}
	running := s.PID != 0
	note := func(key string, args words.Args) string { return lang.text("status."+key+".note", args) }
	pages := note("pages", words.Args{"session": s.PagesSession, "rate": lang.rate(s.PagesPerS)})
	if !running { // what is of this moment means nothing
		pages = ""
	}
	network := note("network", words.Args{"received": lang.bytes(s.BytesReceived), "sent": lang.bytes(s.BytesSent)})
	requests := note("requests", words.Args{"leases": int64(s.Leases), "sockets": int64(s.Sockets)})
	rows := [][]string{
		{"pages", lang.number(s.Pages), pages},
		{"domains", lang.number(s.Domains), ""},
		{"urls", lang.number(s.Known), note("urls", words.Args{"queued": s.Queued})},
		{"network", s.Network, network},
		{"others", lang.number(int64(s.Connected)), swarmText(lang, s)},
		{"shards", lang.number(s.Leads), shardsText(lang, s)},
		{"requests", lang.number(int64(s.InFlight)), requests},
		{"archive", lang.bytes(s.ArchiveBytes), note("archive", words.Args{"folder": s.ArchiveDir})},
		{"index", indexSize(lang, s.Index), indexText(lang, s.Index)},
		{"disk", lang.bytes(s.DiskFree), note("disk", nil)},
	}
	if !running {
		rows = slices.DeleteFunc(rows, func(row []string) bool { return row[0] == "requests" || row[0] == "others" || row[0] == "shards" })
	}
	for _, row := range rows {
		row[0] = lang.text("status."+row[0], nil)
	}
	if err := facts(w, rows); err != nil {
		return err
	}
	if s.Admission != "" {
		fmt.Fprintln(w, s.Admission)
	}
	if s.Undone > 0 && s.UndoneAt != nil {
		fmt.Fprintln(w, lang.text("status.undone", words.Args{"count": s.Undone, "peer": shortID(s.UndonePeer), "time": s.UndoneAt.Local().Format(time.DateTime)}))
	}
	if s.Health.Sentence == "" {
		return nil
	}
	_, err := fmt.Fprintln(w, s.Health.Sentence)
	return err
}

// swarmText says what share this node has in its network.
func swarmText(lang language, s api.Status) string {
	if s.Connected == 0 && s.Members <= 1 {
		return lang.text("status.others.first", nil)
	}
	text := lang.text("status.others.note", words.Args{"members": int64(s.Members), "share": lang.percent(s.Share)})
	if s.Waiting > 0 {
		text += lang.text("status.others.waiting", words.Args{"items": int64(s.Waiting)})
	}
	return text
}

// shardsText says whether what this node leads is safe with others too.
func shardsText(lang language, s api.Status) string {
	text := ""
	switch {
	case s.Careful > 0:
		text = lang.text("status.shards.careful", words.Args{"careful": s.Careful})
	case s.Members <= 1:
		text = lang.text("status.shards.alone", nil)
	case s.Whole == s.Leads:
		text = lang.text("status.shards.whole", nil)
	default:
		text = lang.text("status.shards.missing", words.Args{"missing": s.Leads - s.Whole})
	}
	if s.Follows > 0 {
		text += lang.text("status.shards.follows", words.Args{"follows": s.Follows})
	}
	if s.CatchingUp > 0 {
		text += lang.text("status.shards.catching", words.Args{"catching": s.CatchingUp})
	}
	return text
}

func indexSize(lang language, x api.IndexStatus) string {
	if !x.On {
		return lang.text("status.index.off", nil)
	}
	return lang.bytes(x.Bytes)
}

// indexText says whether the text of all pages can be searched.
func indexText(lang language, x api.IndexStatus) string {
	pages := lang.text("status.index.pages", words.Args{"count": x.Pages})
	switch {
	case !x.On:
		return lang.text("status.index.off.note", nil)
	case x.Full:
		return lang.text("status.index.full", words.Args{"pages": pages})
	case x.Waiting > 0:
		return lang.text("status.index.waiting", words.Args{"pages": pages, "count": x.Waiting})
	}
	return pages
}
