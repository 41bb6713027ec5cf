package warc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage/durable/durabletest"
	"github.com/forage-net/forage/storage/warc/record"
)

// unfinished returns the bytes of a file that a crash has left, of its index, and
// where its captures are. All but the first have metadata.
func unfinished(t testing.TB, captures int) (name string, warc, index []byte, positions []Position) {
	t.Helper()
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir, Info: [][2]string{{"software", "test"}}})
	for n := range captures {
		c := page(0)
		c.Date, c.Metadata = page(n).Date, c.Metadata[:min(n, 1)]
		positions = append(positions, mustAppend(t, a, c))
	}
	abandon(a)
	path := onlyFile(t, dir, "*.open")
	warc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	index, err = os.ReadFile(onlyFile(t, dir, "*.cdxj"))
	if err != nil {
		t.Fatal(err)
	}
	return positions[0].File, warc, index, positions
}

// plant writes an unfinished file and its index into a new directory.
func plant(t testing.TB, name string, warc, index []byte) (dir string) {
	t.Helper()
	return plantIn(t, t.TempDir(), name, warc, index)
}

func plantIn(t testing.TB, dir, name string, warc, index []byte) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+openSuffix), warc, 0o600); err != nil {
		t.Fatal(err)
	}
	if index != nil {
		if err := os.WriteFile(indexOf(dir, name), index, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func indexOf(dir, name string) string {
	return filepath.Join(dir, strings.TrimSuffix(name, warcSuffix)+cdxjSuffix)
}

func TestOpen_RecoversTearAtEveryByte(t *testing.T) {
	t.Parallel()
	name, warc, index, positions := unfinished(t, 2)
	root := memoryDir(t)
	step := durabletest.OneIn
	if testing.Short() {
		step = 5
	}
	for cut := 0; cut <= len(warc); cut += step {
		// A capture counts from the end of its response record on.
		whole, end := 0, int64(0)
		for _, p := range positions {
			switch {
			case int64(cut) >= p.Next().Offset:
				whole, end = whole+1, p.Next().Offset
			case int64(cut) >= p.RecordOffset+p.RecordLength:
				whole, end = whole+1, p.RecordOffset+p.RecordLength
			}
		}
		dir := plantIn(t, filepath.Join(root, fmt.Sprint(cut)), name, warc[:cut], index)
		a := mustOpen(t, Config{Dir: dir, NoSync: true})
		r := a.Recovered()
		if len(r) != 1 || r[0].File != name || r[0].Cut != int64(cut)-end || r[0].Err != nil || r[0].IndexLines != 0 {
			t.Fatalf("torn at %d: recovered %+v, want %d bytes cut", cut, r, int64(cut)-end)
		}
		mustAppend(t, a, page(10))
		mustClose(t, a)
		check(t, dir)
		if got := scanAll(t, dir, Position{}); len(got) != whole+1 || got[whole].URL != page(10).URL {
			t.Fatalf("torn at %d: %v after Append, want %d captures", cut, urls(got), whole+1)
		}
		if a.Size() != diskSize(t, dir) {
			t.Fatalf("torn at %d: Size is %d, want %d", cut, a.Size(), diskSize(t, dir))
		}
	}
}

func TestOpen_RecoversIndexTornAtEveryByte(t *testing.T) {
	t.Parallel()
	name, warc, index, _ := unfinished(t, 2)
	root := memoryDir(t)
	for cut := range len(index) + 1 {
		dir := plantIn(t, filepath.Join(root, fmt.Sprint(cut)), name, warc, index[:cut])
		a := mustOpen(t, Config{Dir: dir, NoSync: true})
		missing := 2 - bytes.Count(index[:cut], []byte("\n"))
		if r := a.Recovered(); len(r) != 1 || r[0].IndexLines != missing || r[0].Cut != 0 {
			t.Fatalf("index torn at %d: recovered %+v, want %d lines", cut, r, missing)
		}
		mustClose(t, a)
		if got, err := os.ReadFile(indexOf(dir, name)); err != nil || !bytes.Equal(got, index) {
			t.Fatalf("index torn at %d is\n%s%v, want\n%s", cut, got, err, index)
		}
	}
}

func TestOpen_RepairsIndex(t *testing.T) {
	name, warc, index, positions := unfinished(t, 3)
	lines := bytes.SplitAfter(index, []byte("\n"))
	swapped := slices.Concat(lines[1], lines[0], lines[2])
	for what, damaged := range map[string][]byte{
		"missing":     nil,
		"empty":       {},
		"zeros":       append(bytes.Clone(lines[0]), make([]byte, 5000)...),
		"swapped":     swapped,
		"first lost":  slices.Concat(lines[1], lines[2]),
		"garbage":     slices.Concat(lines[0], []byte("garbage\n"), lines[1], lines[2]),
		"endless":     bytes.Repeat([]byte("x"), 2*maxLine),
		"beyond":      append(bytes.Clone(index), index...),
		"other place": bytes.Replace(index, fmt.Appendf(nil, `"offset":"%d"`, positions[1].RecordOffset), []byte(`"offset":"7"`), 1),
	} {
		dir := plant(t, name, warc, damaged)
		a := mustOpen(t, Config{Dir: dir})
		if r := a.Recovered(); len(r) != 1 || r[0].Err != nil || r[0].Aside != "" {
			t.Errorf("%s: recovered %+v", what, r)
		}
		mustClose(t, a)
		if got, err := os.ReadFile(indexOf(dir, name)); err != nil || !bytes.Equal(got, index) {
			t.Errorf("%s: the index is\n%s%v, want\n%s", what, got, err, index)
		}
	}
}

func TestOpen_FinishesWhatItDoesNotContinue(t *testing.T) {
	name, warc, index, _ := unfinished(t, 3)
	dir := plant(t, name, warc, index)
	newer := "forage-20990101000000-00002-1a2b3c4d.warc.gz"
	if err := os.WriteFile(filepath.Join(dir, newer+openSuffix), warc[:len(warc)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	a := mustOpen(t, Config{Dir: dir, MaxSize: int64(len(warc)) + 1})
	if len(a.Recovered()) != 2 {
		t.Fatalf("recovered %+v, want two files", a.Recovered())
	}
	if open := onlyFile(t, dir, "*.open"); filepath.Base(open) != newer+openSuffix {
		t.Errorf("%s is open, want %s", open, newer)
	}
	p := mustAppend(t, a, page(5)) // does not fit any more
	if p.File == newer || p.File == name {
		t.Errorf("Append wrote to %s, want a new file", p.File)
	}
	mustClose(t, a)
	if got := len(scanAll(t, dir, Position{})); got != 7 {
		t.Errorf("Scan found %d captures, want 7", got)
	}
}

func TestOpen_SetsDamageAside(t *testing.T) {
	name, warc, index, positions := unfinished(t, 3)
	damaged := bytes.Clone(warc)
	copy(damaged[positions[1].RecordOffset+50:], make([]byte, 40))
	dir := plant(t, name, damaged, index)
	a := mustOpen(t, Config{Dir: dir})
	end := positions[0].Next().Offset
	r := a.Recovered()
	if len(r) != 1 || r[0].Cut != int64(len(warc))-end || r[0].Err != nil {
		t.Fatalf("recovered %+v, want %d bytes cut", r, int64(len(warc))-end)
	}
	if got, err := os.ReadFile(r[0].Aside); err != nil || !bytes.Equal(got, damaged[end:]) {
		t.Errorf("%d bytes set aside, %v, want %d", len(got), err, int64(len(damaged))-end)
	}
	mustAppend(t, a, page(7))
	mustClose(t, a)
	check(t, dir)

	// Damage of the last capture is nothing to keep.
	damaged = bytes.Clone(warc)
	copy(damaged[positions[2].RecordOffset+50:], make([]byte, 40))
	dir = plant(t, name, damaged, index)
	if r := mustOpen(t, Config{Dir: dir}).Recovered(); len(r) != 1 || r[0].Aside != "" || r[0].Cut == 0 {
		t.Errorf("recovered %+v, want a cut without copy", r)
	}
}

// A member that was to end and goes on holds a whole record all the same: cut
// behind that, the file could not be appended to.
func TestOpen_CutsAMemberThatGoesOn(t *testing.T) {
	name, warc, index, positions := unfinished(t, 3)
	last := positions[2]
	for what, end := range map[string]int64{
		"response": last.RecordOffset + last.RecordLength,
		"metadata": last.Next().Offset,
	} {
		t.Run(what, func(t *testing.T) {
			const lastBlock, trailer = 5 + len(recordEnd), 8
			final := end - trailer - int64(lastBlock)
			if warc[final] != 1 {
				t.Fatalf("%#x at %d, want the beginning of the last block", warc[final], final)
			}
			var more memberWriter
			more.store([]byte("more"))
			damaged := slices.Concat(warc[:final], []byte{0}, warc[final+1:end-trailer], more.out, bytes.Repeat([]byte{7}, 20))
			dir := plant(t, name, damaged, index)
			a := mustOpen(t, Config{Dir: dir})
			if r := a.Recovered(); len(r) != 1 || r[0].Err != nil || r[0].Cut == 0 {
				t.Errorf("recovered %+v, want a cut", r)
			}
			mustAppend(t, a, page(7))
			mustClose(t, a)
			check(t, dir)
			found := scanAll(t, dir, Position{})
			if len(found) < 3 || found[len(found)-1].URL != page(7).URL {
				t.Errorf("Scan found %v", urls(found))
			}
		})
	}
}

func TestOpen_ReportsWhatItCannotRecover(t *testing.T) {
	name, warc, index, _ := unfinished(t, 3)
	dir := plant(t, name, warc, index)
	if err := os.Remove(indexOf(dir, name)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(indexOf(dir, name), 0o700); err != nil { // an index that cannot be written
		t.Fatal(err)
	}
	a := mustOpen(t, Config{Dir: dir})
	if r := a.Recovered(); len(r) != 1 || r[0].Err == nil {
		t.Errorf("recovered %+v, want an error", r)
	}
	p := mustAppend(t, a, page(9))
	if p.File == name {
		t.Errorf("Append wrote to %s, which was not recovered", name)
	}
	if got := len(scanAll(t, dir, Position{})); got != 4 {
		t.Errorf("Scan found %d captures, want 4", got)
	}
}

func TestOpen_NeedsADirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Config{Dir: path}); err == nil {
		t.Error("Open of a file returned nil")
	}
}

// FuzzOpen recovers arbitrary bytes: whatever was left, the archive can be
// appended to and is valid afterwards.
func FuzzOpen(f *testing.F) {
	name, warc, index, _ := unfinished(f, 3)
	f.Add(warc, index)
	f.Add(warc[:len(warc)/2], index[:len(index)/2])
	f.Add(warc[:0], []byte("x y z\n"))
	f.Fuzz(func(t *testing.T, warc, index []byte) {
		dir := plant(t, name, warc, index)
		a := mustOpen(t, Config{Dir: dir, NoSync: true})
		if r := a.Recovered(); len(r) != 1 || r[0].Err != nil {
			t.Fatalf("recovered %+v", r)
		}
		mustAppend(t, a, page(1))
		mustClose(t, a)
		found := scanAll(t, dir, Position{})
		if len(found) == 0 || found[len(found)-1].URL != page(1).URL {
			t.Fatalf("Scan found %v", urls(found))
		}
		if err := exportedCDXJ(t, dir, new(bytes.Buffer)); err != nil && !errors.Is(err, record.ErrFormat) {
			t.Fatal(err)
		}
	})
}
