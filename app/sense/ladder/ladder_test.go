package ladder

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

// rig is a source that does as it is told.
type rig struct {
	mu   sync.Mutex
	fail error
	hang bool
	n    int
	runs int
	kick chan struct{}
}

func newRig(n int) *rig { return &rig{n: n, kick: make(chan struct{}, 1)} }

func (r *rig) set(n int, fail error, hang bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n, r.fail, r.hang = n, fail, hang
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

func (r *rig) run(ctx context.Context, report func(int)) error {
	r.mu.Lock()
	r.runs++
	r.mu.Unlock()
	for {
		r.mu.Lock()
		n, fail, hang := r.n, r.fail, r.hang
		r.mu.Unlock()
		if fail != nil {
			return fail
		}
		if !hang {
			report(n)
		}
		select {
		case <-r.kick:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func ladderOf(t *testing.T, rigs map[string]*rig, order ...string) (l *Ladder[int], stop func()) {
	var list []Source[int]
	for _, name := range order {
		list = append(list, Source[int]{name, rigs[name].run})
	}
	shared := &Shared{Now: time.Now, Changed: func() {}}
	same := func(a, b int) bool { return a == b }
	l = New(shared, "number", same, func(string, int) string { return "" }, list,
		errors.New("there is no source"))
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { l.Serve(ctx) })
	return l, func() { cancel(); all.Wait() }
}

func (l *Ladder[T]) settled() Reading[T] {
	synctest.Wait()
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return l.read
}

// is compares a reading with what it should be.
func is(t *testing.T, name string, got Reading[int], want int, source string) {
	t.Helper()
	if !got.Known || got.Value != want || got.Source != source {
		t.Errorf("%s = %+v, want %d by %s", name, got, want, source)
	}
}

func unknown(t *testing.T, name string, got Reading[int]) {
	t.Helper()
	if got.Known || got.Why == nil {
		t.Errorf("%s = %+v, want it not known, and why", name, got)
	}
}

var errBroken = errors.New("broken")

func TestLadder_TakesTheFirstThatWorksAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, c := newRig(1), newRig(2), newRig(3)
		l, stop := ladderOf(t, map[string]*rig{"a": a, "b": b, "c": c}, "a", "b", "c")
		defer stop()
		is(t, "at first", l.settled(), 1, "a")
		if b.runs+c.runs != 0 {
			t.Error("sources ran that were not needed")
		}
		a.set(0, errBroken, false)
		is(t, "a broken", l.settled(), 2, "b")
		b.set(0, errBroken, false)
		is(t, "a, b broken", l.settled(), 3, "c")
		a.set(11, nil, false)
		time.Sleep(retryMost)
		is(t, "a back", l.settled(), 11, "a")
		a.set(0, errBroken, false)
		b.set(12, nil, false) // it was needless, so that it is tried at once
		is(t, "a broken again", l.settled(), 12, "b")
		b.set(0, errBroken, false)
		c.set(0, errBroken, false)
		got := l.settled()
		unknown(t, "all broken", got)
		for _, name := range []string{"a: broken", "b: broken", "c: broken"} {
			if !strings.Contains(got.Why.Error(), name) {
				t.Errorf("Why = %q, want it to tell %q", got.Why, name)
			}
		}
		c.set(33, nil, false)
		time.Sleep(retryMost)
		is(t, "c back", l.settled(), 33, "c")
		stop()
		unknown(t, "after the end", l.settled())
	})
}

func TestLadder_SourceThatHangsIsPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newRig(1), newRig(2)
		a.set(1, nil, true)
		l, stop := ladderOf(t, map[string]*rig{"a": a, "b": b}, "a", "b")
		defer stop()
		unknown(t, "at first", l.settled())
		time.Sleep(answerWithin)
		is(t, "a hangs", l.settled(), 2, "b")
		time.Sleep(10 * time.Minute)
		is(t, "a still hangs", l.settled(), 2, "b")
		if a.runs < 4 || a.runs > 20 {
			t.Errorf("the source that hangs was tried %d times in ten minutes", a.runs)
		}
		if b.runs != 1 {
			t.Errorf("the other one was started %d times", b.runs)
		}
	})
}

// While others are asked, a value may be old, but not for long: it may say that
// nobody is there.
func TestLadder_ValueDoesNotOutliveItsSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newRig(1), newRig(2)
		b.set(2, nil, true)
		l, stop := ladderOf(t, map[string]*rig{"a": a, "b": b}, "a", "b")
		defer stop()
		is(t, "at first", l.settled(), 1, "a")
		a.set(0, errBroken, false)
		is(t, "for a moment", l.settled(), 1, "a")
		time.Sleep(grace)
		unknown(t, "later", l.settled())
	})
}

func TestLadder_WithoutSourcesSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stop := ladderOf(t, nil)
		defer stop()
		if got := l.settled(); got.Known || fmt.Sprint(got.Why) != "there is no source" {
			t.Errorf("reading = %+v", got)
		}
	})
}

// Why nothing is known is kept without a language: each reader has it in one.
func TestLadder_SaysWhyInALanguage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clocks := newRig(1)
		clocks.set(0, local.ErrNoAnswer, false)
		l, stop := ladderOf(t, map[string]*rig{"clocks": clocks}, "clocks")
		defer stop()
		l.settled()
		l.Mu.Lock()
		defer l.Mu.Unlock()
		for lang, want := range map[string]string{
			words.English: "clocks: it did not answer in time", words.German: "Uhren: hat nicht rechtzeitig geantwortet",
		} {
			if got := l.Status(lang).Why; got != want {
				t.Errorf("in %q it says %q, want %q", lang, got, want)
			}
		}
	})
}
