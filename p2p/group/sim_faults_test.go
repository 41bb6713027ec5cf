package group_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// edit takes something out of a file: an old text, which is there once, gives way to a new one.
type edit struct{ file, old, new string }

// rules are what the protocol cannot do without, which invariants each of them keeps, and how to take it out. Without a rule
// histories run differently, so another failure on the way says nothing about the rule.
var rules = []struct {
	name, keeps string
	edits       []edit
}{
	// A line changes only to one of which a majority has what counts.
	{"Complete", "2|7", []edit{{"../shard/lead.go", "return p == l.r.h.Self || ok && k >= n", "return true || ok && k >= n"}}},
	// While a change is pending, a put counts only if it counts in both lines.
	{"Joint", "2|7", []edit{{"../shard/lead.go", "if ok && l.change != nil {", "if false {"}}},
	// Who merges two versions into a third stamps that one.
	{"Restamp", "2|8|10", []edit{{"../stream/stamp.go", "given.Run != 0 && bytes.Equal(merged, it.Value):", "given.Run != 0:"}}},
	// A pull of a line brings all domains that its streams carried. Without the rule it leaves out those of which its record says nothing yet.
	{"Came", "2|7|10", []edit{
		{"../stream/answer.go", "!within(q.prefixes, d) {", "!within(q.prefixes, d) ||\n\t\t\t!b.cfg.Group.(interface{ Knows(Shard, crawl.Domain) bool }).Knows(q.shard, d) {"},
		{"../shard/moves.go", "// Merged implements stream.Group.", `func (h *Host) Knows(s stream.Shard, d crawl.Domain) bool {
	r := h.Replica(s)
	if r == nil {
		return true
	}
	_, known := r.rec.Authorities.Of(crawl.KeyOf(d))
	return known
}

// Merged implements stream.Group.`}}},
	// Of two authorities the one with the later number is right. There is no term in them: a release that is confirmed is committed once more.
	{"Epochs", "5|6|12", []edit{
		{"../record/record.go", "return b.Later(a)", "return false"},
		{"../shard/moves.go", "m.l.r.rec.Authorities.Lacking(c.Prefix, c.Number)...)", "c.Prefix)"},
		{"../shard/moves.go", "len(r.rec.Authorities.Lacking(c.Prefix, c.Number)) == 0, held",
			"slices.ContainsFunc(r.rec.Authorities.Within(c.Prefix), func(a record.Authority) bool { return a.Shard == r.shard }), held"}}},
	// A shard acts for a prefix when its own log says so. Without the rule its leader does when it was told of the release.
	{"OwnAuth", "2|5|6", []edit{{"../shard/inbound.go", "l.propose(record.Op{Kind: record.OpTake, Prefix: a.Prefix, Number: a.Number},\n\t\t\tfunc(record.Effect) { l.r.note(Note{Kind: Received, Prefix: a.Prefix, Peer: in.leader}) })",
		"l.r.applyOp(record.Op{Kind: record.OpTake, Prefix: a.Prefix, Number: a.Number})"}}},
	// A grant is taken by the request that it answers. Without the rule any request for the domain takes it.
	{"AskID", "5", []edit{{"calls.go", "if x == nil || x.lease == nil || l.Domain", `for _, k := range slices.Sorted(maps.Keys(c.waiting)) {
		if y := c.waiting[k]; y.lease != nil && y.domain == l.Domain {
			id, x = k, y
		}
	}
	if x == nil || x.lease == nil || l.Domain`}}},
	// Members count by a clock that stops with the machine and that nobody sets.
	{"StopClock", "3|5", []edit{{"../shard/host.go", "return h.Clock.Awake()", "return time.Duration(h.Clock.Wall().UnixNano())"}}},
	// A chunk is taken by the pull that asked for it. Here each pull has a number by chance, which no later start draws again.
	{"PullBoot", "2|8|10", []edit{{"../stream/pull.go", "p.ask.id == a.id && ", ""}}},
	// After a start a member neither votes nor acknowledges until all others have answered or a lease has passed.
	{"Fresh", "3", []edit{{"../shard/trust.go", "t.sure = answered || r.h.now()-t.since >= t.wait", "t.sure = true || answered"}}},
	// A shard is told again and again of what was given to it.
	{"Push", "6", []edit{{"../shard/moves.go", "claims[a.Shard] = append(claims[a.Shard],\n\t\t\t\tmessage.Claim{Prefix: a.Prefix, Number: a.Number, State: message.Given})", ""}}},
	// The shard that acts asks for what others still learn of its domains.
	{"Forward", "2|7|12", []edit{{"../shard/moves.go", "check = append(check, c.Prefix)", ""}}},
}

