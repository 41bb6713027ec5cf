package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/apptest"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/doctor"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/ui/cli/clitest"
	"github.com/forage-net/forage/ui/cli/demo"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/start"
)

// fullNode answers everything with values in which nothing is left out.
type fullNode struct {
	api.Node
	boot string
}

// full returns a value of which every list and map has an element and every pointer leads somewhere.
func full[T any]() (v T) {
	fill(reflect.ValueOf(&v).Elem())
	return v
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		element := reflect.New(v.Type().Elem()).Elem()
		fill(element)
		v.SetMapIndex(reflect.ValueOf("x").Convert(v.Type().Key()), element)
	case reflect.String:
		v.SetString("x")
	}
}

func (n *fullNode) Status(context.Context) (api.Status, error) {
	s := full[api.Status]()
	s.BootID = n.boot
	return s, nil
}

func (n *fullNode) StatusIn(ctx context.Context, _ string) (api.Status, error) { return n.Status(ctx) }

func (n *fullNode) Domains(context.Context, string, int) ([]api.Domain, error) {
	return full[[]api.Domain](), nil
}

func (n *fullNode) Helping(context.Context) ([]api.Domain, error) { return nil, nil }

func (n *fullNode) Stats(context.Context, int) (api.Stats, error) { return full[api.Stats](), nil }

func (n *fullNode) Series(context.Context, api.SeriesQuery) (api.Series, error) {
	return full[api.Series](), nil
}

func (n *fullNode) Invitation(context.Context) (api.Invitation, error) {
	return full[api.Invitation](), nil
}

func (n *fullNode) Peers(context.Context) (api.Peers, error) { return full[api.Peers](), nil }

func (n *fullNode) Pause(context.Context, time.Duration) error { return nil }

func (n *fullNode) Away(context.Context) (api.Away, error) { return full[api.Away](), nil }

func (n *fullNode) SetRun(context.Context, api.RunMode) error { return nil }

func (n *fullNode) Work(context.Context, time.Duration) error { return nil }

func (n *fullNode) Resume(context.Context) error { return nil }

func (n *fullNode) Finish(context.Context) error { return nil }

func (n *fullNode) Stop(context.Context) error { return nil }

func (n *fullNode) Limits(context.Context, string) (api.Limits, error) {
	return full[api.Limits](), nil
}

func (n *fullNode) LimitHistory(context.Context) (api.LimitHistory, error) {
	return full[api.LimitHistory](), nil
}

func (n *fullNode) Why(context.Context, string) (api.Why, error) { return full[api.Why](), nil }

func (n *fullNode) Never(context.Context, string, bool) (api.NeverChange, error) {
	return full[api.NeverChange](), nil
}

func (n *fullNode) NeverList(context.Context) (api.NeverList, error) {
	return full[api.NeverList](), nil
}

func (n *fullNode) SearchArchive(context.Context, string, string, int) (api.SearchPage, error) {
	p := full[api.SearchPage]()
	p.Next = ""
	return p, nil
}

func (n *fullNode) LinksTo(context.Context, string, string, int) (api.LinksPage, error) {
	p := full[api.LinksPage]()
	p.Next = ""
	return p, nil
}

func (n *fullNode) Site(context.Context, string) (api.SiteSummary, error) {
	return full[api.SiteSummary](), nil
}

func (n *fullNode) Captures(context.Context, string, string, int) (api.CapturePage, error) {
	return full[api.CapturePage](), nil
}

func (n *fullNode) ViewCapture(context.Context, string, string) (api.ViewedPage, error) {
	return full[api.ViewedPage](), nil
}

func (n *fullNode) ViewPart(context.Context, string, map[string]string) (api.ViewedPart, error) {
	return full[api.ViewedPart](), nil
}

func (n *fullNode) FollowLink(context.Context, string, string, string) (string, api.ViewedPage, error) {
	return "", full[api.ViewedPage](), nil
}

func (n *fullNode) ReadCapture(context.Context, string, string) (api.ArchivedPage, error) {
	return full[api.ArchivedPage](), nil
}

func (n *fullNode) Requests(context.Context, api.RequestQuery) (api.RequestPage, error) {
	p := full[api.RequestPage]()
	p.Next = ""
	return p, nil
}

func (n *fullNode) Events(since uint64, _ int) ([]api.Event, uint64, bool) {
	if since > 0 {
		return nil, since, false
	}
	e := full[api.Event]()
	e.ID = 1
	return []api.Event{e}, 1, false
}

// jsonLines are the command lines whose output scripts rely on, beside a node that runs or, if they begin
// with "-", without one. A verb that prints no JSON is in noJSON.
var jsonLines = []string{
	"status", "dashboard", "domains", "why x.test", "peers", "invite", "log", "log --requests", "stats", "stats --days", "find x", "links x.test", "site x.test", "read http://x.test/", "limits", "limits --history", "pause", "pause 1h", "resume", "resume --for 2m", "mode", "away", "finish", "stop",
	"never example.org", "never --list", "- version", "- paths", "- get", "- get disk.max", "- set disk.max=3GB", "- consent --yes", "- consent",
	"- join " + testInvite, "- autostart", "- export --format warc OUT", "- export --format wacz OUT", "- export --format cdxj OUT",
	"- export --format links OUT", "- export --format pages OUT", "- export --format graph OUT", "- import OUT/x.warc", "- erase --yes", "- help", "- help export",
}

