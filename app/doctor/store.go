package doctor

import (
	"context"
	"errors"
	"os"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
)

// lookAtStore looks at the file of the store, and at the records that are not
// the frontier's.
func (d *doctor) lookAtStore(ctx context.Context) *Area {
	a := d.area("store")
	a.Summary = d.store()
	if d.running {
		a.Summary = d.say("said.doctor.in-use-by-the-node", nil)
		return a
	}
	x, err := storage.Examine(ctx, d.store())
	switch {
	case errors.Is(err, os.ErrNotExist):
		a.Summary = d.say("said.doctor.none-yet-forage-run-makes-one", nil)
		return a
	case errors.Is(err, storage.ErrDamaged):
		a.problem(words.New("said.doctor.it-cannot-be-repaired-and-nothing", words.Args{
			"fault": err, "folder": d.paths.WARC(), "from": strconv.Quote(d.store()),
			"to": strconv.Quote(d.store() + ".damaged"),
		}))
		return a
	case errors.Is(err, storage.ErrNewer):
		a.problem(words.New("said.doctor.nothing-was-changed", words.Args{"error": err}))
		return a
	case err != nil:
		a.problem(err)
		return a
	}
	a.Summary = ledger.FormatBytes(x.Bytes) + ", " + d.say("said.doctor.entries", words.Args{"count": x.Keys})
	for _, note := range x.Notes {
		a.note(sentence{note})
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
			a.fixable(d, capital{fault})
		}
		return false
	}
	if len(x.Faults) > 0 {
		d.release() // writing needs the store alone
		done, err := storage.Mend(d.store())
		if err != nil {
			a.problem(err)
			return false
		}
		for _, what := range done {
			a.repaired(sentence{what})
		}
	}
	return true
}

// capital is an error that begins with a capital, sentence one that ends with a full stop, too.
type (
	capital  struct{ error }
	sentence struct{ error }
)

// In says it in a language.
func (c capital) In(lang string) string {
	text := words.In(lang, c.error)
	first, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[n:]
}

// In says it in a language.
func (s sentence) In(lang string) string { return capital(s).In(lang) + "." }

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
			a.problem(err)
		}
		return false
	}
	for _, m := range found {
		if d.hands() {
			a.repaired(sentence{m})
		} else {
			a.fixable(d, capital{words.Join(": ", m.Found, errors.New(strconv.Itoa(m.Count)))})
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
	a := d.area("frontier")
	switch {
	case d.running:
		a.Summary = d.say("said.doctor.in-use-by-the-node", nil)
		return a
	case !d.sound:
		a.Summary = d.say("said.doctor.not-looked-at", nil)
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
		a.Summary = d.say("said.doctor.domains-urls-known-queued", words.Args{
			"domains": int64(t.Domains), "known": int64(t.Known), "queued": int64(t.Queued),
		})
		if t.Domains == 0 {
			a.Summary = d.say("said.doctor.empty", nil)
		}
		return nil, err
	})
	if err != nil {
		a.problem(err)
	}
	return a
}
