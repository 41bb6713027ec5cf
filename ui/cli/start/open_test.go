package start

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/autostart"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/settings"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/clitest"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/open"
)

// What is too long, or needs a screen, for TestSpoken_AsWritten.
func TestSpoken_Rest(t *testing.T) {
	seeds := badSeeds(t)
	var b strings.Builder
	missed := &open.EndedError{Code: 1, Log: "/s/window.log"}
	for _, o := range []open.Outcome{{Shown: open.ShownWindow}, {Shown: open.ShownDashboard, Missed: missed},
		{Shown: open.ShownNothing}} {
		b.WriteString(openedText("de", true, false, o, " --home /h"))
	}
	e := &env.Env{Out: &b, Err: &b, Lang: "de", Home: "/h"}
	printSummary(e, api.Status{Progress: api.Progress{PagesSession: 1200, Pages: 5000},
		Backlog:  api.Backlog{Domains: 7, Known: 99999, Queued: 3},
		Holdings: api.Holdings{ArchiveBytes: 1500, ArchiveDir: "/h/data/warc"}})
	late := words.New("said.sensor.call", words.Args{"name": "/api/status", "error": context.DeadlineExceeded})
	_, invite := membership.ParseInvite("forage:nonsense")
	_, home := config.Resolve("", func(string) string { return "" }, "linux")
	for _, err := range []error{
		words.New("said.cli.forage-run-fetches-pages", words.Args{"error": export.ErrNothingArchived}),
		words.New("said.cli.leave-service-out", words.Args{"error": autostart.ErrUnsupported}),
		words.New("said.cli.the-two-are-not-the-same", nil), invite, home, seeds, late, context.Canceled,
	} {
		b.WriteString(e.Explain(err) + "\n")
	}
	clitest.Golden(t, "shown_de.txt", b.String())
	if word := clitest.EnglishWords.FindString(clitest.QuotedText.ReplaceAllString(b.String(), "")); word != "" {
		t.Errorf("it says %q", word)
	}
}

// badSeeds returns what is wrong with a file of seeds beside the user.
func badSeeds(t *testing.T) error {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	defer t.Chdir(here)
	if err := os.WriteFile("ftp.txt", []byte("#\n#\nftp://x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = settings.ReadSeeds([]string{"ftp.txt"})
	return err
}
