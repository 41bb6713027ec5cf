package warc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/check"
	"github.com/forage-net/forage/storage/warc/member"
	"github.com/forage-net/forage/storage/warc/repair"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

// repaired runs Check and Repair and verifies that no repairable fault is left.
func repaired(t testing.TB, dir string) []repair.Recovery {
	t.Helper()
	before := mustCheck(t, dir, check.Options{})
	done, err := repair.Archive(t.Context(), durable.Disk{}, dir, before.RepairableFiles)
	if err != nil {
		t.Fatalf("Repair: %v", err)
	}
	for _, r := range done {
		if r.Err != nil {
			t.Errorf("Repair: %v", r.Err)
		}
	}
	after := mustCheck(t, dir, check.Options{})
	if after.RepairableCount != 0 || after.FaultCount > before.FaultCount-before.RepairableCount+1 {
		t.Errorf("after Repair: %v", after.Faults)
	}
	if after.Captures != before.Captures {
		t.Errorf("%d captures after Repair, want %d", after.Captures, before.Captures)
	}
	return done
}

// finished plants a file that is finished.
func finished(t testing.TB, name string, warc, index []byte) string {
	t.Helper()
	dir := plant(t, name, warc, index)
	if err := os.Rename(filepath.Join(dir, name+warcfile.OpenSuffix), filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRepair_Index(t *testing.T) {
	name, warc, index, positions := unfinished(t, 4)
	lines := bytes.SplitAfter(index, []byte("\n"))[:4]
	// What Append was told of the type is not what the head says.
	lines[2] = bytes.Replace(lines[2], []byte("text/html"), []byte("text/plain"), 1)
	index = slices.Concat(lines...)
	for _, tt := range []struct {
		name  string
		index []byte
		want  []check.Kind
		fresh bool // the line of the third capture cannot be kept
	}{
		{"missing", nil, []check.Kind{check.NoIndex}, true},
		{"empty", []byte{}, []check.Kind{check.LineMissing, check.LineMissing, check.LineMissing, check.LineMissing}, true},
		{"torn", index[:len(index)-3], []check.Kind{check.LineStray, check.LineMissing}, false},
		{"first lost", slices.Concat(lines[1:]...), []check.Kind{check.LineMissing}, false},
		{"swapped", slices.Concat(lines[1], lines[0], lines[2], lines[3]), []check.Kind{check.LineStray, check.LineMissing}, false},
		{"garbage", slices.Concat(lines[0], []byte("garbage\n"), lines[1], lines[2], lines[3]), []check.Kind{check.LineStray}, false},
		{"endless", slices.Concat(bytes.Repeat([]byte("x"), 3*cdxj.MaxLine), []byte("\n"), index), []check.Kind{check.LineStray}, false},
		{"twice", slices.Concat(index, lines[3]), []check.Kind{check.LineStray}, false},
		{"wrong length", bytes.Replace(index, fmt.Appendf(nil, `"length":"%d"`, positions[1].RecordLength), []byte(`"length":"7"`), 1), []check.Kind{check.LineWrong}, false},
		{"wrong digest", slices.Concat(lines[0], bytes.Replace(lines[1], []byte(`"digest":"`), []byte(`"digest":"A`), 1), lines[2], lines[3]), []check.Kind{check.LineWrong}, false},
		{"wrong offset", slices.Concat(bytes.Replace(lines[0], []byte(`"offset":"`), []byte(`"offset":"9`), 1), lines[1], lines[2], lines[3]), []check.Kind{check.LineMissing, check.LineStray}, false},
		{"wrong file", slices.Concat(bytes.Replace(lines[0], []byte("forage-2026"), []byte("forage-2027"), 1), lines[1], lines[2], lines[3]), []check.Kind{check.LineWrong}, false},
		{"status", bytes.Replace(index, []byte(`"200"`), []byte(`"x"`), 1), []check.Kind{check.LineWrong}, false},
	} {
		dir := finished(t, name, warc, tt.index)
		t.Run(tt.name, func(t *testing.T) {
			report := mustCheck(t, dir, check.Options{})
			var got []check.Kind
			for _, f := range report.Faults {
				got = append(got, f.Kind)
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(tt.want))
			if !slices.Equal(got, want) || report.RepairableCount != len(want) {
				t.Errorf("Check found %v, want %v, all repairable", report.Faults, tt.want)
			}
			done := repaired(t, dir)
			if len(done) != 1 || done[0].Cut != 0 || done[0].Aside != "" {
				t.Fatalf("Repair did %+v", done)
			}
			written, err := os.ReadFile(indexOf(dir, name))
			if tt.fresh {
				if bytes.Count(written, []byte("\n")) != 4 {
					t.Errorf("the index is\n%s%v, want 4 lines", written, err)
				}
			} else if err != nil || !bytes.Equal(written, index) {
				t.Errorf("the index is\n%s%v, want\n%s", written, err, index)
			}
			if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(data, warc) {
				t.Errorf("the records were changed, %v", err)
			}
			if old := done[0].IndexAside; old != "" {
				if data, err := os.ReadFile(old); err != nil || !bytes.Equal(data, tt.index) {
					t.Errorf("the index set aside is %q, %v", data, err)
				}
			}
			wantFaults(t, dir)
		})
	}
}

func TestRepair_TornTail(t *testing.T) {
	name, warc, index, positions := unfinished(t, 3)
	middle := positions[2].RecordOffset + 40
	for _, cut := range []int64{positions[2].Offset + 1, positions[2].RecordOffset, middle, positions[2].RecordOffset + positions[2].RecordLength - 1} {
		for _, open := range []bool{false, true} {
			dir := finished(t, name, warc[:cut], index)
			path := filepath.Join(dir, name)
			if open {
				if err := os.Rename(path, path+warcfile.OpenSuffix); err != nil {
					t.Fatal(err)
				}
			}
			report := mustCheck(t, dir, check.Options{})
			tail := cut - positions[2].Offset
			if cut == positions[2].RecordOffset { // ends with a whole request
				tail = 0
			}
			torn := slices.ContainsFunc(report.Faults, func(f check.Fault) bool { return f.Kind == check.Torn && f.Repairable })
			if torn != (tail > 0) {
				t.Errorf("torn at %d: Check found %v", cut, report.Faults)
			}
			done := repaired(t, dir)
			if len(done) != 1 || done[0].Cut != tail {
				t.Fatalf("torn at %d: Repair did %+v, want %d bytes cut", cut, done, tail)
			}
			if tail > 0 {
				if got, err := os.ReadFile(done[0].Aside); err != nil || !bytes.Equal(got, warc[positions[2].Offset:cut]) {
					t.Errorf("torn at %d: %d bytes set aside, %v, want %d", cut, len(got), err, tail)
				}
			}
			if got, err := os.ReadFile(done[0].IndexAside); err != nil || !bytes.Equal(got, index) {
				t.Errorf("torn at %d: the index set aside is %q, %v", cut, got, err)
			}
			wantFaults(t, dir)
			if got := len(warctest.Captures(t, dir, capture.Position{})); got != 2 {
				t.Errorf("torn at %d: %d captures, want 2", cut, got)
			}
		}
	}
}

func TestRepair_Garbage(t *testing.T) {
	name, warc, index, positions := unfinished(t, 2)
	zeros := make([]byte, 200_000)
	many := bytes.Repeat([]byte(member.Header), 1000)
	embedded := append([]byte("x"), warc[positions[0].RecordOffset:positions[1].Offset]...)
	for _, tt := range []struct {
		name       string
		tail       []byte
		repairable bool
	}{
		{"zeros", zeros, true},
		{"text", []byte("garbage"), true},
		{"one byte", []byte("\x1f"), true},
		{"beginnings of members", bytes.Repeat([]byte(member.Header+"xx"), 100), true},
		{"too many of them to tell", many, false},
		{"a whole capture behind garbage", embedded, false},
		{"a whole capture far behind", append(bytes.Clone(zeros), embedded...), false},
	} {
		dir := finished(t, name, append(bytes.Clone(warc), tt.tail...), index)
		report := mustCheck(t, dir, check.Options{})
		if len(report.Faults) != 1 || report.Faults[0].Repairable != tt.repairable || report.Faults[0].Offset != int64(len(warc)) {
			t.Errorf("%s: Check found %+v", tt.name, report.Faults)
		}
		done := repaired(t, dir)
		if (len(done) == 1) != tt.repairable {
			t.Errorf("%s: Repair did %+v", tt.name, done)
		}
		for _, r := range done {
			if got, err := os.ReadFile(r.Aside); err != nil || !bytes.Equal(got, tt.tail) {
				t.Errorf("%s: %d bytes set aside, %v", tt.name, len(got), err)
			}
		}
	}
}

func TestRepair_LeavesDamageInTheMiddle(t *testing.T) {
	name, warc, index, positions := unfinished(t, 4)
	damaged := bytes.Clone(warc)
	copy(damaged[positions[1].RecordOffset+50:], make([]byte, 40))
	for what, lines := range map[string][]byte{"with index": index, "without": nil} {
		dir := finished(t, name, damaged, lines)
		report := mustCheck(t, dir, check.Options{})
		want := map[string]int{"with index": 3, "without": 1}[what] // that can be reached
		if report.Captures != want || !slices.ContainsFunc(report.Faults, func(f check.Fault) bool { return f.Kind == check.Damaged && !f.Repairable }) {
			t.Errorf("%s: Check found %d captures, want %d, and %v", what, report.Captures, want, report.Faults)
		}
		repaired(t, dir)
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, damaged) {
			t.Errorf("%s: Repair changed the records, %v", what, err)
		}
		if what == "with index" {
			for _, n := range []int{0, 2, 3} {
				if _, err := warcfile.ReadResponse(dir, positions[n]); err != nil {
					t.Errorf("ReadResponse of capture %d: %v", n, err)
				}
			}
			left := mustCheck(t, dir, check.Options{}).Faults
			if len(left) != 1 || left[0].Kind != check.Damaged || left[0].Offset != positions[1].Offset {
				t.Errorf("left after Repair: %v", left)
			}
		}
	}
}

func TestRepair_FileWithoutCaptures(t *testing.T) {
	name, warc, index, positions := unfinished(t, 1)
	torn := warc[:positions[0].RecordOffset+20]
	dir := finished(t, name, torn, index)
	done := repaired(t, dir)
	if len(done) != 1 || done[0].Cut != int64(len(torn)) {
		t.Fatalf("Repair did %+v", done)
	}
	want := map[string]string{name + warcfile.CutSuffix: string(torn), filepath.Base(indexOf(dir, name)) + warcfile.CutSuffix: string(index)}
	if got := contents(t, dir); !maps.Equal(got, want) {
		t.Errorf("the directory holds %v", slices.Collect(maps.Keys(got)))
	}
	wantFaults(t, dir)

	// A name that is taken is not overwritten.
	dir = finished(t, name, torn, index)
	if err := os.WriteFile(filepath.Join(dir, name+warcfile.CutSuffix), []byte("earlier"), 0o600); err != nil {
		t.Fatal(err)
	}
	done = repaired(t, dir)
	if len(done) != 1 || !strings.HasSuffix(done[0].Aside, ".cut.2") || contents(t, dir)[name+warcfile.CutSuffix] != "earlier" {
		t.Errorf("Repair did %+v", done)
	}
}

func TestCheck_FaultsItCannotMend(t *testing.T) {
	name, warc, index, positions := unfinished(t, 1)
	wantFaults(t, finished(t, name, nil, nil), check.Empty)
	wantFaults(t, finished(t, name, warc[:positions[0].Offset], nil), check.Empty)
	dir := finished(t, name, warc, nil)
	if err := os.Mkdir(indexOf(dir, name), 0o700); err != nil {
		t.Fatal(err)
	}
	report := mustCheck(t, dir, check.Options{})
	if len(report.Faults) != 1 || report.Faults[0].Kind != check.Unreadable || report.RepairableCount != 0 {
		t.Errorf("Check of an index that is a directory found %v", report.Faults)
	}
	wantFaults(t, finished(t, name, warc, index))
}

func TestFault_String(t *testing.T) {
	for k := check.Unreadable; k <= check.OtherPayload; k++ {
		if s := k.String(); s == "" || strings.HasPrefix(s, "fault") {
			t.Errorf("kind %d is called %q", k, s)
		}
	}
	f := check.Fault{File: "x.warc.gz", Offset: 7, Kind: check.Torn, Detail: errors.New("why")}
	if got, want := f.Error(), "x.warc.gz at 7: does not end with a record: why"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	if got := check.Kind(99).String(); got != "fault 99" {
		t.Errorf("an unknown kind is called %q", got)
	}
}

// FuzzRepair repairs arbitrary bytes: no capture that could be read is lost,
// and what is left to repair is nothing.
func FuzzRepair(f *testing.F) {
	name, warc, index, _ := unfinished(f, 3)
	f.Add(warc, index)
	f.Add(warc[:len(warc)/2], index[:len(index)/2])
	f.Add(append(bytes.Clone(warc[:len(warc)/2]), warc...), index)
	f.Add([]byte{}, []byte("x y z\n"))
	f.Fuzz(func(t *testing.T, warc, index []byte) {
		dir := finished(t, name, warc, index)
		report, err := check.Archive(context.Background(), dir, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := repair.Archive(context.Background(), durable.Disk{}, dir, report.RepairableFiles); err != nil {
			t.Fatal(err)
		}
		after, err := check.Archive(context.Background(), dir, check.Options{})
		if err != nil || after.RepairableCount != 0 || after.Captures != report.Captures {
			t.Fatalf("after Repair: %+v, %v, before: %+v", after, err, report)
		}
	})
}

// Titles come into an index made again as Append wrote them.
func TestIndex_TitlesAreMadeAnew(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{NoSync: true, Dir: dir})
	for i, title := range []string{"plain", " a\tb\x01 ", "\"\\", "ünï 東", "\xff\xfe", strings.Repeat("é", 400), strings.Repeat("x", 511) + " y", "\x02", "\u2028", ""} {
		c := warctest.Titled(i, fmt.Sprintf("https://a.example/%d", i), title)
		warctest.Append(t, a, c)
	}
	warctest.Close(t, a)
	index := warctest.OnlyFile(t, dir, "*.cdxj")
	was, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(index)
	report, err := check.Archive(t.Context(), dir, check.Options{})
	if err != nil || report.RepairableCount == 0 {
		t.Fatal(report, err)
	}
	if _, err := repair.Archive(t.Context(), durable.Disk{}, dir, report.RepairableFiles); err != nil {
		t.Fatal(err)
	}
	if now, _ := os.ReadFile(index); !bytes.Equal(now, was) {
		t.Errorf("the index made again is\n%s, not\n%s", now, was)
	}
	// One without titles is as good, and stays as it is; a wrong title is not.
	old := bytes.ReplaceAll(was, []byte(`,"title":"plain"`), nil)
	if len(old) == len(was) {
		t.Fatal("no title in the index")
	}
	os.WriteFile(index, old, 0o600)
	if report, err := check.Archive(t.Context(), dir, check.Options{}); err != nil || report.FaultCount != 0 {
		t.Errorf("an index without titles has faults: %+v, %v", report.Faults, err)
	}
	os.WriteFile(index, bytes.Replace(was, []byte("plain"), []byte("plane"), 1), 0o600)
	if report, err := check.Archive(t.Context(), dir, check.Options{}); err != nil || report.FaultCount != 1 || report.Faults[0].Kind != check.LineWrong {
		t.Errorf("an index with a wrong title: %+v, %v", report.Faults, err)
	}
}
