package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/durable/durabletest"
	"github.com/forage-net/forage/storage/warc/lines"
	"github.com/forage-net/forage/storage/warc/record"
)

// ledger is what an archive has promised.
type ledger struct {
	appended []int // pages
	pending  []int // appended since the last Sync
	synced   []int
}

func (l *ledger) append(a *Archive, n int) error {
	_, err := a.Append(page(n))
	if err == nil {
		l.appended = append(l.appended, n)
		l.pending = append(l.pending, n)
	}
	return err
}

func (l *ledger) sync(a *Archive) error {
	err := a.Sync()
	if err == nil {
		l.synced = append(l.synced, l.pending...)
	}
	l.pending = nil // after an error they may be lost
	return err
}

// keeps verifies that an archive can be opened and holds what was promised.
func keeps(t *testing.T, name, dir string, want []int) {
	t.Helper()
	a, err := Open(Config{Dir: dir, NoSync: true, Now: func() time.Time { return testDate }})
	if err != nil {
		t.Errorf("%s: Open: %v", name, err)
		return
	}
	for _, r := range a.Recovered() {
		if r.Err != nil || r.Aside != "" {
			t.Errorf("%s: recovered %+v", name, r)
		}
	}
	_, err = a.Append(page(500))
	if err = errors.Join(err, a.Close()); err != nil {
		t.Errorf("%s: after Open: %v", name, err)
	}
	found := map[string][]byte{}
	for _, c := range scanAll(t, dir, Position{}) {
		found[c.URL] = c.Response
	}
	for _, n := range append(want, 500) {
		if !bytes.Equal(found[page(n).URL], page(n).Response) {
			t.Errorf("%s: page %d is lost", name, n)
		}
	}
	if report := mustCheck(t, dir, CheckOptions{}); report.FaultCount > 0 {
		t.Errorf("%s: faults %v", name, report.Faults)
	}
	if a.Size() != archiveSize(t, dir) {
		t.Errorf("%s: Size is %d, want %d", name, a.Size(), archiveSize(t, dir))
	}
}

// archiveSize returns the size of all archive files and their indexes.
func archiveSize(t testing.TB, dir string) (n int64) {
	t.Helper()
	files, err := list(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		for _, path := range []string{f.path(), f.indexPath()} {
			if info, err := os.Stat(path); err == nil {
				n += info.Size()
			}
		}
	}
	return n
}

// TestArchive_KeepsItsPromisesWhateverFails appends, syncs and closes with a
// fault at every operation in turn, and looks at what the death of the process
// and a power loss leave.
func TestArchive_KeepsItsPromisesWhateverFails(t *testing.T) {
	t.Parallel()
	root := memoryDir(t)
	runs := 0
	for closes, spans := range map[bool][]int{true: {1, 3, durabletest.Lasts}, false: {1}} {
		durabletest.EveryFault(t, spans, func(t *testing.T, name string, prepare func(string) *durabletest.Disk) *durabletest.Disk {
			name = fmt.Sprintf("%s, closed %t", name, closes)
			runs++
			dir := filepath.Join(root, fmt.Sprint(runs), "archive")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(filepath.Dir(dir))
			d := prepare(dir)
			var l ledger
			if a, err := Open(Config{Dir: dir, MaxSize: 4 << 10, Now: func() time.Time { return testDate }, fs: d}); err == nil {
				runScript(t, name, d, a, &l, closes)
			} else if !d.Failed() {
				t.Errorf("%s: Open: %v", name, err)
			}
			for what, allNames := range map[string]bool{"power loss": false, "power loss after the names": true} {
				to := filepath.Join(filepath.Dir(dir), what)
				survive(t, d, dir, to, allNames)
				keeps(t, name+", "+what, to, l.synced)
			}
			keeps(t, name+", death", dir, l.appended)
			return d
		})
	}
}

// runScript uses an archive while its disk fails, and closes it or leaves it
// open as a crash does.
func runScript(t *testing.T, name string, d *durabletest.Disk, a *Archive, l *ledger, closes bool) {
	failures := 0
	step := func(what string, f func() error) {
		worked := d.Works()
		err := f()
		if err == nil {
			return
		}
		if failures++; worked || !d.Failed() {
			t.Errorf("%s: %s on a disk that works: %v", name, what, err)
		}
		if failures > 3 {
			d.Heal()
		}
	}
	for n := range 8 {
		step("Append", func() error { return l.append(a, n) })
		if n%3 == 1 || n == 5 {
			if err := l.sync(a); err != nil && !d.Failed() {
				t.Errorf("%s: Sync: %v", name, err)
			}
		}
	}
	if d.Failed() {
		d.Heal()
		l.sync(a) // what is lost is told once, and once more that the file could not be finished
		l.sync(a)
	}
	step("Append", func() error { return l.append(a, 20) })
	if err := l.sync(a); err != nil && !d.Failed() { // it may tell of a file that Append has finished
		t.Errorf("%s: Sync: %v", name, err)
	}
	step("Append", func() error { return l.append(a, 21) })
	if !closes {
		abandon(a)
		return
	}
	if err := a.Close(); err == nil {
		l.synced = append(l.synced, l.pending...)
	} else if !d.Failed() {
		t.Errorf("%s: Close: %v", name, err)
	}
}

