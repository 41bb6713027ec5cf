package frontier

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// records are visits as they come, and as they should not.
func records() map[string]pageRecord {
	sum := bytes.Repeat([]byte{7}, digestSize)
	usual := pageRecord{
		URL: "https://docs.a.test/guide/intro.html?page=2", Date: 1_790_000_000, Result: crawl.Fetched, Status: 200, Digest: sum,
		ETag: `"5f-61"`, LastModified: "Tue, 24 Nov 2026 20:05:00 GMT", Every: 604_800_000, Depth: 3, Source: 1, Misses: 2, Queued: true,
	}
	of := func(change func(r *pageRecord)) pageRecord {
		r := usual
		change(&r)
		return r
	}
	return map[string]pageRecord{
		"usual":               usual,
		"host is the domain":  of(func(r *pageRecord) { r.URL = "http://a.test/" }),
		"port":                of(func(r *pageRecord) { r.URL = "http://a.test:8080/x" }),
		"domain in the path":  of(func(r *pageRecord) { r.URL = "http://b.test/a.test" }),
		"of another domain":   of(func(r *pageRecord) { r.URL = "http://b.test/" }),
		"long host":           of(func(r *pageRecord) { r.URL = "http://" + strings.Repeat("x.", 200) + "a.test/" }),
		"another scheme":      of(func(r *pageRecord) { r.URL = "ftp://a.test/" }),
		"no URL":              of(func(r *pageRecord) { r.URL = "a.test" }),
		"not UTF-8":           of(func(r *pageRecord) { r.ETag, r.LastModified = "\xff\xfe", "\xff" }),
		"nothing known":       {URL: "http://a.test/"},
		"time of its own":     of(func(r *pageRecord) { r.LastModified = "2026-11-24" }),
		"another weekday":     of(func(r *pageRecord) { r.LastModified = "Mon, 24 Nov 2026 20:05:00 GMT" }),
		"before 1970":         of(func(r *pageRecord) { r.LastModified = "Mon, 01 Jan 1900 00:00:00 GMT" }),
		"epoch":               of(func(r *pageRecord) { r.LastModified = "Thu, 01 Jan 1970 00:00:00 GMT" }),
		"date before 1970":    of(func(r *pageRecord) { r.Date = -1 }),
		"absurd numbers":      of(func(r *pageRecord) { r.Status, r.Date, r.Every = math.MaxInt, math.MaxInt64, math.MaxInt64 }),
		"short digest":        of(func(r *pageRecord) { r.Digest = []byte{1} }),
		"status below 0":      of(func(r *pageRecord) { r.Status = -1 }),
		"source of later":     of(func(r *pageRecord) { r.Source = 9 }),
		"never again":         of(func(r *pageRecord) { r.Every, r.Queued = 0, false }),
		"as long as possible": of(func(r *pageRecord) { r.ETag = strings.Repeat("e", crawl.MaxValidator); r.Depth, r.Misses = 255, 255 }),
	}
}

// Stores hold records that were written as CBOR, too.
func TestPageRecord_ComesBackAsItWas(t *testing.T) {
	for name, r := range records() {
		for form, write := range map[string]func() ([]byte, error){
			"packed": func() ([]byte, error) { return r.pack("a.test") },
			"before": func() ([]byte, error) { return encode.Marshal(r) },
		} {
			t.Run(name+"/"+form, func(t *testing.T) {
				raw, err := write()
				if err != nil {
					t.Fatal(err)
				}
				got, err := unpackPage("a.test", raw)
				if err != nil || !reflect.DeepEqual(got, r) {
					t.Errorf("%+v\nbecame %+v, %v", r, got, err)
				}
			})
		}
	}
}

func TestPageRecord_IsSmall(t *testing.T) {
	r := records()["usual"]
	raw, err := r.pack("a.test")
	if err != nil {
		t.Fatal(err)
	}
	// What only this page has: path, digest, ETag, and three numbers of which one is the time.
	if most := len("/guide/intro.html?page=2") + len("docs.") + digestSize + len(r.ETag) + 28; len(raw) > most {
		t.Errorf("%d bytes, want at most %d", len(raw), most)
	}
}

func TestPageRecord_ThatIsCutOrTooLongIsNone(t *testing.T) {
	r := records()["usual"]
	raw, err := r.pack("a.test")
	if err != nil {
		t.Fatal(err)
	}
	for n := range raw {
		if got, err := unpackPage("a.test", raw[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are %+v", n, len(raw), got)
		}
	}
	if got, err := unpackPage("a.test", append(raw, 0)); err == nil {
		t.Errorf("with a byte more it is %+v", got)
	}
}

// FuzzPageRecord reads bytes of strangers, since copies of logs bring them: what can be read comes back the same when it is
// written again.
func FuzzPageRecord(f *testing.F) {
	for _, r := range records() {
		raw, err := r.pack("a.test")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
		if raw, err = encode.Marshal(r); err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := unpackPage("a.test", raw)
		if err != nil {
			return
		}
		again, err := r.pack("a.test")
		if err != nil {
			t.Fatal(err)
		}
		got, err := unpackPage("a.test", again)
		if len(r.Digest) == 0 {
			got.Digest = r.Digest // CBOR has an empty one beside none
		}
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%+v\nbecame %+v, %v", r, got, err)
		}
	})
}

// writeAsBefore gives all records of visits the form that they had before schema 6.
func writeAsBefore(b *buckets) error {
	for _, in := range []*storage.Bucket{b.pages, b.aside} {
		for _, key := range keysOf(in) {
			page, ok := key, true
			if in == b.aside {
				page, ok = asidePageOf(key)
			}
			if !ok {
				continue
			}
			rec, err := unpackPage(domainOf(page), in.Get(key))
			if err != nil {
				return err
			}
			raw, err := encode.Marshal(rec)
			if err != nil {
				return err
			}
			if err := in.Put(key, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// A store that was written before goes on: its pages are visited again, move, are put aside and come back.
func TestPageRecord_OfAnOlderStoreIsUsed(t *testing.T) {
	a, b := newRig(t, Config{}), newRig(t, Config{})
	a.enqueue("http://a.test/")
	a.visit(page(1))
	edit(t, a.db, writeAsBefore)
	a.check()
	a.advance(7 * day)
	a.wake()
	if got := a.visit(page(1)); len(got) != 1 || got[0].Prior == nil || got[0].Prior.ETag != page(1).ETag {
		t.Fatalf("it is visited again as %+v", got)
	}
	edit(t, a.db, writeAsBefore)
	b.enqueue("http://a.test/", "http://a.test/b")
	b.visit(page(2))
	edit(t, b.db, writeAsBefore)
	n := a.propose(Entry{Close: &Close{Domains: []crawl.Domain{"a.test"}, To: "dst"}})[0].N
	seq, _ := a.send(b, n, MaxChunk-2*MaxItem, "a.test")
	edit(t, b.db, writeAsBefore)
	b.openMove(n, seq)
	b.check()
	if got := b.totals(); got.Known != 2 || got.Fetched != 2 || got.Queued != 0 {
		t.Errorf("after the move: %+v", got)
	}
}

func TestPageRecord_OfAnOlderStoreNeedsNoRepair(t *testing.T) {
	db, cfg := lived(t, 1)
	edit(t, db, writeAsBefore)
	if mended, err := Repair(t.Context(), db, Config{LogID: "self", Now: cfg.Now}, false); err != nil || mended != nil {
		t.Errorf("Repair = %v, %v, want nothing", mended, err)
	}
}
