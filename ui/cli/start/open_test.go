package start

import (
	"errors"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/cli/clitest"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/open"
)

// What is too long, or needs a screen, for TestSpoken_AsWritten.
func TestSpoken_Rest(t *testing.T) {
	var b strings.Builder
	missed := &open.EndedError{Code: 1, Log: "/s/window.log"}
	missed.Reason = missed.Error()
	for _, o := range []open.Outcome{{Shown: open.ShownWindow}, {Shown: open.ShownDashboard, Missed: missed},
		{Shown: open.ShownNothing}} {
		b.WriteString(openedText("de", true, false, o, " --home /h"))
	}
	e := &env.Env{Out: &b, Err: &b, Lang: "de", Home: "/h"}
	printSummary(e, api.Status{Progress: api.Progress{PagesSession: 1200, Pages: 5000},
		Backlog:  api.Backlog{Domains: 7, Known: 99999, Queued: 3},
		Holdings: api.Holdings{ArchiveBytes: 1500, ArchiveDir: "/h/data/warc"}})
	for _, text := range []string{
		"export: nothing has been archived yet; \"forage run\" or \"forage demo\" fetches pages",
		"autostart: a service is not there on this system; leave --service out",
		"autostart: \"/a b\" cannot be started by the system: it is too long",
		"this home holds a crawl of another network: of \"a\", not of \"b\"; use another --home, or \"forage erase\" it first",
		"the two are not the same; nothing was changed",
		"not a valid invite: part of it got lost or changed; copy the whole line again",
		"this node has no address that others could reach; \"forage peers\" tells more",
		"HOME is not set; say where to keep the files with --home DIR",
		"seeds.txt:3: scheme is not http or https: \"ftp://x\"", "call /api/status: context deadline exceeded",
	} {
		b.WriteString(e.Explain(errors.New(text)) + "\n")
	}
	clitest.Golden(t, "shown_de.txt", b.String())
	if word := clitest.EnglishWords.FindString(clitest.QuotedText.ReplaceAllString(b.String(), "")); word != "" {
		t.Errorf("it says %q", word)
	}
}
