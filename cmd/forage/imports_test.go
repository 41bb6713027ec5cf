package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const module = "github.com/forage-net/forage/"

// layers says which of our packages each may import: cmd → ui, app; ui → app;
// app → p2p, crawl, storage; p2p and crawl/* → crawl, storage, and know nothing of each other. The longest
// matching prefix counts. What is not listed may import nothing of ours.
var layers = map[string][]string{
	"cmd/forage":                     {"ui/"},
	"cmd/forage-window":              {"app", "assets", "ui/"},
	"cmd/papers":                     {"cmd/papers/", "crawl", "p2p/ring", "storage"},
	"cmd/papers/lab":                 {"cmd/papers/draw", "cmd/papers/rival", "cmd/papers/rtt", "cmd/papers/web", "crawl", "p2p/ring"},
	"cmd/papers/nearness":            {"cmd/papers/", "crawl", "p2p/ring"},
	"cmd/papers/rtt":                 {},
	"cmd/papers/draw":                {},
	"cmd/papers/rival":               {},
	"cmd/papers/web":                 {},
	"cmd/papers/sim":                 {"cmd/papers/rival", "cmd/papers/web", "crawl", "p2p/ring", "storage"},
	"ui/":                            {"app", "assets", "crawl", "storage", "ui/"},
	"ui/locale":                      {"app/limits", "assets"},
	"ui/ring":                        {"app/api", "assets/hues", "ui/orbit", "ui/ring/"},
	"ui/ring/":                       {"app/api", "assets/hues", "ui/ring/"},
	"ui/tray":                        {"app", "assets", "storage/durable"},
	"ui/desktop":                     {"app/api", "app/config", "assets", "ui/desktop/", "ui/ring"},
	"ui/desktop/":                    {"app/api", "app/config", "assets", "ui/desktop/", "ui/ring"},
	"ui/desktop/look":                {},
	"ui/desktop/layouts":             {},
	"ui/desktop/texts":               {},
	"ui/desktop/week":                {"ui/desktop/"},
	"ui/desktop/controls":            {"ui/desktop/boxes", "ui/desktop/look", "ui/desktop/texts"},
	"ui/desktop/desktest":            {"app/api", "app/config", "app/settings/schema", "assets/words", "ui/desktop/", "ui/pictest"},
	"ui/desktop/desk":                {"app/api", "ui/desktop/shown", "ui/desktop/speech"},
	"ui/desktop/speech":              {"app/api", "assets", "ui/desktop/shown"},
	"ui/desktop/boxes":               {"ui/desktop/layouts", "ui/desktop/look", "ui/desktop/texts"},
	"assets":                         {"assets"},
	"cmd/practice":                   {"app/demo"},
	"cmd/recall":                     {"app/recall"},
	"cmd/adversary":                  {"app/swarm", "crawl", "p2p", "storage"},
	"app":                            {"app/", "assets", "crawl", "p2p", "storage"},
	"app/swarm":                      {"app/swarm/checks", "app/swarm/index", "app/swarm/slots", "crawl", "p2p", "storage"},
	"app/swarm/index":                {"crawl", "p2p", "storage"},
	"app/swarm/slots":                {"crawl", "p2p"},
	"app/swarm/checks":               {"crawl", "p2p/codec"},
	"app/api":                        {"assets"},
	"app/api/client":                 {"app/api", "app/api/descriptor", "app/api/events"},
	"app/api/conns":                  {},
	"app/api/descriptor":             {"app/api/conns", "app/api/secret", "storage/durable"},
	"app/api/dashboard":              {},
	"app/api/events":                 {"app/api", "assets"},
	"app/api/hosts":                  {"app/api/conns"},
	"app/api/metrics":                {"app/api"},
	"app/api/password":               {"assets", "storage/durable"},
	"app/api/secret":                 {},
	"app/api/server":                 {"app/api", "assets"},
	"app/api/session":                {"app/api/secret", "storage/durable"},
	"app/api/sharing":                {"app/api"},
	"app/apptest":                    {"app/config", "crawl", "storage"},
	"app/autostart":                  {"app/config", "storage/durable"},
	"app/away":                       {},
	"app/claims":                     {"p2p/pulse", "crawl", "storage/durable"},
	"app/bandwidth":                  {},
	"app/clock":                      {"storage"},
	"app/config":                     {"app/config/", "app/limits", "assets", "crawl", "storage/durable"},
	"app/config/toml":                {},
	"app/absence":                    {"app/api", "app/away", "app/library", "app/stats", "assets", "crawl", "p2p/pulse", "storage"},
	"app/doctor":                     {"app/api", "app/claims", "app/clock", "app/config", "app/find", "app/ledger", "app/library", "app/nodeapi", "app/sense", "app/settings", "crawl", "p2p", "storage"},
	"app/api/certificate":            {"storage/durable"},
	"app/door":                       {"app/api", "app/config", "app/settings", "p2p/pulse"},
	"app/erase":                      {"app/api", "app/claims", "app/config", "app/export", "app/find", "app/ledger", "app/library", "app/membership", "app/requestlog", "crawl", "p2p", "storage"},
	"app/journal":                    {"app/api", "app/claims", "app/clock", "app/limiter", "app/stats", "app/swarm", "assets", "crawl", "p2p"},
	"app/nodeapi":                    {"app/absence", "app/api", "app/clock", "app/config", "app/erase", "app/export", "app/find", "app/health", "app/journal", "app/ledger", "app/library", "app/limiter", "app/limits", "app/membership", "app/never", "app/requestlog", "app/settings", "app/stats", "app/swarm", "assets", "crawl", "p2p", "storage"},
	"app/recaller":                   {"app/limits", "app/membership", "app/recall", "crawl", "p2p", "storage"},
	"app/requestlog":                 {"app/api", "app/journal", "app/limits", "app/membership", "app/swarm/checks", "assets", "crawl", "storage"},
	"app/export":                     {"app/api", "app/config", "app/ledger", "app/sense", "crawl", "storage"},
	"app/find":                       {"app/api", "crawl", "storage"},
	"app/footing":                    {"app/limits", "app/membership", "p2p"},
	"app/health":                     {"app/api", "assets", "crawl", "storage"},
	"app/library":                    {"app/api", "app/config", "app/find", "app/health", "app/never", "crawl", "storage"},
	"app/limiter":                    {"app/api", "app/bandwidth", "app/clock", "app/config", "app/footing", "app/limits", "app/pace", "app/promise", "app/resident", "app/sense", "assets", "crawl", "p2p/pulse", "storage"},
	"app/limits":                     {},
	"app/limits/tell":                {"app/limits", "assets"},
	"app/ledger":                     {"app/api", "app/config", "app/find", "app/limits", "app/never", "app/sense", "app/stats", "crawl", "storage"},
	"app/membership":                 {"app/api", "app/bandwidth", "app/config", "crawl", "p2p", "storage"},
	"app/never":                      {"app/api", "app/config", "assets", "crawl", "p2p/pulse"},
	"app/pace":                       {"p2p/pulse"},
	"app/recall":                     {},
	"app/promise":                    {"app/limits", "assets", "storage"},
	"app/release":                    {"assets"},
	"p2p/pulse":                      {},
	"app/sense":                      {"app/sense/", "p2p/pulse"},
	"app/sense/":                     {"app/sense/local"},
	"app/sense/ladder":               {"app/sense/local", "p2p/pulse"},
	"app/settings":                   {"app/api", "app/config", "app/limiter", "app/limits", "app/membership", "app/never", "app/sense", "app/settings/schema", "assets", "crawl", "p2p/pulse"},
	"app/settings/schema":            {"app/api", "app/config", "app/limits", "assets/words", "crawl/scope"},
	"app/settings/schema/schematest": {"app/api"},
	"app/stats":                      {"app/api", "app/away", "crawl", "p2p/pulse", "storage"},
	"app/demo":                       {"app/demo/", "assets", "crawl"},
	"app/demo/":                      {},
	"p2p":                            {"crawl", "p2p/"},
	"p2p/":                           {"crawl", "storage"},
	"p2p/peerhost":                   {"crawl", "p2p/peerhost/"},
	"p2p/peerhost/":                  {"p2p/peerhost/sockets", "storage/durable"},
	"p2p/wire":                       {"crawl"},
	"p2p/flood":                      {},
	"p2p/members":                    {"crawl", "p2p/ring", "p2p/roster"},
	"p2p/history":                    {"p2p/roster"},
	"p2p/vouches":                    {"p2p/calls", "p2p/pulse", "p2p/roster", "p2p/signed", "p2p/wire"},
	"p2p/codec":                      {"crawl", "p2p/ring"},
	"p2p/stream":                     {"crawl", "p2p/codec", "p2p/ring", "storage"},
	"p2p/record":                     {"crawl", "p2p/codec", "p2p/ring", "p2p/stream"},
	"p2p/raftlog":                    {"crawl", "p2p/stream"},
	"p2p/message":                    {"p2p/codec", "p2p/record", "p2p/ring", "p2p/stream"},
	"p2p/shard":                      {"crawl", "p2p/codec", "p2p/message", "p2p/raftlog", "p2p/record", "p2p/ring", "p2p/stream"},
	"p2p/group":                      {"crawl", "p2p/codec", "p2p/raftlog", "p2p/record", "p2p/shard", "p2p/stream"},
	"p2p/layout":                     {"crawl", "p2p/ring", "p2p/shard", "p2p/stream"},
	"p2p/driver":                     {"crawl", "p2p/calls", "p2p/group", "p2p/raftlog", "p2p/stream", "p2p/wire", "storage"},
	"p2p/p2ptest":                    {"p2p/"},
	"p2p/ring":                       {},
	"p2p/requests":                   {"crawl", "p2p/calls", "p2p/members", "p2p/roster", "p2p/wire"},
	"p2p/roster":                     {"p2p/signed"},
	"p2p/signed":                     {},
	"crawl/":                         {"crawl"},
	"crawl/frontier":                 {"crawl", "crawl/frontier/", "storage"},
	"crawl/frontier/":                {"crawl", "storage"},
	"storage":                        {"storage/durable", "storage/progress"},
	"storage/":                       {"storage/durable", "storage/progress"},
	"storage/index":                  {"storage/durable", "storage/index/"},
	"storage/index/":                 {},
	"crawl":                          {},

	// The archive, from the top to the bottom.
	"storage/warc":          {"storage/durable", "storage/progress", "storage/warc/"},
	"storage/warc/warctest": {"storage/warc/capture", "storage/warc/member", "storage/warc/warcfile"},
	"storage/warc/check":    {"storage/durable", "storage/progress", "storage/warc/capture", "storage/warc/cdxj", "storage/warc/collate", "storage/warc/digest", "storage/warc/lines", "storage/warc/record", "storage/warc/warcfile"},
	"storage/warc/repair":   {"storage/durable", "storage/warc/capture", "storage/warc/cdxj", "storage/warc/collate", "storage/warc/warcfile"},
	"storage/warc/collate":  {"storage/durable", "storage/progress", "storage/warc/capture", "storage/warc/cdxj", "storage/warc/member", "storage/warc/record", "storage/warc/warcfile"},
	"storage/warc/export":   {"storage/durable", "storage/progress", "storage/warc/capture", "storage/warc/cdxj", "storage/warc/lines", "storage/warc/record", "storage/warc/warcfile"},
	"storage/warc/lookup":   {"crawl/words", "storage/warc/capture", "storage/warc/cdxj", "storage/warc/record", "storage/warc/surt", "storage/warc/warcfile"},
	"storage/warc/cdxj":     {"storage/warc/capture", "storage/warc/lines", "storage/warc/record", "storage/warc/surt", "storage/warc/warcfile", "storage/durable"},
	"storage/warc/warcfile": {"storage/warc/capture", "storage/warc/record"},
	"storage/warc/capture":  {"storage/warc/digest", "storage/warc/member", "storage/warc/record"},
	"storage/warc/member":   {"storage/warc/digest"},
	"storage/warc/digest":   {"storage/warc/record"},
	"storage/warc/record":   {"storage/warc/lines"},
	"storage/warc/lines":    {"storage/durable"},
	"storage/warc/surt":     {},
}

