//go:build linux

package main

import (
	"bufio"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/demo"
)

// traced starts the program under strace, which writes the named system calls
// to the file it returns. It skips the test, aloud, where there is no strace
// or it may not trace.
func traced(t *testing.T, calls string, args ...string) (*process, string) {
	t.Helper()
	base, file := straced(t, calls)
	return startProcess(t, "strace", slices.Concat(base, []string{program}, args)...), file
}

// straced returns the arguments with which strace traces calls of a program, and the file that it writes. It skips
// the test as traced does.
func straced(t *testing.T, calls string) (args []string, file string) {
	t.Helper()
	base := []string{"-f", "-y", "-s", "0", "-e", "signal=none", "-e", "trace=" + calls}
	switch {
	case exec.Command("strace", "-f", "--seccomp-bpf", "-o", os.DevNull, "-e", "trace=fsync", "true").Run() == nil:
		base = append(base, "--seccomp-bpf") // much faster: other calls are not stopped
	case exec.Command("strace", "-f", "-o", os.DevNull, "-e", "trace=fsync", "true").Run() != nil:
		t.Skip("NOT CHECKED: strace is missing or may not trace here")
	}
	file = filepath.Join(t.TempDir(), "trace")
	return append(base, "-o", file), file
}

// Before the user has agreed, nothing goes to the network: not even a socket
// for it is made.
func TestRun_NothingLeavesBeforeConsent(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	p, file := traced(t, "network", "run", "--home", home, "--no-tray", "--api", "127.0.0.1:0")
	if code := p.wait(); code != 7 {
		t.Errorf("ended with %d, want 7: %s", code, tail(p.stderr.String()))
	}
	for _, addr := range addresses(t, file) {
		if !addr.IsLoopback() {
			t.Errorf("%s stands in a call to the network", addr)
		}
	}
}

// A node that awaits consent sends nothing but answers on this computer, whatever its settings say. It
// begins when the user has agreed.
func TestRun_NothingLeavesWhileConsentIsAwaited(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	startForage(t, "set", "crawl.seeds=https://example.org/", "--home", home).succeed()
	startForage(t, "set", "net.bootstrap=/ip4/192.0.2.1/tcp/4001/p2p/12D3KooWFexZP63ATEAQQqbyjsc2iuFLWero2tZ9CdhEsLiFg9zx", "--home", home).succeed()
	startForage(t, "set", "peer.upnp=yes", "--home", home).succeed()
	p, file := traced(t, "network", "run", "--await-consent", "--home", home, "--no-tray", "--api", "127.0.0.1:0")
	node := awaitAPI(t, p, home)
	awaits := func(s api.Status) bool {
		return s.State == api.StatePaused && len(s.Reasons) > 0 && strings.Contains(s.Reasons[0], "agree")
	}
	until(t, "the node to be up", func() bool {
		s, err := node.Status(t.Context())
		return err == nil && awaits(s)
	})
	for end := time.Now().Add(sized(2*time.Second, 5*time.Second, 30*time.Second)); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if s, err := node.Status(t.Context()); err != nil || !awaits(s) {
			t.Fatalf("it is %s %q, %v, want to await consent", s.State, s.Reasons, err)
		}
	}
	for _, addr := range addresses(t, file) {
		if !addr.IsLoopback() {
			t.Errorf("%s stands in a call to the network", addr)
		}
	}
	startForage(t, "consent", "--yes", "--home", home).succeed()
	until(t, "the node to hear of it", func() bool {
		s, err := node.Status(t.Context())
		return err == nil && !awaits(s)
	})
	startForage(t, "stop", "--home", home).succeed()
	if code := p.wait(); code != 0 {
		t.Errorf("ended with %d: %s", code, tail(p.stderr.String()))
	}
}

// awaitAPI waits until a process answers on this computer. It may be traced: its own number is another.
func awaitAPI(t *testing.T, p *process, home string) (node *client.Client) {
	t.Helper()
	until(t, "the local API", func() bool {
		select {
		case <-p.ended:
			t.Fatalf("%q ended with %d\n%s", p.cmd.Args[1:], p.code, tail(p.stderr.String()))
		default:
		}
		var err error
		node, err = client.Dial(filepath.Join(home, "state"))
		return err == nil
	})
	return node
}

// A node of a lab stays on the addresses of its hosts file.
func TestRun_LabStaysOnLoopback(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{Sites: 2, Pages: 100})
	p, file := traced(t, "network", l.runArgs(fullSpeed...)...)
	p.succeed()
	l.visits().complete(t, l.web)
	found := addresses(t, file)
	for _, addr := range found {
		if !addr.IsLoopback() {
			t.Errorf("%s stands in a call to the network", addr)
		}
	}
	if len(found) < 3 { // the sites' connections: else nothing was seen and nothing proved
		t.Errorf("%d addresses in the trace; is it one of a crawl?", len(found))
	}
}

var inTrace = regexp.MustCompile(`inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"`)

// addresses returns all internet addresses in a trace of network calls, those
// left out that a socket is bound to before it connects: they are of this
// machine. What listens is told its address, so that shows.
func addresses(t *testing.T, file string) []netip.Addr {
	t.Helper()
	var list []netip.Addr
	for _, line := range readLines(t, file) {
		if strings.Contains(line, " bind") || strings.Contains(line, " getsockname") { // nothing is sent
			continue
		}
		for _, m := range inTrace.FindAllStringSubmatch(line, -1) {
			addr, err := netip.ParseAddr(m[1] + m[2])
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, addr.Unmap())
		}
	}
	return list
}

