package frontier

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// fill sets everything below a value to something that is not zero.
func fill(v reflect.Value, n *int64) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), n)
		}
	case reflect.String:
		v.SetString("a.test")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(*n * int64(time.Millisecond))
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n % 100))
	}
}

// everyEntry returns one entry of each kind with all of its fields set.
func everyEntry() []Entry {
	kinds := reflect.TypeFor[Entry]()
	entries := make([]Entry, kinds.NumField())
	n := int64(0)
	for i := range entries {
		fill(reflect.ValueOf(&entries[i]).Elem().Field(i), &n)
		e := &entries[i]
		switch {
		case e.Grant != nil:
			e.Grant.Origin = "https://www.a.test:8080"
			e.Grant.Tasks = [][]byte{[]byte("\x00\x01\x02ABCDEFGH"), []byte("\x00\x01\x02ABCDEFGI"), []byte("\x01\x01\x03ABCDEFGA")}
		case e.Settle != nil:
			e.Settle.Task = queueKey(hostKey("a.test", "http://a.test"), rank{depth: 3, prio: 2, number: 77})
			e.Settle.Digest = make([]byte, digestSize)
			e.Settle.Result, e.Settle.Status = crawl.Refused, 429
			e.Settle.Links[1].URL = "https://www.b.test/%D0%A1/%d0%3A%?%E8%8C%B6=%"
			e.Settle.Out[0].URL = "http://a.test:81/x"
			e.Settle.LastModified = "Tue, 05 Mar 2019 14:44:40 GMT"
		case e.Recall != nil:
			e.Recall.Pages = [][]byte{make([]byte, pageHash)}
		case e.Chunk != nil:
			e.Chunk.Items = [][]byte{[]byte("\x01a.test")}
		case e.Slot != nil:
			e.Slot.Address = "127.0.0.1:80"
		case e.Unslot != nil:
			e.Unslot.Address = "127.0.0.1:80"
		case e.Release != nil:
			e.Release.Lapsed = false
		}
	}
	return append(entries, Entry{Release: &Release{Lease: 3, Domain: "b.test", By: "p", Lapsed: true}})
}