// only says who alone may import a package from elsewhere.
var only = map[string][]string{
	"fyne.io/fyne/v2/app":                  {"cmd/forage-window"},
	"fyne.io/systray":                      {"ui/tray"},
	"go.etcd.io/bbolt":                     {"storage", "storage/packed"},
	"github.com/hashicorp/serf/coordinate": {"crawl/near"},
	"github.com/nlnwa/whatwg-url/url":      {"crawl"},
	"github.com/temoto/robotstxt":          {"crawl/robots"},
	"golang.org/x/net/html":                {"crawl/plain", "crawl/replay"},
	"net/http":                             {"crawl/answer", "crawl/chain", "crawl/fetch", "crawl/fetch/content", "crawl/uplink", "crawl/worker", "app", "app/api/apitest", "app/api/client", "app/api/conns", "app/api/dashboard", "app/api/events", "app/api/hosts", "app/api/server", "app/api/sharing", "app/health", "app/release", "app/demo"},
}

// Imports go one way, so that the flow of a URL can be read from top to bottom.
func TestImports_GoOneWay(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		from := strings.TrimPrefix(words[0], module)
		for _, to := range words[1:] {
			if users, limited := only[to]; limited && !contains(users, from) {
				t.Errorf("%s imports %s; only %v may", from, to, users)
			}
			to, ours := strings.CutPrefix(to, module)
			if ours && !allowed(from, to) {
				t.Errorf("%s imports %s, which is not below it", from, to)
			}
		}
	}
}

