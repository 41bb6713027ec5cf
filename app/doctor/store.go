package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/storage"
)

// lookAtStore looks at the file of the store, and at the records that are not
// the frontier's.
func (d *doctor) lookAtStore(ctx context.Context) *Area {
	a := newArea("store")
	a.Summary = d.store()
	if d.running {
		a.Summary = "in use by the node"
		return a
	}
	x, err := storage.Examine(ctx, d.store())
	switch {
	case errors.Is(err, os.ErrNotExist):
		a.Summary = "none yet; \"forage run\" makes one"
		return a
	case errors.Is(err, storage.ErrDamaged):
		a.problem("%v. %s", err, d.wayBack())
		return a
	case errors.Is(err, storage.ErrNewer):
		a.problem("%v. Nothing was changed.", err)
		return a
	case err != nil:
		a.problem("%v", err)
		return a
	}
	a.Summary = fmt.Sprintf("%s, %d entries", ledger.FormatBytes(x.Bytes), x.Keys)
	for _, note := range x.Notes {
		a.note("%s.", sentence(note))
	}
	if !d.openable(a, x) {
		return a
	}
	d.sound = true
	d.repairStore(ctx, a, func(db *storage.DB, dry bool) ([]storage.Mended, error) {
		return ledger.RepairRecords(ctx, db, d.paths.WARC(), d.opts.Thorough, dry)
	})
	return a
}

// openable makes the store one that can be opened, and reports whether it is.
func (d *doctor) openable(a *Area, x storage.Examination) bool {
	if len(x.Faults) > 0 && !d.hands() {
		for _, fault := range x.Faults {
			a.fixable(d, sentence(fault))
		}
		return false
	}
	if len(x.Faults) > 0 {
		d.release() // writing needs the store alone
		done, err := storage.Mend(d.store())
		if err != nil {
			a.problem("%v", err)
			return false
		}
		for _, text := range done {
			a.repaired("%s.", sentence(text))
		}
	}
	return true
}

// wayBack says what to do about a store that cannot be opened.
func (d *doctor) wayBack() string {
	return fmt.Sprintf("It cannot be repaired, and nothing in it was changed. The pages in %s are safe: they do "+
		"not need the store. "+
		"To go on, move it away (mv %q %q); \"forage run\" then gets back what other members keep for this node, "+
		"or begins anew from the "+
		"seeds. Lost with it are the statistics and, without others, the URLs found and not visited yet, which "+
		"pages are known (they are "+
		"fetched again), and when sites may be visited next.",
		d.paths.WARC(), d.store(), d.store()+".damaged")
}

// sentence makes the first letter a capital.
func sentence(text string) string {
	if text != "" && 'a' <= text[0] && text[0] <= 'z' {
		return string(text[0]-'a'+'A') + text[1:]
	}
	return text
}

// repairStore looks for what fn mends, and lets it do so only if there is
// anything: a healthy store is not written to.
func (d *doctor) repairStore(
	ctx context.Context, a *Area, fn func(db *storage.DB, dry bool) ([]storage.Mended, error),
) (clean bool) {
	found, err := d.withStore(true, fn)
	if err == nil && len(found) > 0 && d.hands() {
		d.release()
		found, err = d.withStore(false, fn)
	}
	if err != nil {
		if ctx.Err() == nil {
			a.problem("%v", err)
		}
		return false
	}
	for _, m := range found {
		if d.hands() {
			a.repaired("%s.", sentence(m.String()))
		} else {
			a.fixable(d, fmt.Sprintf("%s: %d", sentence(m.Found), m.Count))
		}
	}
	return len(found) == 0 || d.hands()
}

func (d *doctor) withStore(
	dry bool, fn func(*storage.DB, bool) ([]storage.Mended, error),
) (found []storage.Mended, err error) {
	db, err := storage.Open(d.store(), storage.Options{ReadOnly: dry})
	if err != nil {
		return nil, err
	}
	found, err = fn(db, dry)
	return found, errors.Join(err, db.Close())
}

// lookAtFrontier looks at what members keep together, and at the indexes of the frontier.
func (d *doctor) lookAtFrontier(ctx context.Context) *Area {
	a := newArea("frontier")
	switch {
	case d.running:
		a.Summary = "in use by the node"
		return a
	case !d.sound:
		a.Summary = "not looked at"
		return a
	}
	clean := d.repairStore(ctx, a, func(db *storage.DB, dry bool) ([]storage.Mended, error) {
		return repairShared(ctx, db, dry)
	})
	if !clean || ctx.Err() != nil {
		return a
	}
	_, err := d.withStore(true, func(db *storage.DB, _ bool) ([]storage.Mended, error) {
		t, err := CheckFrontier(db)
		a.Summary = fmt.Sprintf("%d domains, %d URLs known, %d queued", t.Domains, t.Known, t.Queued)
		if t.Domains == 0 {
			a.Summary = "empty"
		}
		return nil, err
	})
	if err != nil {
		a.problem("%v", err)
	}
	return a
}
