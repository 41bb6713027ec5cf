package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
)

// The sentence, the reasons and the words agree, in each language and each state a node can tell of itself.
func TestStatus_Sentences(t *testing.T) {
	s := startSettler(t, "")
	in := func(lang string) api.Status {
		t.Helper()
		st, err := s.api.StatusIn(t.Context(), lang)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	before := func() {}
	says := func(what, en, de string) {
		t.Helper()
		s.until(what, func() error {
			before()
			if st := in("en"); !strings.HasPrefix(st.Sentence, en) {
				return fmt.Errorf("it says %q for %s %q, want %q", st.Sentence, st.State, st.Reasons, en)
			}
			if st := in("de"); !strings.HasPrefix(st.Sentence, de) {
				return fmt.Errorf("it says %q for %s %q, want %q", st.Sentence, st.State, st.Reasons, de)
			}
			return nil
		})
	}
	says("that nobody agreed", "Resting until you agree. ", "Ruht, bis Sie zustimmen. ")
	if st := in("de"); st.Consent || len(st.Reasons) != 1 || st.Reasons[0] != st.Sentence {
		t.Errorf("%+v", st)
	}
	if err := s.api.Agree(t.Context(), api.Agreement{Agree: true, ConnectionIsMine: true}); err != nil {
		t.Fatal(err)
	}
	says("that all is visited", "Everything found so far has been visited.", "Alles bisher Gefundene ist besucht.")
	if st := in("en"); !st.Consent || len(st.Reasons) != 1 || st.Reasons[0] != "Everything found so far has been visited" {
		t.Errorf("%+v", st)
	}
	if err := s.api.Pause(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	says("the pause", "Paused by you until ", "Von Ihnen angehalten bis ")
	if err := s.api.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.until("its shards to be open", func() error { // which ends trouble
		if in("en").Leads == 0 {
			return errors.New("it leads none")
		}
		return nil
	})
	before = func() { s.node.governor.SetTrouble(os.ErrPermission) } // what is saved meanwhile ends it
	says("trouble", "Needs a look: Forage cannot save what it learns (permission denied).", "Braucht Aufmerksamkeit: Forage kann seine Daten nicht speichern (permission denied).")
	before = func() {}
	s.node.governor.SetTrouble(nil)
	for f, begin := range map[string]string{"status.reason.standby": "In Bereitschaft: ", "status.reason.silent": "Ruht. "} {
		if got := s.node.Sentence("de", []limiter.Cause{{Key: f}}); !strings.HasPrefix(got, begin) || !strings.HasSuffix(got, ".") {
			t.Errorf("it says %q", got)
		}
	}

	// What is under way cannot be waited for: its sentence is made of the same parts.
	s.until("the page of the site", func() error {
		if got := s.node.PagesSentence("en"); got != "One page in the last minute, from one site." {
			return fmt.Errorf("it says %q", got)
		}
		return nil
	})
	if got := s.node.Sentence("en", nil); !strings.HasPrefix(got, "Working at full speed") && got != "Working. One page in the last minute, from one site." {
		t.Errorf("at work it says %q", got)
	}
	s.node.Tally.Rate.Add(1233)
	if st := in("en"); st.PagesSession != st.Pages {
		t.Errorf("%d pages since the start, %d in all, on the first day", st.PagesSession, st.Pages)
	}
	s.node.Tally.Sites.Add("b.test")
	if got, want := s.node.PagesSentence("de"), "1.234 Seiten in der letzten Minute, von 2 Websites."; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	offline := []limiter.Cause{{Key: "status.wait.offline"}}
	if got := s.node.Sentence("en", offline); got != "No site can be reached. Is this computer online?" {
		t.Errorf("it says %q", got)
	}
	due := []limiter.Cause{{Key: "status.wait.until", At: time.Date(2030, 1, 2, 3, 4, 5, 0, time.Local)}}
	if got := s.node.Sentence("de", due); got != "Die Websites haben gerade Pause. Nächster Besuch am 2. Januar 2030 um 03:04 Uhr." {
		t.Errorf("it says %q", got)
	}
	s.node.governor.Stop()
	says("the end", "Stopping. ", "Wird beendet. ")
}

// No text of the status, of the setup or of consent is without use: its key, or the last part of it, stands in the program.
func TestWords_AreUsed(t *testing.T) {
	var source strings.Builder
	for _, pattern := range []string{"*.go", "config/*.go", "limiter/*.go", "never/*.go", "nodeapi/*.go", "settings/*.go",
		"settings/schema/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
	}
	for key := range words.Keys(words.English) {
		group, rest, _ := strings.Cut(key, ".")
		rest = strings.TrimSuffix(strings.TrimSuffix(rest, ".one"), ".other")
		last := rest[strings.LastIndexByte(rest, '.')+1:]
		first, _, _ := strings.Cut(rest, ".")
		switch group {
		case "status", "setup", "consent", "refusal", "domain":
		default:
			continue
		}
		found := false
		for _, literal := range []string{`"` + group + "." + rest + `"`, `"` + rest + `"`, `"` + last + `"`, `"` + first + `."`, `"` + group + "." + first + `."`} {
			found = found || strings.Contains(source.String(), literal)
		}
		if tail := strings.TrimPrefix(rest, "fact."); !found && !strings.Contains(source.String(), `"`+tail+`"`) && !strings.HasSuffix(rest, ".never") && !strings.HasSuffix(rest, ".unknown") {
			t.Errorf("%s stands nowhere in the program", key)
		}
	}
}

// A node that no site gives a page to does not say that it works, until one does.
func TestStatus_EverySiteRefuses(t *testing.T) {
	s := startSettler(t, "")
	s.node.joined.Store(true) // it waits for consent: nothing else happens
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	tell := func(r crawl.Result, n int) {
		for range n {
			at = at.Add(time.Minute)
			s.node.health.Answered(&crawl.Outcome{Domain: "a.test", Result: r, Date: at})
		}
	}
	says := func(when string, t nodeapi.Totals, want string) {
		s.t.Helper()
		if got := s.node.Sentence("en", []limiter.Cause{s.node.WaitsFor(t)}); got != want {
			s.t.Errorf("%s it says %q, want %q", when, got, want)
		}
	}
	some, lent := nodeapi.Totals{Totals: totalsOf(1, 1)}, nodeapi.Totals{Totals: totalsOf(0, 1), Leases: 1}
	const refused = "Needs a look. The last 20 requests were refused. Sites may block your address: try without a VPN or proxy."
	const look = "Needs a look. The last 21 requests brought no page. Check your internet connection, VPN, proxy and firewall."
	tell(crawl.Refused, 19)
	says("before", some, "Giving sites a break.")
	tell(crawl.Refused, 1)
	says("when all refused", some, refused)
	says("with the last ones lent", lent, refused)
	tell(crawl.Failed, 1)
	says("when one did not answer", some, look)
	says("when nothing is left", nodeapi.Totals{Totals: totalsOf(0, 1)}, "Everything found so far has been visited.")
	tell(crawl.Unchanged, 1)
	tell(crawl.Refused, 1)
	says("after an answer", some, "Giving sites a break.")
}

func totalsOf(queued, known uint64) (t frontier.Totals) {
	t.Queued, t.Known = queued, known
	return t
}
