package never

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/scope"
)

// neverOptions are the configuration of a list in settings that are the text.
func neverOptions(t *testing.T, text string) Config {
	t.Helper()
	paths, err := config.Resolve(t.TempDir(), func(string) string { return "" }, runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	if err := paths.Create(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(paths.Config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(paths.Config)
	if err != nil {
		t.Fatal(err)
	}
	return Config{File: paths.Config, Settings: cfg, Domains: neverDomains, Tell: func(api.Event) {}}
}

// neverDomains lists domains as Node.Domains does.
func neverDomains(_ context.Context, after string, limit int) ([]api.Domain, error) {
	var list []api.Domain
	for _, d := range []api.Domain{
		{Domain: "a.org", Queued: 1}, {Domain: "example.com", Queued: 7}, {Domain: "example.org", Queued: 123}, {Domain: "example.orga", Queued: 5},
	} {
		if d.Domain > after && len(list) < limit {
			list = append(list, d)
		}
	}
	return list, nil
}

func reason(t *testing.T, r *scope.Refusals, url string) string {
	t.Helper()
	u, err := crawl.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	if why := r.Reason(u); why != nil {
		return why.Error()
	}
	return ""
}

func TestRefusing_ChangesAtOnceAndForGood(t *testing.T) {
	opts := neverOptions(t, "[sites]\nnever = [\n  'b.org', # of old\n]\n[tld]\nnever = ['zip']\n[topics]\nnever = ['gambling'] # no\n")
	var told []api.Event
	opts.Tell = func(e api.Event) { told = append(told, e) }
	r, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		undo bool
		want api.NeverChange
		file string // the list after it
	}{
		{"https://www.example.org/x?y#z", false,
			api.NeverChange{Pattern: "example.org", Never: true, Changed: true, Queued: 123,
				Text: "This computer will not visit example.org. 123 pages in its queue stay there."},
			"'b.org', # of old\n  \"example.org\","},
		{"EXAMPLE.org", false,
			api.NeverChange{Pattern: "example.org", Never: true, Queued: 123,
				Text: "example.org was already on your list. This computer does not visit it. 123 pages in its queue stay there."},
			"'b.org', # of old\n  \"example.org\","},
		{"www.a.org/shop", false,
			api.NeverChange{Pattern: "www.a.org/shop", Never: true, Changed: true, Text: "This computer will not visit www.a.org/shop."},
			"'b.org', # of old\n  \"example.org\",\n  \"www.a.org/shop\","},
		{"a.org", false,
			api.NeverChange{Pattern: "a.org", Never: true, Changed: true, Queued: 1,
				Text: "This computer will not visit a.org. 1 page in its queue stays there."},
			"'b.org', # of old\n  \"example.org\",\n  \"www.a.org/shop\",\n  \"a.org\","},
		{"www.a.org/shop", true,
			api.NeverChange{Pattern: "www.a.org/shop", Never: true, Changed: true,
				Text: "www.a.org/shop is off your list, but still not visited: you asked never to visit it."},
			"'b.org', # of old\n  \"example.org\",\n  \"a.org\","},
		{"b.org", true,
			api.NeverChange{Pattern: "b.org", Changed: true, Text: "b.org may be visited from this computer again, within a day."},
			"[\n  \"example.org\",\n  \"a.org\",\n]"},
		{"http://example.org/", true,
			api.NeverChange{Pattern: "example.org", Changed: true, Queued: 123, Text: "example.org may be visited from this computer again, within a day."},
			"[\n  \"a.org\",\n]"},
	} {
		told = nil
		got, err := r.Never(t.Context(), c.text, c.undo)
		if err != nil || got != c.want {
			t.Errorf("Never(%q, %v) = %+v, %v, want %+v", c.text, c.undo, got, err, c.want)
		}
		text, err := os.ReadFile(opts.File)
		if err != nil || !strings.Contains(string(text), c.file) || !strings.Contains(string(text), "never = ['gambling'] # no\n") {
			t.Errorf("after Never(%q, %v) the file is\n%s, %v, want in it %q", c.text, c.undo, text, err, c.file)
		}
		if refused := reason(t, r.Refusals(), "http://"+c.want.Pattern) != ""; refused != c.want.Never {
			t.Errorf("after Never(%q, %v) it is refused: %v", c.text, c.undo, refused)
		}
		if (len(told) == 1) != c.want.Changed || len(told) == 1 && (told[0].Said(words.English) != got.Text || strings.ContainsAny(told[0].Domain, "/*")) {
			t.Errorf("after Never(%q, %v) the events are %+v", c.text, c.undo, told)
		}
	}
	if got := reason(t, r.Refusals(), "https://my-casino.com/"); got != "topic: gambling" {
		t.Errorf("the topic is refused because %q", got)
	}
	list, err := r.NeverList(t.Context())
	if err != nil || !slices.Equal(list.Sites, []string{"a.org"}) || !slices.Equal(list.TLDs, []string{"zip"}) ||
		!slices.Equal(list.Topics, []string{"gambling"}) || len(list.Builtin) != len(scope.Builtin()) || list.BuiltinVersion != scope.BuiltinVersion() {
		t.Errorf("NeverList = %+v, %v", list, err)
	}
}

func TestRefusing_SaysWhatIsWrong(t *testing.T) {
	opts := neverOptions(t, "")
	r, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		undo bool
		want string
	}{
		{"a b", false, `"a b" is neither a domain (example.org) nor a host with a path (example.org/docs/*)`},
		{"com", false, `"com" is not the domain of a site; for a whole top-level domain there is tld.never`},
		{"https://", false, `"https://" is not a web address`},
		{"a.org", true, `a.org is not on your list; "forage never --list" shows it`},
		{"web.archive.org", true, "web.archive.org is on the built-in list (an endless mirror of other sites), which is always in force"},
	} {
		_, err := r.Never(t.Context(), c.text, c.undo)
		var bad *api.InputError
		if !errors.As(err, &bad) || err.Error() != c.want {
			t.Errorf("Never(%q, %v): %v, want %s", c.text, c.undo, err, c.want)
		}
		if _, err := Change(t.Context(), opts.File, c.text, c.undo, neverDomains); !errors.As(err, &bad) || err.Error() != c.want {
			t.Errorf("without a node: Never(%q, %v): %v, want %s", c.text, c.undo, err, c.want)
		}
	}
	if _, err := New(Config{Settings: config.Config{Topics: config.Topics{Never: []string{"x"}}}}); err == nil {
		t.Error("an unknown topic is taken")
	}
}

// What the user asked for holds, even if it cannot be written down.
func TestRefusing_HoldsWithoutItsFile(t *testing.T) {
	opts := neverOptions(t, "")
	r, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(opts.File, []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "a.org is not visited from this computer, but only until Forage stops: it could not be saved: "
	if _, err := r.Never(t.Context(), "a.org", false); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Never = %v, want %s…", err, want)
	}
	if got := reason(t, r.Refusals(), "https://a.org/"); got == "" {
		t.Error("a.org may be visited")
	}
	if text, err := os.ReadFile(opts.File); err != nil || string(text) != "nonsense\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
	want = "a.org may be visited from this computer again, but only until Forage stops: it could not be saved: "
	if _, err := r.Never(t.Context(), "a.org", true); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Never = %v, want %s…", err, want)
	}
	if got := reason(t, r.Refusals(), "https://a.org/"); got != "" {
		t.Errorf("a.org is refused: %s", got)
	}
}

