package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/check"
	"github.com/forage-net/forage/storage/warc/repair"
)

func (d *doctor) lookAtArchive(ctx context.Context) *Area {
	a := newArea("archive")
	within, cancel, isOver := d.checkWithin(ctx)
	defer cancel()
	report, err := check.Archive(within, d.paths.WARC(), check.Options{Live: d.running})
	if errors.Is(err, os.ErrNotExist) {
		a.Summary = "nothing fetched yet"
		return a
	}
	a.Summary = fmt.Sprintf("%s, %s, %s", count(report.Files, "file"), count(report.Captures, "capture"),
		ledger.FormatBytes(report.Bytes))
	if isOver(err) {
		a.Summary = "of the oldest files " + a.Summary
		a.note("The archive is large: what could be read in %v was looked at. \"forage doctor --dry-run\" looks at "+
			"all of it.", d.opts.ArchiveWithin)
		err = nil
	}
	if err != nil {
		a.problem("%v", err)
		return a
	}
	if report.RepairableCount > 0 && d.hands() {
		if report, err = d.repairArchive(ctx, a, report); err != nil {
			a.problem("%v", err)
			return a
		}
	}
	for _, f := range few(report.Faults) {
		if f.Repairable && !d.hands() {
			a.fixable(d, f.String())
		} else {
			a.problem("%s", faultText(f))
		}
	}
	if more := report.FaultCount - len(few(report.Faults)); more > 0 {
		a.problem("%d more of these kinds are not listed.", more)
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

// faultText says what a fault that stays means.
func faultText(f check.Fault) string {
	switch f.Kind {
	case check.Damaged, check.BlockDigest, check.PayloadDigest:
		return f.String() + ". These bytes are lost: what the disk holds is not what was written. The captures " +
			"around them can still be read."
	case check.NoOriginal, check.OtherPayload:
		return f.String() + ". The head of that answer is there, its body is not."
	}
	return f.String()
}

// repairArchive repairs files and indexes, and looks at the archive again.
func (d *doctor) repairArchive(ctx context.Context, a *Area, report check.Report) (check.Report, error) {
	done, err := repair.Archive(ctx, durable.Disk{}, d.paths.WARC(), report.RepairableFiles)
	if err != nil {
		return report, err
	}
	for _, r := range done {
		if r.Err != nil {
			a.problem("%v", r.Err)
			continue
		}
		a.repaired("%s: %s.", r.File, recoveryText(r))
	}
	return check.Archive(ctx, d.paths.WARC(), check.Options{})
}

func recoveryText(r repair.Recovery) string {
	var parts []string
	if r.Cut > 0 {
		text := fmt.Sprintf("what was behind the last complete capture, %d bytes, was cut off", r.Cut)
		if r.Aside != "" {
			text += " and kept in " + filepath.Base(r.Aside)
		}
		parts = append(parts, text)
	}
	if r.IndexLines > 0 {
		parts = append(parts, fmt.Sprintf("lines of the index rewritten: %d", r.IndexLines))
	}
	if r.IndexAside != "" {
		parts = append(parts, "the old index is kept in "+filepath.Base(r.IndexAside))
	}
	if len(parts) == 0 {
		return "the index was put in order"
	}
	return strings.Join(parts, "; ")
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
		a.note("Pieces that repairs have cut off are kept in %s (%s, with .cut or .damaged in the name) in %s. "+
			"They may be deleted.",
			count(n, "file"), ledger.FormatBytes(bytes), d.paths.WARC())
	}
}

// isAside reports whether a name ends as those of bytes that were cut off,
// numbered or not.
func isAside(name string) bool {
	name = strings.TrimRight(name, "0123456789")
	name = strings.TrimSuffix(name, ".")
	return strings.HasSuffix(name, ".cut") || strings.HasSuffix(name, ".damaged")
}