const (
	// faultSeeds is how many histories a missing rule may survive.
	faultSeeds = 200
	// faultTime bounds one of them, which takes a second or two.
	faultTime = time.Minute
)

// The simulation finds out when a rule of the protocol is missing.
func TestLong_Faults(t *testing.T) {
	if os.Getenv("FORAGE_LONG") == "" {
		t.Skip("set FORAGE_LONG to build the tests without each of twelve rules")
	}
	whole := build(t, nil)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			faulty := build(t, r.edits)
			for seed := 1; seed <= faultSeeds; seed++ {
				broken := violation(t, faulty, seed)
				if broken == "" {
					continue
				}
				if !regexp.MustCompile(`invariant (` + r.keeps + `):`).MatchString(broken) {
					t.Logf("seed %d breaks what the rule does not keep: %s", seed, broken)
					continue
				}
				if also := violation(t, whole, seed); also != "" {
					t.Logf("seed %d breaks with the rule, too: %s", seed, also)
					continue
				}
				t.Logf("seed %d: %s", seed, broken)
				return
			}
			t.Errorf("%d histories without the rule broke no invariant", faultSeeds)
		})
	}
}

// The rules that TestLong_Faults leaves out are in the code as its table has them.
func TestFaults_AreOfThisCode(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) { edited(t, r.edits) })
	}
}

// edited returns the files that edits change, by name, with the new texts.
func edited(t *testing.T, edits []edit) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	for _, e := range edits {
		text := files[e.file]
		if text == nil {
			var err error
			if text, err = os.ReadFile(e.file); err != nil {
				t.Fatal(err)
			}
		}
		if n := bytes.Count(text, []byte(e.old)); n != 1 {
			t.Fatalf("%s has the text of the rule %d times, want once; adapt the table to what the code says now:\n%s", e.file, n, e.old)
		}
		files[e.file] = bytes.Replace(text, []byte(e.old), []byte(e.new), 1)
	}
	return files
}

// build makes a test binary of this package from files that are edited.
func build(t *testing.T, edits []edit) string {
	t.Helper()
	dir := t.TempDir()
	binary, list := filepath.Join(dir, "faulty.test"), filepath.Join(dir, "overlay.json")
	replace := make(map[string]string)
	for file, text := range edited(t, edits) {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = filepath.Join(dir, filepath.Base(file))
		write(t, replace[path], text)
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	write(t, list, b)
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", list, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build the tests: %v\n%s", err, out)
	}
	return binary
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

var brokenInvariant = regexp.MustCompile(`(invariant|panic).*`)

// violation runs one history and returns which invariant broke, "" if none did, or if it took too long.
func violation(t *testing.T, binary string, seed int) string {
	ctx, cancel := context.WithTimeout(t.Context(), faultTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, binary, "-test.run=^TestSim_Seeds$", fmt.Sprint("-seed=", seed)).CombinedOutput()
	switch {
	case err == nil:
		return ""
	case ctx.Err() != nil:
		t.Logf("seed %d takes longer than %v", seed, faultTime)
		return ""
	}
	if line := brokenInvariant.Find(out); line != nil {
		return string(line)
	}
	return strings.TrimSpace(string(out[:min(len(out), 200)]))
}