// What the user wrote into the file since the start is not undone.
func TestRefusing_TakesOverWhatTheFileHoldsByNow(t *testing.T) {
	opts := neverOptions(t, "sites.never = ['a.org']\n")
	r, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(opts.File, []byte("sites.never = ['A.org', '*.b.org']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Never(t.Context(), "c.org", false); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"https://a.org/", "https://x.b.org/", "https://c.org/"} {
		if reason(t, r.Refusals(), url) == "" {
			t.Errorf("%s may be visited", url)
		}
	}
	// However it is spelt in the file, it is found.
	for _, name := range []string{"a.org", "b.org", "c.org"} {
		if _, err := r.Never(t.Context(), name, true); err != nil {
			t.Errorf("undo %s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(opts.File); err != nil || string(text) != "sites.never = []\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

func TestRefusing_IsSafeForConcurrentUse(t *testing.T) {
	opts := neverOptions(t, "")
	r, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for j := range 5 {
				if _, err := r.Never(t.Context(), fmt.Sprintf("s%d-%d.org", i, j), false); err != nil {
					t.Error(err)
				}
				r.Refusals().Domain("a.org")
				if _, err := r.NeverList(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	cfg, err := config.Load(opts.File)
	if err != nil || len(cfg.Sites.Never) != 20 {
		t.Errorf("%d sites in the file, %v, want 20", len(cfg.Sites.Never), err)
	}
}

func TestRefusing_MarksDomains(t *testing.T) {
	r, err := New(neverOptions(t, "sites.never = ['example.org', 'a.org/x']\n"))
	if err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("the disk is gone")
	list, err := neverDomains(t.Context(), "", 10)
	list, err = r.Mark("en")(list, errors.Join(err, wrong))
	for _, d := range list {
		want := api.Domain{Domain: d.Domain, Queued: d.Queued}
		if d.Domain == "example.org" {
			want.State, want.Reason = api.DomainRefused, "you asked never to visit it"
		}
		if d != want {
			t.Errorf("%+v, want %+v", d, want)
		}
	}
	if !errors.Is(err, wrong) || len(list) != 4 {
		t.Errorf("%d domains, %v", len(list), err)
	}
}

func TestNever_WithoutANode(t *testing.T) {
	opts := neverOptions(t, "# mine\n")
	got, err := Change(t.Context(), opts.File, "https://www.example.org/x", false, nil)
	if want := "This computer will not visit example.org."; err != nil || got.Text != want || !got.Changed {
		t.Errorf("Change = %+v, %v, want %s", got, err, want)
	}
	list, err := Listed(opts.File, "en")
	if err != nil || !slices.Equal(list.Sites, []string{"example.org"}) || len(list.Builtin) == 0 {
		t.Errorf("Listed = %+v, %v", list, err)
	}
	if got, err := Change(t.Context(), opts.File, "example.org", true, nil); err != nil || got.Never || !got.Changed {
		t.Errorf("undo = %+v, %v", got, err)
	}
	text, err := os.ReadFile(opts.File)
	if err != nil || string(text) != "# mine\n\n[sites]\nnever = []\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
	// Where nothing is yet, the file is made.
	opts.File = filepath.Join(t.TempDir(), "config.toml")
	if _, err := Change(t.Context(), opts.File, "example.org", false, nil); err != nil {
		t.Error(err)
	}
}