func allowed(from, to string) bool {
	if to == "assets/words" { // every part may say something; it imports nothing of ours
		return true
	}
	best, rule := -1, []string(nil)
	for prefix, list := range layers {
		if (from == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(from, prefix)) && len(prefix) > best {
			best, rule = len(prefix), list
		}
	}
	for _, r := range rule {
		if to == r || strings.HasPrefix(to, strings.TrimSuffix(r, "/")+"/") {
			return true
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// There is one way out to sites, and it is guarded. Whoever else dials leads
// around the guard; the local API's client is bound to loopback, and a socket of this computer leads nowhere.
func TestSources_DialInOnePlaceOnly(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`net\.Dial|net\.Dialer|tls\.Dial|http\.(Get|Post|Head|DefaultClient|DefaultTransport|ProxyFromEnvironment)\b`)
	// app/release downloads what its user names on a command line, and no node runs it.
	allowed := map[string]bool{"crawl/fetch": true, "app/api/client": true, "app/release": true, "cmd/bench": true, "cmd/bench/loop": true}
	eachSource(t, func(path, dir string, text []byte) {
		text = bytes.ReplaceAll(text, []byte(`net.DialTimeout("unix", `), nil)
		if m := forbidden.Find(text); m != nil && !allowed[dir] {
			t.Errorf("%s uses %s", path, m)
		}
	})
}

// How far others are is learned from calls that are made anyway: signs of life and comparisons between members, and requests for
// pages. Nobody sends anything to learn it.
func TestSources_NobodyProbes(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`libp2p/p2p/protocol/ping|\bping\.(Ping|NewPingService)|icmp|\.Places\.Heard\(|requests\.Watch\(|Swarm\) connected\(|offers\.connected\(`)
	allowed := map[string]string{
		"p2p/requests/place.go": ".Places.Heard(", "p2p/beat.go": "requests.Watch(", "p2p/compare.go": "requests.Watch(", "app/swarm/lead.go": "offers.connected(",
	}
	found := 0
	eachSource(t, func(path, dir string, text []byte) {
		file := dir + "/" + filepath.Base(path)
		for _, m := range forbidden.FindAll(text, -1) {
			if found++; string(m) != allowed[file] {
				t.Errorf("%s uses %s", path, m)
			}
		}
	})
	if found != len(allowed) {
		t.Errorf("%d places learn how far others are, want %d", found, len(allowed))
	}
}

// Nothing asks any system to stay awake: not by a bus, a call, a program or a wake lock.
func TestSources_NothingKeepsTheComputerAwake(t *testing.T) {
	t.Parallel()
	asks := regexp.MustCompile(`"(Inhibit|AddInhibition)"|SetThreadExecutionState|PowerCreateRequest|PowerSetRequest|IOPMAssertion|` +
		`systemd-inhibit|caffeinate|wake_lock|EPOLLWAKEUP|CLOCK_(BOOTTIME|REALTIME)_ALARM|zwp_idle_inhibit`)
	eachSource(t, func(path, _ string, text []byte) {
		if m := asks.Find(text); m != nil {
			t.Errorf("%s says %s", path, m)
		}
	})
}

// eachSource calls fn for each file of the program, with its directory.
func eachSource(t *testing.T, fn func(path, dir string, text []byte)) {
	t.Helper()
	root := filepath.Join("..", "..")
	checked := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" { // thousands of files that are not ours
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		dir, _ := filepath.Rel(root, filepath.Dir(path))
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		checked++
		fn(path, filepath.ToSlash(dir), text)
		return nil
	})
	if err != nil || checked < 100 {
		t.Errorf("%d files checked, %v", checked, err)
	}
}
