package frontier

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// movedItems are those of a domain that has seen a few days.
func movedItems(t testing.TB, seed uint64) (all [][]byte) {
	db, cfg := lived(t, seed)
	f := &Frontier{db: db, cfg: cfg}
	err := db.View(func(tx *storage.Tx) error {
		b, err := openBuckets(tx, "self")
		if err != nil {
			return err
		}
		return b.domains.ForEach(func(key, _ []byte) error {
			r, _, err := b.readDomain(crawl.Domain(key))
			if err != nil {
				return err
			}
			x := exporter{f: f, name: crawl.Domain(key), room: 1 << 20}
			r.Closing = &closing{To: "dst", N: 1}
			x.b = &b
			if err := x.run(&b, []byte{byte(itemRecord)}); err != nil {
				return err
			}
			data, err := encode.Marshal(movedDomain{Record: r.moved(), Due: time.Minute})
			all = append(append(append(all, x.items[0]), append([]byte{byte(itemRecord)}, data...)), x.items[1:]...)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCheckItems_PassesWhatIsExported(t *testing.T) {
	items := movedItems(t, 1)
	domains, err := CheckItems(items)
	if err != nil || len(domains) != 6 {
		t.Errorf("CheckItems = %v, %v, want six domains", domains, err)
	}
	kinds := make(map[byte]int)
	for _, it := range items {
		kinds[it[0]]++
	}
	for k := itemDomain; k <= itemTask; k++ {
		if kinds[byte(k)] == 0 {
			t.Errorf("no item of kind %d", k)
		}
	}
}

func TestCheckItems_RefusesWhatNoFrontierMakes(t *testing.T) {
	domain := []byte("\x01a.test")
	record := func(d movedDomain) []byte {
		data, err := encode.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		return append([]byte{byte(itemRecord)}, data...)
	}
	visit := func(p movedPage) []byte {
		data, err := encode.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		return append([]byte{byte(itemPage)}, data...)
	}
	good := movedPage{URL: "http://a.test/", Result: crawl.Fetched}
	if _, err := CheckItems([][]byte{domain, record(movedDomain{}), visit(good), []byte("\x07\x01\x02\x00\x00http://a.test/x")}); err != nil {
		t.Fatalf("CheckItems of a good chunk = %v", err)
	}
	page := func(change func(*movedPage)) []byte {
		p := good
		change(&p)
		return visit(p)
	}
	for name, item := range map[string][]byte{
		"nothing":               {},
		"a kind alone":          {7},
		"an unknown kind":       {99, 1},
		"no domain":             []byte("\x01A.test"),
		"a host":                []byte("\x01www.a.test"),
		"no record":             []byte("\x02xyz"),
		"an absurd count":       record(movedDomain{Record: domainRecord{Fetched: 1 << 60}}),
		"a negative wait":       record(movedDomain{Due: -1}),
		"a level beyond all":    record(movedDomain{Record: domainRecord{Level: 200}}),
		"a long title":          record(movedDomain{Record: domainRecord{Title: strings.Repeat("x", 201)}}),
		"a long holder":         record(movedDomain{Record: domainRecord{Last: strings.Repeat("x", 65)}}),
		"a hold of another":     []byte("\x03\x00\x00\x00\x00\x00\x00\x00\x01http://b.test"),
		"a hold of no host":     []byte("\x03\x00\x00\x00\x00\x00\x00\x00\x01a.test"),
		"a short shape":         []byte("\x04abc"),
		"a block of no filter":  append([]byte("\x05\x00"), make([]byte, 68)...),
		"a full block":          append([]byte("\x05\x00"), fullBlock()...),
		"a path out of a block": []byte("\x05\xff\x01"),
		"a page of another":     page(func(p *movedPage) { p.URL = "http://b.test/" }),
		"an odd URL":            page(func(p *movedPage) { p.URL = "http://a.test" }),
		"a result of nothing":   page(func(p *movedPage) { p.Result = 77 }),
		"a short digest":        page(func(p *movedPage) { p.Digest = []byte("x") }),
		"a long validator":      page(func(p *movedPage) { p.ETag = strings.Repeat("x", 300) }),
		"a visit in ages":       page(func(p *movedPage) { p.Later = 1 << 60 }),
		"a task of another":     []byte("\x07\x01\x02\x00\x00http://b.test/x"),
		"a task without URL":    []byte("\x07\x01\x02\x00\x00"),
		"a priority of nothing": []byte("\x07\x01\x09\x00\x00http://a.test/x"),
		"too many attempts":     []byte("\x07\x01\x02\x63\x00http://a.test/x"),
		"too much":              append([]byte("\x07\x01\x02\x00\x00http://a.test/"), bytes.Repeat([]byte("x"), MaxItem)...),
	} {
		if _, err := CheckItems([][]byte{domain, item}); !errors.Is(err, ErrItem) {
			t.Errorf("%s: CheckItems = %v, want ErrItem", name, err)
		}
	}
	if _, err := CheckItems([][]byte{visit(good)}); !errors.Is(err, ErrItem) {
		t.Errorf("an item of no domain: %v, want ErrItem", err)
	}
	r := newRig(t, Config{})
	c := &Chunk{From: "src", N: 1, Seq: 1, Items: [][]byte{domain, {99, 1}}}
	if _, err := r.Propose(t.Context(), Entry{Chunk: c}); !errors.Is(err, ErrItem) {
		t.Errorf("Propose = %v, want ErrItem", err)
	}
	if n := r.enqueue("http://a.test/"); n != 1 {
		t.Error("the log does not go on")
	}
}

// Whatever a stranger sends in whatever order: the log stays healthy, opened or
// declined.
func FuzzChunk(f *testing.F) {
	for _, items := range [][][]byte{movedItems(f, 1)[:40], movedItems(f, 2)} {
		var flat []byte
		for _, it := range items {
			flat = append(append(flat, byte(len(it)>>8), byte(len(it))), it...)
		}
		f.Add(flat, true)
		f.Add(flat, false)
	}
	db, err := storage.Open(filepath.Join(f.TempDir(), "db"), storage.Options{NoSync: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	f.Fuzz(func(t *testing.T, data []byte, open bool) {
		var items [][]byte
		for len(data) > 2 {
			n := min(int(data[0])<<8|int(data[1]), len(data)-2)
			items = append(items, data[2:2+n])
			data = data[2+n:]
		}
		fr, err := Open(db, Config{LogID: "fuzz", Now: func() time.Time { return time.Unix(1_800_000_000, 0) }})
		if err != nil {
			t.Fatal(err)
		}
		undo := fmt.Errorf("undo")
		db.Update(func(tx *storage.Tx) error {
			m, err := newMachine(tx, &fr.cfg)
			if err != nil {
				t.Fatal(err)
			}
			apply := func(e Entry) {
				raw, err := encodeEntries([]Entry{e})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := m.apply(raw); err != nil && !errors.Is(err, ErrItem) && !errors.Is(err, ErrEntry) {
					t.Fatal(err)
				}
				if err := m.flush(); err != nil {
					t.Fatal(err)
				}
				if err := fr.checkIn(tx); err != nil {
					t.Fatalf("after %T: %v", e.kinds()[0], err)
				}
			}
			apply(Entry{Enqueue: &Enqueue{Links: []Link{{URL: "http://h0.d1.test/1"}, {URL: "http://h1.d2.test/2?a=0&b=1"}}}})
			half := len(items) / 2
			apply(Entry{Chunk: &Chunk{From: "src", N: 1, Seq: 1, Items: items[:half]}})
			apply(Entry{Chunk: &Chunk{From: "src", N: 1, Seq: 2, Items: items[half:]}})
			mv, err := m.move("src", 1)
			if err != nil {
				t.Fatal(err)
			}
			if open {
				apply(Entry{Opened: &Opened{From: "src", N: 1, Chunks: mv.Seq}})
			} else {
				apply(Entry{Abort: &Abort{From: "src", N: 1}})
			}
			if mended, err := repair(t.Context(), tx, &fr.cfg, false); err != nil || mended != nil {
				t.Fatalf("Repair = %v, %v, want nothing", mended, err)
			}
			return undo
		})
	})
}