const testInvite = "forage:lab-main?a=/ip4/192.0.2.7/tcp/4001/p2p/12D3KooWD3bfmNbuuuVCYwkjnFt3ukm3qaB3hDED3peHHXawvRAi&c=51031a7d"

// noJSON are verbs that print no JSON, or whose keys are taken from what they would print.
var noJSON = []string{"run", "demo", "doctor", "completion", "man", "password"}

// keysIn adds the keys of a JSON value, each with its kind, to a set.
func keysIn(at string, v any, keys map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			keysIn(strings.TrimPrefix(at+"."+k, "."), x, keys)
		}
	case []any:
		keys[at] = "list"
		for _, x := range v {
			keysIn(at+"[]", x, keys)
		}
	case string:
		keys[at] = "text"
	case float64:
		keys[at] = "number"
	case bool:
		keys[at] = "true or false"
	case nil:
		if keys[at] == "" {
			keys[at] = "null"
		}
	}
}

func TestJSON_KeysAreStable(t *testing.T) {
	away := t.TempDir() // of a user who has set nothing up
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, filepath.Join(away, name))
	}
	running, resting, out := t.TempDir(), t.TempDir(), t.TempDir()
	serve(t, running, func(boot string) api.Node { return &fullNode{boot: boot} })
	archiveOnePage(t, resting)
	apptest.Roomy(t, config.Paths{Config: filepath.Join(resting, "config.toml")})
	if err := os.WriteFile(filepath.Join(out, "x.warc"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, line := range jsonLines {
		home, args := running, line
		if rest, is := strings.CutPrefix(line, "- "); is {
			home, args = resting, strings.ReplaceAll(rest, "OUT", out)
		}
		var stdout, stderr bytes.Buffer
		if code := Main(append(strings.Fields(args), "--json", "--home", home), &stdout, &stderr); code != env.ExitOK {
			t.Errorf("forage %s ends with %d: %s", line, code, stderr.String())
			continue
		}
		keys := make(map[string]string)
		for dec := json.NewDecoder(&stdout); dec.More(); {
			var v any
			if err := dec.Decode(&v); err != nil {
				t.Fatalf("forage %s: %v", line, err)
			}
			keysIn("", v, keys)
		}
		writeKeys(&all, strings.TrimPrefix(line, "- "), keys)
	}
	// These take too long to be run here.
	writeKeys(&all, "", keysOf(t, full[start.Opened]()))
	writeKeys(&all, "COMMAND that fails", keysOf(t, full[complaint]()))
	writeKeys(&all, "demo", keysOf(t, full[demo.Result]()))
	writeKeys(&all, "doctor", keysOf(t, full[doctor.Report]()))
	clitest.Golden(t, "json_keys.txt", all.String())
}

// keysOf returns the keys of a value as JSON.
func keysOf(t *testing.T, value any) map[string]string {
	t.Helper()
	text, err := json.Marshal(value)
	var v any
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	keys := make(map[string]string)
	keysIn("", v, keys)
	return keys
}

func writeKeys(b *strings.Builder, line string, keys map[string]string) {
	fmt.Fprintln(b, strings.TrimSpace("forage "+strings.ReplaceAll(line, testInvite, "LINE")), "--json")
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		fmt.Fprintf(b, "  %-40s %s\n", strings.TrimPrefix(k, "."), keys[k])
	}
	b.WriteString("\n")
}

// Whoever adds a verb says what its JSON is.
func TestJSON_EveryVerb(t *testing.T) {
	for _, v := range newRoot(new(env.Env)).Commands() {
		asked := slices.Contains(noJSON, v.Name())
		for _, line := range jsonLines {
			asked = asked || strings.Fields(strings.TrimPrefix(line, "- "))[0] == v.Name()
		}
		if !asked {
			t.Errorf("nothing holds the keys of \"forage %s --json\": add it to jsonLines, or to noJSON", v.Name())
		}
	}
}

// archiveOnePage makes a home with an archive.
func archiveOnePage(t *testing.T, home string) {
	t.Helper()
	e := &env.Env{Home: home}
	if err := e.FindPaths(); err != nil {
		t.Fatal(err)
	}
	if err := e.Paths.Create(); err != nil {
		t.Fatal(err)
	}
	archivePages(t, e.Paths.WARC(), 1)
	if err := os.WriteFile(e.Paths.Config, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// archivePages writes an archive of so many pages.
func archivePages(t *testing.T, dir string, n int) {
	t.Helper()
	a, err := warc.Open(warc.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
		c := capture.Capture{
			URL: fmt.Sprintf("https://example.org/%d", i), Date: time.Date(2026, 1, 2, 3, 4, i%60, i, time.UTC), IP: "192.0.2.1",
			Request:  []byte("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"),
			Response: []byte(head + "<title>A page</title><a href=/other>another</a>"), HeadLen: len(head), MIME: "text/html", Status: 200,
		}
		if _, err := a.Append(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}