// TestOpen_RecoversWhateverFails recovers files that a crash has left with a
// fault at every operation in turn.
func TestOpen_RecoversWhateverFails(t *testing.T) {
	t.Parallel()
	root := memoryDir(t)
	name, warc, index, positions := unfinished(t, 3)
	newer := "forage-20990101000000-00002-1a2b3c4d.warc.gz"
	holed := bytes.Clone(warc)
	copy(holed[positions[1].RecordOffset+50:], make([]byte, 40))
	for what, plant := range map[string]func(dir string){
		"torn": func(dir string) {
			plantIn(t, dir, name, warc, index[:len(index)/2])
			plantIn(t, dir, newer, warc[:len(warc)-1], nil)
		},
		"damaged": func(dir string) { plantIn(t, dir, name, holed, index) },
		"nothing": func(dir string) { plantIn(t, dir, name, warc[:100], index) },
	} {
		runs := 0
		durabletest.EveryFault(t, []int{1, 3, durabletest.Lasts}, func(t *testing.T, fault string, prepare func(string) *durabletest.Disk) *durabletest.Disk {
			fault = what + ", " + fault
			runs++
			dir := filepath.Join(root, fmt.Sprint(what, runs))
			plant(dir)
			defer os.RemoveAll(dir)
			before := readable(t, dir)
			d := prepare(dir)
			a, err := Open(Config{Dir: dir, Now: func() time.Time { return testDate }, fs: d})
			if err != nil && !d.Failed() {
				t.Errorf("%s: Open: %v", fault, err)
			}
			if err == nil {
				d.Heal()
				if _, err := a.Append(page(90)); err != nil {
					t.Errorf("%s: Append after recovery: %v", fault, err)
				}
				abandon(a)
				before++
			}
			b, err := Open(Config{Dir: dir, Now: func() time.Time { return testDate }})
			if err != nil {
				t.Fatalf("%s: the second Open: %v", fault, err)
			}
			for _, r := range b.Recovered() {
				if r.Err != nil {
					t.Errorf("%s: the second Open recovered %+v", fault, r)
				}
			}
			mustClose(t, b)
			if got := readable(t, dir); got != before {
				t.Errorf("%s: %d captures, want %d", fault, got, before)
			}
			if report := mustCheck(t, dir, CheckOptions{}); report.FaultCount > 0 {
				t.Errorf("%s: faults %v", fault, report.Faults)
			}
			if aside, _ := filepath.Glob(filepath.Join(dir, "*"+damagedSuffix)); (len(aside) > 0) != (what == "damaged") {
				t.Errorf("%s: set aside %v", fault, aside)
			}
			return d
		})
	}
}

// readable counts the captures that Scan finds.
func readable(t testing.TB, dir string) (n int) {
	t.Helper()
	err := Scan(dir, Position{}, func(StoredCapture) error { n++; return nil })
	if err != nil && !errors.Is(err, record.ErrFormat) {
		t.Fatal(err)
	}
	return n
}

// TestRepair_WhateverFails repairs with a fault at every operation in turn.
func TestRepair_WhateverFails(t *testing.T) {
	t.Parallel()
	root := memoryDir(t)
	name, warc, index, positions := unfinished(t, 3)
	newer := "forage-20990101000000-00002-1a2b3c4d.warc.gz"
	torn := warc[:positions[2].RecordOffset+7]
	empty := "forage-20990101000000-00003-1a2b3c4d.warc.gz"
	cut := map[string][]byte{name: torn[positions[2].Offset:], empty: warc[:positions[0].RecordOffset+7]}
	runs := 0
	durabletest.EveryFault(t, []int{1, 3, durabletest.Lasts}, func(t *testing.T, fault string, prepare func(string) *durabletest.Disk) *durabletest.Disk {
		runs++
		dir := filepath.Join(root, fmt.Sprint(runs))
		defer os.RemoveAll(dir)
		plantIn(t, dir, name, torn, index)
		plantIn(t, dir, newer, warc, nil)
		plantIn(t, dir, empty, warc[:positions[0].RecordOffset+7], index)
		for _, f := range []string{name, empty} {
			if err := os.Rename(filepath.Join(dir, f+openSuffix), filepath.Join(dir, f)); err != nil {
				t.Fatal(err)
			}
		}
		before := mustCheck(t, dir, CheckOptions{})
		d := prepare(dir)
		done, err := repair(t.Context(), d, dir, before)
		for what, allNames := range map[string]bool{" lost": false, " lost after the names": true} {
			survive(t, d, dir, dir+what, allNames)
			defer os.RemoveAll(dir + what)
			report := mustCheck(t, dir+what, CheckOptions{})
			if _, err := Repair(t.Context(), dir+what, report); err != nil {
				t.Errorf("%s: Repair of what is%s: %v", fault, what, err)
			}
			repairedFully(t, fault+what, dir+what, before, cut)
		}
		if err != nil || len(done) != 3 {
			t.Errorf("%s: Repair = %+v, %v", fault, done, err)
		}
		said := slices.ContainsFunc(done, func(r Recovery) bool { return r.Err != nil })
		between := mustCheck(t, dir, CheckOptions{})
		if between.RepairableCount > 0 && !said {
			t.Errorf("%s: Repair told of no error and left %v", fault, between.Faults)
		}
		if _, err := Repair(t.Context(), dir, between); err != nil {
			t.Errorf("%s: the second Repair: %v", fault, err)
		}
		repairedFully(t, fault, dir, before, cut)
		return d
	})
}