// What is settled must be on disk, and before it the capture it rests on: a
// kill cannot show whether it is, since what the kernel holds survives a kill.
func TestLong_SyncsUnderStrace(t *testing.T) {
	long(t)
	l := newLab(t, demo.Options{Pages: 2000})
	p, file := traced(t, "fsync,fdatasync,write,pwrite64,writev,pwritev", l.runArgs(fullSpeed...)...)
	p.succeed()
	seen := l.visits()
	seen.complete(t, l.web)

	j := syncJudge{t: complaints{t: t}, pending: make(map[string]call)}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		j.line(lines.Text())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if j.captures < len(seen) || j.commits == 0 {
		t.Errorf("%d writes to the archive and %d commits for %d requests; is the trace complete?", j.captures, j.commits, len(seen))
	}
	if j.storeSyncs < 2*j.commits || j.archiveSyncs == 0 {
		t.Errorf("%d syncs of the store for %d commits, %d of the archive", j.storeSyncs, j.commits, j.archiveSyncs)
	}
	if n := len(j.early); n > aside {
		t.Errorf("%d of %d commits began before what they may settle was on disk: %v", n, j.commits, j.early)
	}
	pages := float64(l.status().Pages) / 1000
	t.Logf("per 1,000 pages: %.0f commits, %.0f syncs of the store, %.0f of the archive, %.0f of others",
		float64(j.commits)/pages, float64(j.storeSyncs)/pages, float64(j.archiveSyncs)/pages, float64(j.otherSyncs)/pages)
}

// aside is how many transactions of so short a run may save what rests on no capture: what was used, who is there.
const aside = 8

// call is a system call on a file.
type call struct {
	name, path   string
	size, offset int64
	covers       int // of a sync: writes that had ended when it began
}

var (
	callLine    = regexp.MustCompile(`^(\d+) +(\w+)\(\d+<([^>]*)>(.*)$`)
	resumedLine = regexp.MustCompile(`^(\d+) +<\.\.\. \w+ resumed>`)
	placeInFile = regexp.MustCompile(`, (\d+), (\d+)[ )]`)
)

// syncJudge follows the writes and syncs of a node. A sync covers the writes
// that had ended when it began.
type syncJudge struct {
	t       complaints
	pending map[string]call // under way, by thread

	captures, synced int   // writes to the archive, and how many of them are on disk
	before           int   // captures at the end of the last commit
	early            []int // commits that began while some of these were not on disk
	data, dataSynced int   // writes to the store since the last commit, and how many of them are on disk
	meta             bool

	commits, storeSyncs, archiveSyncs, otherSyncs int
}

func (j *syncJudge) line(s string) {
	if m := resumedLine.FindStringSubmatch(s); m != nil {
		if c, ok := j.pending[m[1]]; ok {
			delete(j.pending, m[1])
			j.end(c)
		}
		return
	}
	m := callLine.FindStringSubmatch(s)
	if m == nil {
		return
	}
	c := call{name: m[2], path: m[3]}
	if place := placeInFile.FindStringSubmatch(m[4]); place != nil {
		c.size, _ = strconv.ParseInt(place[1], 10, 64)
		c.offset, _ = strconv.ParseInt(place[2], 10, 64)
	}
	j.begin(&c)
	if strings.HasSuffix(s, "<unfinished ...>") {
		j.pending[m[1]] = c
	} else {
		j.end(c)
	}
}

func (c *call) sync() bool    { return strings.HasSuffix(c.name, "sync") }
func (c *call) store() bool   { return strings.HasSuffix(c.path, "/forage.db") }
func (c *call) archive() bool { return strings.Contains(c.path, ".warc.gz") }

// isMeta reports whether a write to the store is of one of its two meta pages,
// which makes a commit take effect.
func (c *call) isMeta() bool {
	page := int64(os.Getpagesize())
	return c.size == page && (c.offset == 0 || c.offset == page)
}

func (j *syncJudge) begin(c *call) {
	switch {
	case c.sync() && c.store():
		c.covers = j.data
	case c.sync() && c.archive():
		c.covers = j.captures
	case c.sync() || !c.store():
	case c.isMeta():
		if j.dataSynced < j.data {
			j.t.errorf("commit %d takes effect before its data are on disk", j.commits)
		}
	case j.data == 0:
		// What this commit settles was archived before it was gathered; all of
		// it that was there at the end of the last commit is in it, or was.
		if j.synced < j.before {
			j.early = append(j.early, j.commits)
		}
	}
}

func (j *syncJudge) end(c call) {
	switch {
	case c.sync() && c.store():
		j.storeSyncs++
		j.dataSynced = max(j.dataSynced, c.covers)
		if j.meta {
			j.commits++
			j.meta, j.data, j.dataSynced, j.before = false, 0, 0, j.captures
		}
	case c.sync() && c.archive():
		j.archiveSyncs++
		j.synced = max(j.synced, c.covers)
	case c.sync():
		j.otherSyncs++
	case c.store() && c.isMeta():
		j.meta = true
	case c.store():
		j.data++
	case c.archive():
		j.captures++
	}
}
