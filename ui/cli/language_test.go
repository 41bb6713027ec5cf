package cli

import (
	"bytes"
	"context"
	"go/ast"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/doctor"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/ui/cli/clitest"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
	"github.com/forage-net/forage/ui/cli/look"
)

// TestMain has the tests speak English, whatever whoever runs them speaks.
func TestMain(m *testing.M) {
	if err := os.Setenv("LC_ALL", "C"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// speaker says in each language which it was asked in.
type speaker struct {
	fullNode
}

func (s *speaker) Status(ctx context.Context) (api.Status, error) {
	return s.StatusIn(ctx, words.English)
}

func (s *speaker) StatusIn(ctx context.Context, lang string) (api.Status, error) {
	st, err := s.fullNode.Status(ctx)
	st.Sentence = "Status in " + lang + "."
	return st, err
}

func (s *speaker) Limits(_ context.Context, lang string) (api.Limits, error) {
	return api.Limits{Level: "off", Footing: "silent", Mode: "off", Sentence: "Limits in " + lang + "."}, nil
}

func (s *speaker) LimitHistory(ctx context.Context) (api.LimitHistory, error) {
	return api.LimitHistory{Summary: []string{"History in " + api.Lang(ctx) + "."}}, nil
}

// The environment chooses the language, of text and of the sentences in JSON; what programs read stays.
func TestMain_SpeaksTheLanguageOfTheUser(t *testing.T) {
	home := t.TempDir()
	serve(t, home, func(boot string) api.Node { return &speaker{fullNode{boot: boot}} })
	for _, c := range []struct{ all, lang, args, want string }{
		{"", "de_DE.UTF-8", "status", "Status in de."},
		{"", "de_DE.UTF-8", "status --json", `"sentence": "Status in de."`},
		{"", "de_DE.UTF-8", "limits",
			"Limits in de.\n\nStufe        aus\nBeteiligung  ruht\nModus        aus bis „forage resume“\n"},
		{"", "de_AT", "limits --json", `"level": "off"`}, {"", "de_AT", "limits --json", `"sentence": "Limits in de."`},
		{"", "de", "limits --history", "History in de."}, {"", "de", "pause", "Angehalten bis „forage resume“."},
		{"", "de", "resume", "Status in de."},
		{"", "de", "pause --json", `"done": "paused"`}, {"", "de", "resume --for 2m", "Limits in de."},
		{"", "de", "finish", "Bringt Angefangenes zu Ende"},
		{"", "fr_FR.UTF-8", "status", "Status in en."}, {"C", "de_DE.UTF-8", "status", "Status in en."},
		{"de_DE", "C", "status", "Status in de."},
		{"", "", "limits", "Limits in en.\n\nlevel          off\nparticipation  resting\nmode           off until \"forage resume\"\n"},
		{"", "", "pause", "Paused until \"forage resume\"."},
	} {
		t.Setenv("LC_ALL", c.all)
		t.Setenv("LC_MESSAGES", "")
		t.Setenv("LANG", c.lang)
		var out, errs bytes.Buffer
		if code := Main(append(strings.Fields(c.args), "--home", home), &out, &errs); code != env.ExitOK ||
			!strings.Contains(out.String(), c.want) {
			t.Errorf("LC_ALL=%s LANG=%s forage %s ends with %d and prints\n%s%s, want %q in it", c.all, c.lang,
				c.args, code, out.String(), errs.String(), c.want)
		}
	}
}

func TestExplain_InGerman(t *testing.T) {
	e := &env.Env{Lang: "de"}
	for _, c := range []struct {
		err  error
		want string
	}{
		{api.ErrNotRunning, "Hier läuft kein Forage; „forage“ startet es"},
		{storage.ErrLocked, "der Speicher ist in einem anderen Prozess offen; anscheinend läuft Forage: „forage status“ sagt mehr"},
		{os.ErrPermission, "permission denied"}, // of the operating system: as it says it
	} {
		if got := e.Explain(c.err); got != c.want {
			t.Errorf("explain(%v) = %q, want %q", c.err, got, c.want)
		}
	}
	if _, err := durationOf(e, "soon"); err == nil ||
		e.Explain(err) != `"soon" ist keine Dauer; schreiben Sie 30m, 3h, 2d oder morgen` ||
		env.CodeOf(err) != env.ExitUsage {
		t.Errorf("duration = %v", err)
	}
}

// reasonSamples are reasons as a node tells them.
func reasonSamples(lang language.Language, now time.Time) (list []api.LimitReason) {
	for _, r := range []limits.Reason{
		{Kind: limits.PausedByUser, Since: now.Add(-time.Hour), Until: now.Add(2 * time.Hour)},
		{Kind: limits.OutsideHours, Since: now.Add(-3 * time.Hour), Until: now.Add(26 * time.Hour)},
	} {
		list = append(list, api.LimitReason{Kind: r.Kind.String(),
			Sentence: tell.Reason(r, lang.Of(), now)})
	}
	return list
}

// What the commands print that tell reasons, in both languages.
func TestLanguages_AsWritten(t *testing.T) {
	now := time.Date(2026, 3, 4, 21, 30, 0, 0, time.Local)
	until := time.Date(2031, 1, 2, 3, 4, 0, 0, time.Local)
	status := api.Status{
		Identity: api.Identity{PID: 1, Network: "main"},
		Progress: api.Progress{Pages: 12345, PagesSession: 1234, PagesPerS: 2.34, BytesReceived: 5e9,
			BytesSent: 1500},
		Backlog:    api.Backlog{Domains: 1200, Known: 99999, Queued: 4321, Waiting: 7},
		Membership: api.Membership{Connected: 3, Members: 4, Share: 0.251},
		Redone:     api.Redone{Undone: 12, UndonePeer: mouthID, UndoneAt: &until},
		Shards:     api.Shards{Leads: 2, Whole: 1, Follows: 3, CatchingUp: 1},
		InFlight:   5,
		Leases:     6,
		Sockets:    17,
		Holdings:   api.Holdings{ArchiveBytes: 1234567, ArchiveDir: "/archive", DiskFree: 5e10},
		Index:      api.IndexStatus{On: true, Pages: 12000, Bytes: 5e6, Waiting: 340},
	}
	report := doctor.Report{Areas: []doctor.Area{
		{Name: "settings", Verdict: doctor.OK, Summary: "no file"},
		{Name: "node", Verdict: doctor.OK, Summary: "not running"},
		{Name: "archive", Verdict: doctor.Problem, Summary: "2 files", Findings: []doctor.Finding{
			{Verdict: doctor.Problem,
				Text: `a.warc.gz at 12: damaged record. "forage doctor" without --dry-run repairs this.`},
			{Verdict: doctor.OK, Text: "something unheard of"},
		}},
		{Name: "index", Verdict: doctor.Repaired, Summary: "12 pages, 1 segment, 5.0 MB", Findings: []doctor.Finding{
			{Verdict: doctor.Repaired,
				Text: "The search index is damaged: 00000003.segment, part 2: wrong checksum; made again from the archive."},
			{Verdict: doctor.OK,
				Text: "About 1200 pages of the archive are not in it yet. The node adds them while it runs."},
		}},
	}}
	history := api.LimitHistory{Summary: []string{"-"},
		Minutes: []api.LimitMinute{{Start: until, Seconds: 60, Level: "full",
			Figures: []api.LimitFigure{{Name: "cpu_percent", Limit: 25, Mean: 7.25, Max: 24}}}}}
	for _, lang := range []language.Language{"en", "de"} {
		var b bytes.Buffer
		reasons := reasonSamples(lang, now)
		status.Sentence = reasons[0].Sentence
		l := api.Limits{
			Level: "off", Footing: "silent", Sentence: reasons[0].Sentence, Reasons: reasons, Mode: "off",
			Until: &until, Changes: &until, Fault: "config.toml:7",
			Budgets: []api.LimitBudget{
				{Name: "cpu_percent", Unit: "%", Limit: 25, Now: 3.14, Minute: -1, Hour: 12.6, Month: 7.5},
				{Name: "down_kbit", Unit: "kbit/s", Limit: -1},
			},
			Quotas: []api.LimitQuota{{Name: "data.day", Used: 1500, Limit: 1e9},
				{Name: "data.month", Used: 1500, Limit: -1}},
		}
		if err := look.PrintStatus(&b, lang, status); err != nil {
			t.Fatal(err)
		}
		for _, x := range []api.IndexStatus{{}, {On: true, Full: true, Pages: 1, Bytes: 1000},
			{On: true, Pages: 3, Bytes: 1000}} {
			if err := look.PrintStatus(&b, lang, api.Status{Index: x}); err != nil {
				t.Fatal(err)
			}
		}
		b.WriteString("\n---\n")
		look.WriteLimits(&b, lang, l)
		b.WriteString("\n---\n")
		look.WriteHistory(&b, lang, history)
		b.WriteString("\n---\n")
		if err := printReport(&b, lang, report); err != nil {
			t.Fatal(err)
		}
		clitest.Golden(t, "reasons_"+string(lang)+".txt", b.String())
	}
}

// Each key that is asked for exists, and each that exists is asked for.
func TestWords_AreThereAndUsed(t *testing.T) {
	texts := make(map[string]bool)
	for _, file := range sourceFiles(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, _ := strconv.Unquote(lit.Value)
				texts[strings.TrimPrefix(text, "cli.")] = true
			}
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
				sel, is := call.Fun.(*ast.SelectorExpr)
				lit, constant := call.Args[0].(*ast.BasicLit)
				if is && constant && (sel.Sel.Name == "Text" || sel.Sel.Name == "Tell") &&
					!strings.Contains(lit.Value, " ") {
					if key, _ := strconv.Unquote(lit.Value); words.Text("en", "cli."+key, nil) == "cli."+key &&
						!strings.HasSuffix(key, ".") {
						t.Errorf("there are no words for cli.%s (assets/words/*/cli.json)", key)
					}
				}
			}
			return true
		})
	}
	for key := range words.Keys(words.English) {
		rest, ours := strings.CutPrefix(key, "cli.")
		if !ours {
			continue
		}
		rest = strings.TrimSuffix(strings.TrimSuffix(rest, ".one"), ".other")
		kind, word, _ := strings.Cut(strings.TrimSuffix(rest, ".note"), ".")
		switch kind {
		case "state", "level", "footing", "mode", "verdict", "area", "event", "code", "allowed": // what nodes say
			word = kind
		}
		if !texts[rest] && !texts[word] {
			t.Errorf("%s is asked for nowhere", key)
		}
	}
}
