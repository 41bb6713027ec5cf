package frontier

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// A domain whose robots.txt cannot be had for weeks retires; one that was
// silent for days, or that nobody asked for weeks, does not.
func TestRetire_DomainWhoseRobotsCannotBeHad(t *testing.T) {
	silent := crawl.Outcome{Result: crawl.Deferred, NoRobots: true, Reason: "robots.txt could not be reached"}
	for _, c := range []struct {
		name    string
		wait    time.Duration // between attempts
		tries   int
		answer  int // after so many attempts a page is answered; 0: never
		retired bool
	}{
		{"a day each for three weeks", day, 25, 0, true},
		{"often, but for days", time.Hour, 60, 0, false},
		{"for weeks, but rarely", 8 * day, 10, 0, false},
		{"answered in between", day, 30, 15, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, Config{})
			r.enqueue("http://a.test/1", "http://a.test/2")
			for i := range c.tries {
				p := r.pick()
				if err := r.Wake(t.Context(), p); err != nil {
					t.Fatal(err)
				}
				if r.info("a.test").Retired {
					break
				}
				l := r.lease()
				o := silent
				o.Wait = c.wait
				if c.answer > 0 && i == c.answer {
					o = page(1)
				}
				r.settle(l, l.Tasks[0], r.at(o))
				r.release(l)
				r.advance(max(c.wait, crawl.MaxWait/24) + time.Minute)
			}
			info := r.info("a.test")
			if info.Retired != c.retired || c.retired && info.Reason != silent.Reason {
				t.Errorf("retired %v, want %v: %+v", info.Retired, c.retired, info)
			}
			if !c.retired {
				return
			}
			r.advance(31 * day)
			r.wake()
			r.wake() // the hold of the host
			l := r.lease()
			r.settle(l, l.Tasks[0], r.at(page(1)))
			r.release(l)
			if info := r.info("a.test"); info.Retired || info.Fetched != 1 {
				t.Errorf("after an answer: %+v", info)
			}
		})
	}
}