// repairedFully verifies that nothing of an archive was lost while it was
// repaired; cut is what was cut off.
func repairedFully(t *testing.T, name, dir string, before CheckReport, cut map[string][]byte) {
	t.Helper()
	if after := mustCheck(t, dir, CheckOptions{}); after.FaultCount > 0 || after.Captures != before.Captures {
		t.Errorf("%s: after Repair: %+v", name, after)
	}
	for file, want := range cut {
		if !anyHolds(t, filepath.Join(dir, file+cutSuffix+"*"), want) {
			t.Errorf("%s: what was cut off %s is lost", name, file)
		}
	}
}

func anyHolds(t testing.TB, pattern string, want []byte) bool {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(paths, func(path string) bool {
		data, err := os.ReadFile(path)
		return err == nil && bytes.Equal(data, want)
	})
}

// TestExport_WhateverFails exports with a fault at every operation in turn.
func TestExport_WhateverFails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	src, _ := sample(t)
	var text bytes.Buffer
	if err := exportedCDXJ(t, src, &text, WithNoIndex); err != nil {
		t.Fatal(err)
	}
	root := memoryDir(t)
	runs := 0
	durabletest.EveryFault(t, []int{1, 3, durabletest.Lasts}, func(t *testing.T, fault string, prepare func(string) *durabletest.Disk) *durabletest.Disk {
		runs++
		dst := filepath.Join(root, fmt.Sprint(runs))
		if err := os.MkdirAll(dst, 0o700); err != nil {
			t.Fatal(err)
		}
		d := prepare(dst)
		_, err := exportWARC(t.Context(), d, src, dst, exportOptions{noIndex: true})
		if (err != nil) != d.Failed() {
			t.Errorf("%s: ExportWARC returned %v", fault, err)
		}
		for name, text := range contents(t, dst) {
			if filepath.Ext(name) != tempSuffix {
				if want, err := os.ReadFile(filepath.Join(src, name)); err != nil || text != string(want) {
					t.Errorf("%s: %s is not whole", fault, name)
				}
			}
		}
		d.Heal()
		if _, err := exportWARC(t.Context(), d, src, dst, exportOptions{noIndex: true}); err != nil {
			t.Errorf("%s: the second ExportWARC: %v", fault, err)
		}
		if got := len(scanAll(t, dst, Position{})); got != 8 {
			t.Errorf("%s: %d captures exported, want 8", fault, got)
		}
		return d
	})
	sorts := 0
	durabletest.EveryFault(t, []int{1, 3, durabletest.Lasts}, func(t *testing.T, fault string, prepare func(string) *durabletest.Disk) *durabletest.Disk {
		sorts++
		d := prepare(src)
		s := lines.NewSorterOn(d, 500)
		defer s.Close()
		err := sortLines(s, text.Bytes(), io.Discard)
		if err == nil {
			var again bytes.Buffer
			if err := sortLines(lines.NewSorterOn(durable.Disk{}, 500), text.Bytes(), &again); err != nil || !bytes.Equal(again.Bytes(), text.Bytes()) {
				t.Errorf("%s: the lines are not sorted, %v", fault, err)
			}
		}
		return d
	})
}

func sortLines(s *lines.Sorter, text []byte, w io.Writer) error {
	defer s.Close()
	for l := range bytes.Lines(text) {
		if err := s.Add(l); err != nil {
			return err
		}
	}
	return s.Write(w)
}

// survive writes what of a disk has survived a power loss to a new directory.
func survive(t testing.TB, d *durabletest.Disk, dir, to string, allNames bool) {
	t.Helper()
	if err := d.AfterPowerLoss(dir, to, allNames); err != nil {
		t.Fatal(err)
	}
}