// A field that a packer does not know would be another one on each member.
func TestPacker_LosesNoField(t *testing.T) {
	for _, deflate := range []bool{false, true} {
		w := newPacker(1234567, nil)
		entries := everyEntry()
		for _, part := range [][]Entry{entries[:3], nil, entries[3:], entries} {
			if err := w.proposal(part); err != nil {
				t.Fatal(err)
			}
		}
		var c batches
		meta := metaRecord{Entries: 7, Recent: []byte("of a.test before")}
		data, err := c.encode(w, &meta, deflate)
		if err != nil {
			t.Fatal(err)
		}
		b, err := c.decode(data, &meta, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := [][]Entry{entries[:3], nil, entries[3:], entries}
		if b.at != 1234567e6 || b.stale || !reflect.DeepEqual(b.parts, want) {
			for i, e := range entries {
				if got := b.parts[3][i]; !reflect.DeepEqual(got, e) {
					t.Errorf("deflated %t: entry %d: got %+v, want %+v", deflate, i, reflect.ValueOf(got.kinds()[0]).Elem(), reflect.ValueOf(e.kinds()[0]).Elem())
				}
			}
			t.Fatalf("deflated %t: at %d, stale %t, %d parts", deflate, b.at, b.stale, len(b.parts))
		}
	}
}

// written is a log with some state: a live lease of two tasks, a link that waits for its
// owner.
func written(t testing.TB) *Frontier {
	t.Helper()
	f := emptyLog(t, Config{})
	u, _ := crawl.ParseURL("http://o.test/x")
	applyIn(t, f, Entry{Enqueue: &Enqueue{
		Links: []Link{{URL: "http://a.test/1", Priority: 2}, {URL: "http://a.test/2", Priority: 2}},
		Out:   []Link{{URL: u.String(), Priority: 2}},
	}})
	host := hostKey("a.test", "http://a.test")
	applyIn(t, f, Entry{Grant: &Grant{Domain: "a.test", Origin: "http://a.test", For: time.Minute, Holder: "p", Tasks: [][]byte{
		queueKey(host, rank{depth: 0, prio: 2, number: 1})[len(host)+1:], queueKey(host, rank{depth: 0, prio: 2, number: 2})[len(host)+1:],
	}}})
	return f
}

// What the store knows is not written, and is read from there.
func TestPacker_NamesWhatTheStoreHas(t *testing.T) {
	f := written(t)
	u, _ := crawl.ParseURL("http://o.test/x")
	link := Link{URL: u.String(), Priority: 2}
	entries := []Entry{
		{Settle: &Settle{
			Lease: 1, Domain: "a.test", Task: queueKey(hostKey("a.test", "http://a.test"), rank{depth: 0, prio: 2, number: 2}), URL: "http://a.test/2", By: "p",
			Result: crawl.Fetched, Status: 200, Links: []Link{{URL: "http://a.test/3", Depth: 1, Priority: 2}},
		}},
		{Renew: &Renew{Lease: 1, Domain: "a.test", By: "p", For: 1}},
		{Sent: &Sent{Keys: [][]byte{outKey(u, link)}}},
		{Release: &Release{Lease: 1, Domain: "a.test", By: "p"}},
	}
	var data []byte
	var c batches
	err := f.view(func(b *buckets) error {
		w := newPacker(0, newPlacer(b, readOnce(b)))
		if err := w.proposal(entries); err != nil {
			return err
		}
		meta, err := b.readMeta()
		if err != nil {
			return err
		}
		if data, err = c.encode(w, &meta, false); err != nil {
			return err
		}
		got, err := c.decode(data, &meta, newPlacer(b, readOnce(b)))
		if err == nil && !reflect.DeepEqual(got.parts, [][]Entry{entries}) {
			t.Errorf("got %+v", got.parts)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte(".test")) {
		t.Errorf("names are written: %q", data)
	}
	if len(data) > 60 {
		t.Errorf("%d bytes: %q", len(data), data)
	}
	// The same on a log where the lease is over, had nobody noticed that it is another state.
	applyIn(t, f, entries[3])
	applyIn(t, f, entries[2])
	if err := f.view(func(b *buckets) error {
		got, err := c.decode(data, &metaRecord{Entries: 0}, newPlacer(b, readOnce(b)))
		if err != nil {
			return err
		}
		if got.stale {
			t.Error("the test compares the wrong states")
		}
		for i, e := range got.parts[0] {
			if e != (Entry{}) && (e.Sent == nil || len(e.Sent.Keys) > 0) {
				t.Errorf("entry %d has come to %+v", i, e.kinds())
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// belated is a log in which an entry comes between one that is proposed and the state it was
// made on.
type belated struct {
	alone
	between [][]byte
	stale   int
}

func (b *belated) Shared() bool { return true }

func (b *belated) Propose(ctx context.Context, data []byte, mine any) error {
	if len(b.between) > 0 {
		other := b.between[0]
		b.between = b.between[1:]
		if err := b.alone.Propose(ctx, other, nil); err != nil {
			return err
		}
	}
	err := b.alone.Propose(ctx, data, mine)
	if c, ok := mine.(*commitment); ok && c.stale {
		b.stale++
	}
	return err
}

// An entry of a state of the log that is not the last one would be misread: it changes nothing, and is made again.
func TestFrontier_EntriesOfAnotherStateAreMadeAgain(t *testing.T) {
	f := written(t)
	log := &belated{alone: alone{f}}
	f.log = log
	served := make(chan error)
	ctx, stop := context.WithCancel(t.Context())
	go func() { served <- f.Serve(ctx) }()
	more := func(url string) Entry { return Entry{Enqueue: &Enqueue{Links: []Link{{URL: url, Priority: 2}}}} }
	if _, err := f.Propose(ctx, more("http://a.test/before")); err != nil {
		t.Fatal(err)
	}
	if err := f.view(func(b *buckets) error {
		w := newPacker(0, newPlacer(b, readOnce(b)))
		if err := w.proposal([]Entry{more("http://a.test/between")}); err != nil {
			return err
		}
		meta, err := b.readMeta()
		if err != nil {
			return err
		}
		data, err := new(batches).encode(w, &meta, true)
		log.between = [][]byte{data}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	applied, err := f.Propose(ctx, more("http://a.test/after"))
	if err != nil || applied[0].New != 1 {
		t.Errorf("applied %+v, %v", applied, err)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if n := f.known(t, "a.test"); n != 5 || log.stale != 1 {
		t.Errorf("%d URLs are known, %d entries were made again, want 5 and 1", n, log.stale)
	}
}

func (f *Frontier) known(t testing.TB, d crawl.Domain) (n uint64) {
	t.Helper()
	if err := f.view(func(b *buckets) error {
		r, _, err := b.readDomain(d)
		n = r.Known
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// Logs of the last version are read.
func TestBatches_ReadRecords(t *testing.T) {
	entries := everyEntry()
	raw, err := encodeEntries(entries)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := encode.Marshal(batchRecord{At: 77, Parts: []cbor.RawMessage{raw}})
	if err != nil {
		t.Fatal(err)
	}
	var deflated bytes.Buffer
	w, _ := flate.NewWriter(&deflated, flate.DefaultCompression)
	w.Write(plain)
	w.Close()
	var c batches
	for _, data := range [][]byte{append([]byte{batchRecorded}, plain...), append([]byte{batchRecordDeflated}, deflated.Bytes()...)} {
		b, err := c.decode(data, &metaRecord{Entries: 5}, nil)
		if err != nil || b.at != 77 || b.stale || !reflect.DeepEqual(b.parts, [][]Entry{entries}) {
			t.Errorf("form %d: %d parts, at %d, %v", data[0], len(b.parts), b.at, err)
		}
	}
}

func FuzzBatch(f *testing.F) {
	fr := written(f)
	var meta metaRecord
	for _, deflate := range []bool{false, true} {
		w := newPacker(0, nil)
		w.proposal(everyEntry())
		data, _ := new(batches).encode(w, &meta, deflate)
		f.Add(data)
	}
	f.Add([]byte("\x02\x00\x00\x02ab\xc3\x02\x00\x02\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		err := fr.db.Update(func(tx *storage.Tx) error {
			if err := fr.Apply(tx, LogEntry{Data: data}); err != nil {
				return err
			}
			if err := fr.checkIn(tx); err != nil {
				t.Fatal(err)
			}
			return errUndo
		})
		if err != nil && !errors.Is(err, errUndo) && !errors.Is(err, ErrEntry) && !errors.Is(err, ErrItem) {
			t.Fatal(err)
		}
	})
}
