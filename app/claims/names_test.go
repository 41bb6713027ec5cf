package claims

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/crawl"
)

// zone is a DNS. It notes what it is asked for, and when.
type zone struct {
	mu    sync.Mutex
	texts map[string][]string
	fault error
	asked []string
	times []time.Time
}

func (z *zone) LookupTXT(ctx context.Context, name string) ([]string, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.asked, z.times = append(z.asked, name), append(z.times, time.Now())
	if z.fault != nil {
		return nil, z.fault
	}
	if texts, ok := z.texts[name]; ok {
		return texts, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func (z *zone) set(fault error, texts ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.fault, z.texts = fault, map[string][]string{"_forage.mine.example.": texts}
}

// took returns how many questions there were since the last call.
func (z *zone) took() int {
	z.mu.Lock()
	defer z.mu.Unlock()
	n := len(z.asked)
	z.asked, z.times = nil, nil
	return n
}

// serving runs a test beside claims that ask a zone, in virtual time.
func serving(t *testing.T, may func(crawl.Domain) bool, test func(c *Book, z *zone)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		z := new(zone)
		c := New(Config{Node: self, Names: z, May: may, Now: time.Now}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var served sync.WaitGroup
		served.Go(func() { c.Serve(ctx) })
		defer served.Wait()
		defer cancel()
		test(c, z)
	})
}

// pass lets time pass, and what is to happen in it happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestServe_ARecordProvesWhileItIsThere(t *testing.T) {
	serving(t, nil, func(c *Book, z *zone) {
		pass(48 * time.Hour)
		if n := z.took(); n != 0 {
			t.Errorf("%d questions with an empty list", n)
		}
		z.set(nil, "v=spf1 -all", "forage-node="+other)
		c.List([]crawl.Domain{mine})
		pass(time.Second)
		if z.took() != 1 || c.Proved(mine) {
			t.Errorf("another node's record: proved %v", c.Proved(mine))
		}
		z.set(nil, "forage-node="+other, " Forage-Node= "+self)
		pass(firstRetry + 10*time.Second)
		if z.took() != 1 || !c.Proved(mine) {
			t.Fatal("the record was not seen at the next look")
		}
		pass(23 * time.Hour)
		if n := z.took(); n != 0 {
			t.Errorf("%d questions within a day", n)
		}
		z.set(errors.New("no answer"))
		pass(2 * time.Hour)
		if n := z.took(); n < 3 || n > 6 || !c.Proved(mine) {
			t.Errorf("%d questions in an hour without an answer, proved %v", n, c.Proved(mine))
		}
		pass(24 * time.Hour)
		if c.Proved(mine) {
			t.Error("proved two days after the record was seen last")
		}
		z.set(nil, "forage-node="+self)
		pass(24 * time.Hour)
		if !c.Proved(mine) {
			t.Error("not proved when there was an answer again")
		}
		z.set(nil)
		pass(24 * time.Hour)
		if c.Proved(mine) {
			t.Error("proved when the record was gone")
		}
	})
}

func TestServe_AsksMoreAndMoreSeldomWhereThereIsNothing(t *testing.T) {
	serving(t, nil, func(c *Book, z *zone) {
		c.List([]crawl.Domain{mine})
		pass(10 * 24 * time.Hour)
		z.mu.Lock()
		times := slices.Clone(z.times)
		z.mu.Unlock()
		if len(times) < 10 || len(times) > 20 {
			t.Fatalf("%d questions in ten days", len(times))
		}
		for i := 2; i < len(times); i++ {
			wait, before := times[i].Sub(times[i-1]), times[i-1].Sub(times[i-2])
			if wait > lookEvery+4*time.Second || wait < before-4*time.Second {
				t.Errorf("question %d came %v after the last, that one %v after the one before", i, wait, before)
			}
		}
	})
}

func TestServe_AsksNothingWhereNothingMayBeSent(t *testing.T) {
	allowed := false
	var mu sync.Mutex
	may := func(d crawl.Domain) bool {
		mu.Lock()
		defer mu.Unlock()
		return allowed && d != "never.example"
	}
	serving(t, may, func(c *Book, z *zone) {
		c.List([]crawl.Domain{mine, "never.example"})
		pass(time.Hour)
		if n := z.took(); n != 0 {
			t.Errorf("%d questions while nothing may be sent", n)
		}
		mu.Lock()
		allowed = true
		mu.Unlock()
		pass(2 * mayWait)
		if !slices.Equal(z.asked, []string{"_forage.mine.example."}) {
			t.Errorf("asked for %q", z.asked)
		}
	})
}

func TestServe_WithoutNamesAsksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Node: self, Now: time.Now}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		c.List([]crawl.Domain{mine})
		if err := c.Serve(ctx); !errors.Is(err, context.DeadlineExceeded) || c.Proved(mine) {
			t.Errorf("Serve = %v, proved %v", err, c.Proved(mine))
		}
	})
}

func FuzzReadText(f *testing.F) {
	f.Add("forage-node=" + self)
	f.Add(" FORAGE-NODE=\t" + self + "\n")
	f.Add("forage-node")
	f.Fuzz(func(t *testing.T, text string) {
		node := readText(text)
		if node != strings.TrimSpace(node) || len(node) > maxText || !strings.Contains(text, node) {
			t.Errorf("%q names %q", text, node)
		}
		if node == self && !strings.Contains(strings.ToLower(text), "forage-node=") {
			t.Errorf("%q names this node", text)
		}
	})
}
