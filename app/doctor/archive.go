package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/check"
	"github.com/forage-net/forage/storage/warc/repair"
)

func (d *doctor) lookAtArchive(ctx context.Context) *Area {
	a := d.area("archive")
	within, cancel, isOver := d.checkWithin(ctx)
	defer cancel()
	report, err := check.Archive(within, d.paths.WARC(), check.Options{Live: d.running})
	if errors.Is(err, os.ErrNotExist) {
		a.Summary = d.say("said.doctor.nothing-fetched-yet", nil)
		return a
	}
	a.Summary = d.say("said.doctor.files", words.Args{"count": report.Files}) + ", " +
		d.say("said.doctor.captures", words.Args{"count": report.Captures}) + ", " + ledger.FormatBytes(report.Bytes)
	if isOver(err) {
		a.Summary = d.say("said.doctor.of-the-oldest-files", words.Args{"rest": a.Summary})
		a.note(words.New("said.doctor.the-archive-is-large-what-could", words.Args{"time": d.opts.ArchiveWithin}))
		err = nil
	}
	if err != nil {
		a.problem(err)
		return a
	}
	if report.RepairableCount > 0 && d.hands() {
		if report, err = d.repairArchive(ctx, a, report); err != nil {
			a.problem(err)
			return a
		}
	}
	for _, f := range few(report.Faults) {
		if f.Repairable && !d.hands() {
			a.fixable(d, f)
		} else {
			a.problem(lasting(f))
		}
	}
	if more := report.FaultCount - len(few(report.Faults)); more > 0 {
		a.problem(words.New("said.doctor.more-of-these-kinds-are-not", words.Args{"count": more}))
	}
	d.noteAside(a)
	return a
}

// alike is how many faults of one kind are told of each file: a file cut in
// half has an index of hundreds of lines too many.
const alike = 3

// few returns the first faults of each kind in each file.
func few(faults []check.Fault) (list []check.Fault) {
	type kind struct {
		file string
		kind check.Kind
	}
	told := make(map[kind]int)
	for _, f := range faults {
		k := kind{f.File, f.Kind}
		if told[k]++; told[k] <= alike {
			list = append(list, f)
		}
	}
	return list
}

// lasting says what a fault that stays means.
func lasting(f check.Fault) error {
	switch f.Kind {
	case check.Damaged, check.BlockDigest, check.PayloadDigest:
		return words.New("said.doctor.these-bytes-are-lost-what-the", words.Args{"fault": f})
	case check.NoOriginal, check.OtherPayload:
		return words.New("said.doctor.the-head-of-that-answer-is", words.Args{"fault": f})
	}
	return f
}

// repairArchive repairs files and indexes, and looks at the archive again.
func (d *doctor) repairArchive(ctx context.Context, a *Area, report check.Report) (check.Report, error) {
	done, err := repair.Archive(ctx, durable.Disk{}, d.paths.WARC(), report.RepairableFiles)
	if err != nil {
		return report, err
	}
	for _, r := range done {
		if r.Err != nil {
			a.problem(r.Err)
			continue
		}
		a.repaired(sentence{words.Join(": ", errors.New(r.File), recovered(r))})
	}
	return check.Archive(ctx, d.paths.WARC(), check.Options{})
}

// recovered says what was done to a file.
func recovered(r repair.Recovery) error {
	var parts []error
	switch {
	case r.Cut > 0 && r.Aside != "":
		parts = append(parts, words.New("said.doctor.what-was-behind-the-last-complete",
			words.Args{"count": r.Cut, "file": filepath.Base(r.Aside)}))
	case r.Cut > 0:
		parts = append(parts, words.New("said.doctor.what-was-behind-the-last-complete-2", words.Args{"count": r.Cut}))
	}
	if r.IndexLines > 0 {
		parts = append(parts, words.New("said.doctor.lines-of-the-index-written-anew",
			words.Args{"count": r.IndexLines}))
	}
	if r.IndexAside != "" {
		parts = append(parts, words.New("said.doctor.the-old-index-is-kept-in",
			words.Args{"file": filepath.Base(r.IndexAside)}))
	}
	if len(parts) == 0 {
		return words.New("said.doctor.the-index-was-put-in-order", nil)
	}
	return words.Join("; ", parts...)
}

// noteAside tells of bytes that recovery has kept, which nobody needs any more
// who does not want to look into them.
func (d *doctor) noteAside(a *Area) {
	entries, err := os.ReadDir(d.paths.WARC())
	if err != nil {
		return // told already
	}
	n, bytes := 0, int64(0)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "forage-") || !isAside(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil {
			n++
			bytes += info.Size()
		}
	}
	if n > 0 {
		a.note(words.New("said.doctor.what-repairs-have-cut-off-is", words.Args{
			"files": words.New("said.doctor.files", words.Args{"count": n}), "size": ledger.FormatBytes(bytes),
			"folder": d.paths.WARC(),
		}))
	}
}

// isAside reports whether a name ends as those of bytes that were cut off,
// numbered or not.
func isAside(name string) bool {
	name = strings.TrimRight(name, "0123456789")
	name = strings.TrimSuffix(name, ".")
	return strings.HasSuffix(name, ".cut") || strings.HasSuffix(name, ".damaged")
}
