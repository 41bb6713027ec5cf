package route_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A second model, of what becomes of one page: three fetchers that come and go, an owner that lends the
// page, and those who act for it. All that can happen in so many steps is gone through.
//
// What must hold: the page is lent to nobody while one of the last two fetchers whose lease of it lapsed can be
// reached and has fetched it, nor while the owner has been told by one and nobody has taken over since.

// recoveryRules are what an owner and fetchers keep to.
type recoveryRules struct {
	holders   int  // how many former ones are remembered
	inLog     bool // who takes over knows them
	asks      bool // before the page is lent
	keeps     bool // what comes while another has the page
	takesLate bool // what former holders tell
}

func designedRecovery() recoveryRules {
	return recoveryRules{holders: 2, inLog: true, asks: true, keeps: true, takesLate: true}
}

const recoverers = 3

// pageWorld can be compared: it is its own key.
type pageWorld struct {
	up      [recoverers]bool
	has     [recoverers]bool // has fetched it, and told nobody
	told    [recoverers]bool // the owner, which has it in memory
	holder  int8             // -1: nobody
	settled bool
	former  [2]int8 // as the owner knows them, the latest first
	truth   [2]int8 // the last two whose leases lapsed
}

func (w *pageWorld) lapsed(list *[2]int8, holders int) {
	if holders > 1 {
		list[1] = list[0]
	}
	list[0] = w.holder
}

// remembered reports whether what a fetcher tells of a lease that is over is taken.
func (w *pageWorld) remembered(f int) bool { return slices.Contains(w.former[:], int8(f)) }

// tell brings what a fetcher has to the owner.
func (w *pageWorld) tell(r *recoveryRules, f int) {
	if !w.has[f] {
		return
	}
	w.has[f] = false // it is acknowledged in any case
	switch {
	case w.holder == int8(f):
		w.settled, w.holder = true, -1
	case !r.takesLate || !w.remembered(f):
	case w.holder < 0:
		w.settled = true
	case r.keeps:
		w.told[f] = true
	}
}

// lend lends the page, if it has to be, and says what is wrong with that.
func (w *pageWorld) lend(r *recoveryRules, f int) (wrong string) {
	before := *w
	for i := range recoverers {
		if w.told[i] {
			w.settled = true
		}
		if r.asks && w.up[i] && w.remembered(i) {
			w.tell(r, i)
		}
	}
	if w.settled {
		return ""
	}
	for _, i := range w.truth {
		if i >= 0 && before.up[i] && before.has[i] {
			wrong = fmt.Sprintf("the page was lent though f%d has it", i)
		}
	}
	w.holder = int8(f)
	return wrong
}

// do lets a step happen; ok is false if it cannot.
func (w *pageWorld) do(r *recoveryRules, step string, f int) (wrong string, ok bool) {
	switch step {
	case "lend":
		if w.settled || w.holder >= 0 || !w.up[f] {
			return "", false
		}
		return w.lend(r, f), true
	case "fetch":
		if w.holder != int8(f) || w.has[f] {
			return "", false
		}
		w.has[f] = true
	case "tell":
		if !w.up[f] || !w.has[f] {
			return "", false
		}
		dropped := !w.settled && slices.Contains(w.truth[:], int8(f)) && w.holder != int8(f)
		w.tell(r, f)
		if dropped && !w.settled && !w.told[f] {
			return fmt.Sprintf("what f%d told was dropped", f), true
		}
	case "go":
		if !w.up[f] {
			return "", false
		}
		w.up[f] = false
	case "come":
		if w.up[f] {
			return "", false
		}
		w.up[f] = true
	case "lapse":
		if w.holder < 0 {
			return "", false
		}
		w.lapsed(&w.former, r.holders)
		w.lapsed(&w.truth, 2)
		w.holder = -1
	case "take over":
		w.told = [recoverers]bool{}
		if !r.inLog {
			w.former = [2]int8{-1, -1}
		}
	}
	return "", true
}

// explorePage goes through all that can happen in so many steps, the shortest ways first. It returns the
// first way to what must not be, and how many worlds there are.
func explorePage(r *recoveryRules, steps int) (wrong, trace string, worlds int) {
	first := pageWorld{up: [recoverers]bool{true, true, true}, holder: -1, former: [2]int8{-1, -1}, truth: [2]int8{-1, -1}}
	seen := map[pageWorld]string{first: ""}
	layer := []pageWorld{first}
	for range steps {
		var next []pageWorld
		for _, w := range layer {
			for _, step := range []string{"lend", "fetch", "tell", "go", "come", "lapse", "take over"} {
				for f := range recoverers {
					name := fmt.Sprint(step, " f", f)
					if step == "lapse" || step == "take over" {
						if name = step; f > 0 {
							break
						}
					}
					x := w
					wrong, ok := x.do(r, step, f)
					way := strings.TrimPrefix(seen[w]+", "+name, ", ")
					if wrong != "" {
						return wrong, way, len(seen)
					}
					if _, was := seen[x]; !ok || was {
						continue
					}
					seen[x] = way
					next = append(next, x)
				}
			}
		}
		layer = next
	}
	return "", "", len(seen)
}

func TestRecoveryModel_NoPageIsLentThatAFormerHolderHas(t *testing.T) {
	r := designedRecovery()
	wrong, trace, worlds := explorePage(&r, 40)
	if wrong != "" {
		t.Errorf("%s: %s", wrong, trace)
	}
	if worlds < 1000 {
		t.Errorf("there are only %d worlds", worlds)
	}
	t.Logf("%d worlds", worlds)
}

// Each rule is needed: without it, this is the shortest way to what must not be.
func TestRecoveryModel_FindsEachBrokenRule(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*recoveryRules)
		wrong string
		trace string
	}{
		{"only the last holder is remembered", func(r *recoveryRules) { r.holders = 1 },
			"the page was lent though f0 has it",
			"lend f0, fetch f0, go f0, lapse, lend f1, come f0, lapse, lend f0"},
		{"who takes over knows of none", func(r *recoveryRules) { r.inLog = false },
			"the page was lent though f0 has it",
			"lend f0, fetch f0, lapse, take over, lend f0"},
		{"nobody is asked", func(r *recoveryRules) { r.asks = false },
			"the page was lent though f0 has it",
			"lend f0, fetch f0, lapse, lend f0"},
		{"what comes while another has the page is dropped", func(r *recoveryRules) { r.keeps = false },
			"what f0 told was dropped",
			"lend f0, fetch f0, go f0, lapse, lend f1, come f0, tell f0"},
		{"what former holders tell is not taken", func(r *recoveryRules) { r.takesLate = false },
			"the page was lent though f0 has it",
			"lend f0, fetch f0, lapse, lend f0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := designedRecovery()
			c.spoil(&r)
			wrong, trace, _ := explorePage(&r, 40)
			if wrong != c.wrong || trace != c.trace {
				t.Errorf("%s: %s\nwant %s: %s", wrong, trace, c.wrong, c.trace)
			}
		})
	}
}
