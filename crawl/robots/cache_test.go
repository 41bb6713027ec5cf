package robots

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// memStore is a Store in memory that can be told to fail.
type memStore struct {
	mu    sync.Mutex
	data  map[string][]byte
	reads int
	err   error
}

func (s *memStore) Robots(origin string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	return s.data[origin], s.err
}

func (s *memStore) PutRobots(origin string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if s.data == nil {
		s.data = map[string][]byte{}
	}
	s.data[origin] = append([]byte(nil), data...)
	return nil
}

const origin = "http://www.example.com"

func ruleRecord(body string) Record {
	return Record{Class: ClassRules, Fetched: noon, Status: 200, Body: condense([]byte(body), crawl.URL{})}
}

func TestCache_AnswersFromMemoryThenStore(t *testing.T) {
	s := &memStore{}
	c := NewCache(s, 0)
	if r, rules, fresh := c.Get(noon, origin); fresh || r.Class != 0 || rules.Allowed(pageOf(t, "/")) {
		t.Errorf("of an unknown origin: %+v, fresh %v", r, fresh)
	}
	if err := c.Put(origin, ruleRecord(allBut)); err != nil {
		t.Fatal(err)
	}
	reads := s.reads
	for _, c := range []*Cache{c, NewCache(s, 0)} {
		r, rules, fresh := c.Get(noon.Add(time.Hour), origin)
		if !fresh || r.Status != 200 || r.Body != nil || rules.Allowed(pageOf(t, "/no")) || !rules.Allowed(pageOf(t, "/ok")) {
			t.Errorf("record %+v, fresh %v", r, fresh)
		}
		if r, _, fresh := c.Get(noon.Add(24*time.Hour), origin); fresh || r.Class != ClassRules {
			t.Errorf("a day later: %+v, fresh %v", r, fresh)
		}
	}
	if s.reads != reads+1 {
		t.Errorf("the store was read %d times, want once, by the new cache", s.reads-reads)
	}
}

func TestCache_LastPutWins(t *testing.T) {
	c := NewCache(&memStore{}, 0)
	for _, body := range []string{allBut, "User-agent: *\nDisallow: /\n"} {
		if err := c.Put(origin, ruleRecord(body)); err != nil {
			t.Fatal(err)
		}
	}
	late := newEntry(origin, ruleRecord(allBut)) // read from the store before the last Put
	if e := c.insert(late, false); e.rules.Allowed(pageOf(t, "/ok")) {
		t.Error("an older record replaced a newer one")
	}
}

func TestCache_IsBounded(t *testing.T) {
	c := NewCache(&memStore{}, 10)
	for i := range 50 {
		if err := c.Put(fmt.Sprint("http://", i), ruleRecord(allBut)); err != nil {
			t.Fatal(err)
		}
		c.Get(noon, "http://0") // stays in use
	}
	if c.entries.Len() != 10 || !c.entries.Contains("http://0") || !c.entries.Contains("http://49") || c.entries.Contains("http://39") {
		t.Errorf("%d entries: %v", c.entries.Len(), c.entries.Keys())
	}

	c = NewCache(&memStore{}, 0)
	long := ruleRecord("User-agent: *\n" + strings.Repeat("Disallow: /x\n", MaxBody/13-2))
	rules := long.Rules()
	for i := range 100 {
		c.insert(&entry{origin: fmt.Sprint("http://", i), record: long, rules: rules}, true)
	}
	if c.bytes > maxCacheBytes || c.entries.Len() < 10 || c.entries.Len() == 100 {
		t.Errorf("%d entries of %d bytes", c.entries.Len(), c.bytes)
	}
	sum := 0
	for _, e := range c.entries.Values() {
		sum += e.size()
	}
	if sum != c.bytes {
		t.Errorf("%d bytes counted, want %d", c.bytes, sum)
	}
}

func TestCache_SurvivesABadStore(t *testing.T) {
	s := &memStore{data: map[string][]byte{origin: []byte("junk")}}
	c := NewCache(s, 0)
	if _, rules, fresh := c.Get(noon, origin); fresh || rules.Allowed(pageOf(t, "/")) {
		t.Error("junk in the store allows something")
	}
	s.err = errors.New("disk on fire")
	if _, _, fresh := c.Get(noon, origin); fresh {
		t.Error("a record from a broken store is fresh")
	}
	if err := c.Put(origin, ruleRecord(allBut)); !errors.Is(err, s.err) {
		t.Errorf("Put: %v, want %v", err, s.err)
	}
	if _, rules, fresh := c.Get(noon, origin); !fresh || rules.Allowed(pageOf(t, "/no")) {
		t.Error("what the store did not take is forgotten")
	}
	if err := c.Put(origin, Record{}); !errors.Is(err, ErrRecord) {
		t.Errorf("Put of the zero record: %v, want ErrRecord", err)
	}
}

func TestCache_Concurrent(t *testing.T) {
	c := NewCache(&memStore{}, 4)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 200 {
				o := fmt.Sprint("http://", (i+j)%7)
				if j%3 == 0 {
					if err := c.Put(o, ruleRecord(allBut)); err != nil {
						t.Error(err)
					}
				}
				if _, rules, fresh := c.Get(noon, o); fresh && rules.Allowed(pageOf(t, "/no")) {
					t.Error("forbidden page allowed")
				}
			}
		})
	}
	wg.Wait()
	if c.entries.Len() > 4 {
		t.Errorf("%d entries, want 4 at most", c.entries.Len())
	}
}
