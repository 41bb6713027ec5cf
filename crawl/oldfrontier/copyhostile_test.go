package frontier

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// exchange is a request of a copy and the answer to it.
type exchange struct{ request, answer []byte }

// recorded are the requests and answers of copies of a log with everything in it.
func recorded(t testing.TB) (from, to *Frontier, list []exchange) {
	db, cfg := lived(t, 1)
	from = reopened(t, db, cfg)
	stale, staleCfg := lived(t, 2)
	for _, to = range []*Frontier{emptyLog(t, cfg), reopened(t, stale, staleCfg)} {
		err := from.db.View(func(source *storage.Tx) error {
			for request := []byte(nil); ; {
				answer, err := from.Piece(source, request)
				if err != nil {
					return err
				}
				list = append(list, exchange{request, answer})
				err = to.db.Update(func(tx *storage.Tx) (err error) {
					request, err = to.Install(tx, request, answer)
					return err
				})
				if err != nil || request == nil {
					return err
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return from, to, list
}

// allValid finds fault with what nothing but a copy can have brought.
func allValid(tx *storage.Tx, f *Frontier) error {
	b, err := openBuckets(tx, f.cfg.LogID)
	if err != nil {
		return err
	}
	for p := range copyParts {
		if p == partRecord {
			continue
		}
		p.walk(&b, nil, nil, nil, func(key, value []byte) bool {
			if d, origin := splitHostKey(key); p == partHolds && origin == "" && validDomain(d) {
				return true
			}
			if !p.valid(key, value) {
				err = fmt.Errorf("part %d: %q = %x", p, key, value)
			}
			return err == nil
		})
	}
	if err != nil {
		return err
	}
	return b.domains.ForEach(func(key, raw []byte) error {
		if _, ok := readCopied(raw); !ok || !validDomain(crawl.Domain(key)) {
			return fmt.Errorf("domain %q: %x", key, raw)
		}
		return nil
	})
}

// tryInstall gives an answer to a log, and takes back what comes of it.
func tryInstall(f *Frontier, request, answer []byte) error {
	err := f.db.Update(func(tx *storage.Tx) error {
		next, err := f.Install(tx, request, answer)
		if err != nil {
			return err
		}
		if _, err := decodeCopyRequest(next); err != nil {
			return fmt.Errorf("the next request is none: %v", err)
		}
		if err := allValid(tx, f); err != nil {
			return err
		}
		f.checkIn(tx)
		return errUndo
	})
	if errors.Is(err, errUndo) || errors.Is(err, ErrCopy) {
		return nil
	}
	return err
}

func FuzzInstall(f *testing.F) {
	_, to, list := recorded(f)
	for _, e := range list {
		f.Add(e.request, e.answer)
	}
	f.Fuzz(func(t *testing.T, request, answer []byte) {
		if err := tryInstall(to, request, answer); err != nil {
			t.Error(err)
		}
	})
}

func FuzzPiece(f *testing.F) {
	from, _, list := recorded(f)
	for _, e := range list {
		f.Add(e.request)
	}
	f.Fuzz(func(t *testing.T, request []byte) {
		from.db.View(func(tx *storage.Tx) error {
			answer, err := from.Piece(tx, request)
			if err != nil && !errors.Is(err, ErrCopy) {
				t.Error(err)
			}
			if len(answer) > copyAnswerBytes+copyItemBytes {
				t.Errorf("an answer of %d bytes", len(answer))
			}
			if _, err := decodeCopyAnswer(answer); len(answer) > 0 && err != nil {
				t.Error(err)
			}
			return nil
		})
	})
}

// A source that answers anything does no harm that a copy of another does not mend.
func TestInstall_SpoiltAnswers(t *testing.T) {
	from, to, list := recorded(t)
	rng := rand.New(rand.NewPCG(4, 4))
	for range 3000 {
		a, b := list[rng.IntN(len(list))], list[rng.IntN(len(list))]
		if rng.IntN(2) == 0 {
			a.answer = b.answer
		}
		if rng.IntN(4) > 0 {
			a.answer = spoil(rng, a.answer)
		}
		if rng.IntN(4) == 0 {
			a.request = spoil(rng, a.request)
		}
		if err := tryInstall(to, a.request, a.answer); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		var request []byte
		for range 30 {
			answer := list[rng.IntN(len(list))].answer
			from.db.View(func(tx *storage.Tx) error {
				if rng.IntN(5) > 0 {
					answer, _ = from.Piece(tx, request)
				}
				return nil
			})
			if rng.IntN(4) == 0 {
				answer = spoil(rng, answer)
			}
			next := request
			err := to.db.Update(func(tx *storage.Tx) (err error) {
				next, err = to.Install(tx, request, answer)
				return err
			})
			if err != nil && !errors.Is(err, ErrCopy) {
				t.Fatal(err)
			}
			if request = next; err != nil || next == nil {
				request = nil
			}
		}
		c := &copier{t: t, from: from, to: to}
		c.run()
		if err := to.Check(); err != nil {
			t.Fatal(err)
		}
	}
}

func spoil(rng *rand.Rand, data []byte) []byte {
	data = append([]byte{}, data...)
	for range 1 + rng.IntN(3) {
		if len(data) == 0 {
			return data
		}
		at := rng.IntN(len(data))
		switch rng.IntN(4) {
		case 0:
			data[at] ^= 1 << rng.IntN(8)
		case 1:
			data = append(data[:at:at], data[at+rng.IntN(len(data)-at):]...)
		case 2:
			data = append(append(data[:at:at], byte(rng.Uint32())), data[at:]...)
		default:
			data = data[:at]
		}
	}
	return data
}

func TestInstall_RefusesWhatNoFrontierMakes(t *testing.T) {
	to := emptyLog(t, Config{})
	ask := func(w copyWant) copyRequest { return copyRequest{Stage: stageWants, Wants: []copyWant{w}} }
	give := func(n ...copyGiven) copyAnswer { return copyAnswer{Given: n} }
	pair := func(key string, value []byte) []copyPair { return []copyPair{{Key: []byte(key), Value: value}} }
	a := copyWant{Name: "a.test"}
	list := copyRequest{Stage: stageLists, Wants: []copyWant{{Part: partAside}}}
	inList := func(p copyPart, pairs []copyPair) (copyRequest, copyAnswer) {
		q := list
		q.Wants = []copyWant{{Part: p}}
		return q, give(copyGiven{Part: p, Pairs: pairs})
	}
	block := []byte{0, 1, 1, 1}
	block = append(block, make([]byte, 64)...)
	if bloom.CheckBlock(nil, block) != nil {
		t.Fatal("the block should be one")
	}
	record := func(change func(*domainRecord)) []byte {
		var r domainRecord
		change(&r)
		raw, err := encode.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	queueTail := string(queueKey(nil, rank{depth: 1, prio: 2, number: 3}))[1:]
	old, _ := encode.Marshal(pageRecord{URL: "http://a.test/1"})
	page, _ := (&pageRecord{URL: "http://a.test/1"}).pack("a.test")
	whole, _ := (&pageRecord{URL: "http://a.test/1"}).pack("b.test") // with its domain
	unknown := bytes.Clone(page)
	unknown[8] = 9 // how the URL begins
	type test struct {
		name string
		q    copyRequest
		a    copyAnswer
		ok   bool
	}
	tests := []test{
		{"names in order", copyRequest{After: "a.test"}, copyAnswer{Names: []copyName{{Name: "b.test"}, {Name: "c.test"}}}, true},
		{"names out of order", copyRequest{}, copyAnswer{Names: []copyName{{Name: "b.test"}, {Name: "a.test"}}}, false},
		{"name before", copyRequest{After: "b.test"}, copyAnswer{Names: []copyName{{Name: "b.test"}}}, false},
		{"name that is none", copyRequest{}, copyAnswer{Names: []copyName{{Name: "a b"}}}, false},
		{"sum of a name", copyRequest{}, copyAnswer{Names: []copyName{{Name: "b.test", Sum: []byte{1}}}}, false},
		{"more of nothing", copyRequest{}, copyAnswer{More: true}, false},
		{"nothing", ask(a), give(), false},
		{"nothing of a part", ask(a), give(copyGiven{}), true},
		{"another part", ask(a), give(copyGiven{Part: partPages}), false},
		{"another want", ask(a), give(copyGiven{Want: 1}), false},
		{"too much", ask(copyWant{Name: "a.test", Part: partRecord}), give(copyGiven{Part: partRecord}, copyGiven{}), false},
		{"no way on", ask(copyWant{Name: "a.test", From: []byte("x")}), give(copyGiven{End: []byte("x")}), false},
		{"same unasked", ask(a), give(copyGiven{End: []byte("x"), Same: true}), false},
		{"same to the end", ask(a), give(copyGiven{Same: true}), false},
		{"block", ask(copyWant{Name: "a.test", Part: partFilters}), give(copyGiven{Part: partFilters, Pairs: pair("", block)}), true},
		{"block of no filter", ask(copyWant{Name: "a.test", Part: partFilters}), give(copyGiven{Part: partFilters, Pairs: pair("", block[1:])}), false},
		{"twice", ask(copyWant{Name: "a.test", Part: partFilters}), give(copyGiven{Part: partFilters, Pairs: append(pair("", block), pair("", block)...)}), false},
		{"behind the end", ask(copyWant{Name: "a.test", Part: partFilters}), give(copyGiven{Part: partFilters, End: []byte("\x01"), Pairs: pair("\x02", block)}), false},
		{"before the beginning", ask(copyWant{Name: "a.test", Part: partFilters, From: []byte("\x03")}), give(copyGiven{Part: partFilters, Pairs: pair("\x02", block)}), false},
		{"shape", ask(a), give(copyGiven{Pairs: pair("12345678", make([]byte, 2*len(shapeLimits)))}), true},
		{"short shape", ask(a), give(copyGiven{Pairs: pair("1234567", make([]byte, 2*len(shapeLimits)))}), false},
		{"page", ask(copyWant{Name: "a.test", Part: partPages}), give(copyGiven{Part: partPages, Pairs: pair(string(pageKey("", "http://a.test/1")[1:]), page)}), true},
		{"page in the old form", ask(copyWant{Name: "a.test", Part: partPages}), give(copyGiven{Part: partPages, Pairs: pair(string(pageKey("", "http://a.test/1")[1:]), old)}), true},
		{"page with its domain", ask(copyWant{Name: "a.test", Part: partPages}), give(copyGiven{Part: partPages, Pairs: pair(string(pageKey("", "http://a.test/1")[1:]), whole)}), true},
		{"page with the domain of another", ask(copyWant{Name: "b.test", Part: partPages}), give(copyGiven{Part: partPages, Pairs: pair(string(pageKey("", "http://a.test/1")[1:]), whole)}), false},
		{"page whose URL begins otherwise", ask(copyWant{Name: "a.test", Part: partPages}), give(copyGiven{Part: partPages, Pairs: pair(string(pageKey("", "http://a.test/1")[1:]), unknown)}), false},
		{"page that is cut", ask(copyWant{Name: "a.test", Part: partPages}), give(copyGiven{Part: partPages, Pairs: pair(string(pageKey("", "http://a.test/1")[1:]), page[:len(page)-1])}), false},
		{"page with more behind it", ask(copyWant{Name: "a.test", Part: partPages}), give(copyGiven{Part: partPages, Pairs: pair(string(pageKey("", "http://a.test/1")[1:]), append(bytes.Clone(page), 0))}), false},
		{"page of another", ask(copyWant{Name: "b.test", Part: partPages}), give(copyGiven{Part: partPages, Pairs: pair(string(pageKey("", "http://a.test/1")[1:]), page)}), false},
		{"page elsewhere", ask(copyWant{Name: "a.test", Part: partPages}), give(copyGiven{Part: partPages, Pairs: pair("12345678", page)}), false},
		{"task", ask(copyWant{Name: "a.test", Part: partQueue}), give(copyGiven{Part: partQueue, Pairs: pair("http://a.test\x00"+queueTail, taskValue(0, 0, "http://a.test/"))}), true},
		{"task of another host", ask(copyWant{Name: "a.test", Part: partQueue}), give(copyGiven{Part: partQueue, Pairs: pair("http://a.test\x00"+queueTail, taskValue(0, 0, "http://b.a.test/"))}), false},
		{"task tried too often", ask(copyWant{Name: "a.test", Part: partQueue}), give(copyGiven{Part: partQueue, Pairs: pair("http://a.test\x00"+queueTail, taskValue(255, 0, "http://a.test/"))}), false},
		{"hold", ask(copyWant{Name: "a.test", Part: partHolds}), give(copyGiven{Part: partHolds, Pairs: pair("http://a.test", make([]byte, 8))}), true},
		{"hold of another", ask(copyWant{Name: "a.test", Part: partHolds}), give(copyGiven{Part: partHolds, Pairs: pair("http://b.test", make([]byte, 8))}), false},
		{"record", ask(copyWant{Name: "a.test", Part: partRecord}), give(copyGiven{Part: partRecord, Pairs: pair(recordKey, record(func(*domainRecord) {}))}), true},
		{"no record", ask(copyWant{Name: "a.test", Part: partRecord}), give(copyGiven{Part: partRecord, Pairs: pair(recordKey, []byte{1})}), false},
		{"absurd record", ask(copyWant{Name: "a.test", Part: partRecord}), give(copyGiven{Part: partRecord, Pairs: pair(recordKey, record(func(r *domainRecord) { r.Known = maxNumber }))}), false},
		{"record of two moves", ask(copyWant{Name: "a.test", Part: partRecord}), give(copyGiven{Part: partRecord, Pairs: pair(recordKey, record(func(r *domainRecord) { r.Closing, r.Arriving = &closing{To: "x"}, &arriving{From: "x"} }))}), false},
		{"record of a move from nobody", ask(copyWant{Name: "a.test", Part: partRecord}), give(copyGiven{Part: partRecord, Pairs: pair(recordKey, record(func(r *domainRecord) { r.Arriving = &arriving{} }))}), false},
		{"something else", ask(copyWant{Name: "a.test", Part: partRecord}), give(copyGiven{Part: partRecord, Pairs: pair("x", []byte{1})}), false},
		{"short wait", ask(copyWant{Name: "a.test", Part: partRecord}), give(copyGiven{Part: partRecord, Pairs: pair(waitKey, []byte{1})}), false},
		{"no head", copyRequest{Stage: stageHead}, copyAnswer{}, false},
	}
	for _, p := range []copyPart{partAside, partLeases, partUnasked, partClosing, partGone, partArriving, partOutbox, partSlots} {
		q, ans := inList(p, pair("\xff\x00", []byte{1}))
		tests = append(tests, test{fmt.Sprint("list ", p), q, ans, false})
	}
	for _, c := range tests {
		request, err := encode.Marshal(c.q)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := encode.Marshal(c.a)
		if err != nil {
			t.Fatal(err)
		}
		err = to.db.Update(func(tx *storage.Tx) error {
			if _, err := to.Install(tx, request, answer); err != nil {
				return err
			}
			return errUndo
		})
		if ok := errors.Is(err, errUndo); ok != c.ok || !ok && !errors.Is(err, ErrCopy) {
			t.Errorf("%s: Install = %v, want ok %v", c.name, err, c.ok)
		}
	}
}

func TestPiece_RefusesWhatNoFrontierMakes(t *testing.T) {
	f := emptyLog(t, Config{})
	want := func(ranges ...copyRange) copyRequest {
		return copyRequest{Stage: stageWants, Wants: []copyWant{{Name: "a.test", Ranges: ranges}}}
	}
	many := make([]copyWant, copyWants+1)
	for i := range many {
		many[i].Name = "a.test"
	}
	sum := make([]byte, rangeSum)
	for _, c := range []struct {
		name string
		q    copyRequest
		ok   bool
	}{
		{"names", copyRequest{}, true},
		{"names behind", copyRequest{After: "a.test", Limit: 60_000}, true},
		{"behind no name", copyRequest{After: "a b"}, false},
		{"stage", copyRequest{Stage: stageHead + 1}, false},
		{"wants", want(), true},
		{"no wants", copyRequest{Stage: stageWants}, false},
		{"wants too many", copyRequest{Stage: stageWants, Wants: many}, false},
		{"wants of no name", copyRequest{Stage: stageWants, Wants: []copyWant{{Name: "a b"}}}, false},
		{"a list of a domain", copyRequest{Stage: stageWants, Wants: []copyWant{{Name: "a.test", Part: partAside}}}, false},
		{"a domain among lists", copyRequest{Stage: stageLists, Wants: []copyWant{{Name: "a.test", Part: partAside}}}, false},
		{"a part that is none", copyRequest{Stage: stageLists, Wants: []copyWant{{Part: copyParts}}}, false},
		{"ranges", want(copyRange{Part: partPages, End: []byte("a"), Sum: sum}, copyRange{Part: partPages, End: []byte("b"), Sum: sum}, copyRange{Part: partQueue, End: []byte("a"), Sum: sum}), true},
		{"ranges out of order", want(copyRange{Part: partPages, End: []byte("b"), Sum: sum}, copyRange{Part: partPages, End: []byte("a"), Sum: sum}), false},
		{"parts out of order", want(copyRange{Part: partQueue, End: []byte("b"), Sum: sum}, copyRange{Part: partPages, End: []byte("c"), Sum: sum}), false},
		{"a range of nothing", want(copyRange{Part: partPages, Sum: sum}), false},
		{"a short sum", want(copyRange{Part: partPages, End: []byte("a"), Sum: sum[1:]}), false},
		{"ranges of the wrong kind", want(copyRange{Part: partAside, End: []byte("a"), Sum: sum}), false},
		{"far on", copyRequest{Stage: stageWants, Wants: []copyWant{{Name: "a.test", From: make([]byte, copyKeyBytes+1)}}}, false},
		{"tidy", copyRequest{Stage: stageTidy, Tidy: tidyLater}, true},
		{"tidy what", copyRequest{Stage: stageTidy, Tidy: tidyParts}, false},
	} {
		request, err := encode.Marshal(c.q)
		if err != nil {
			t.Fatal(err)
		}
		err = f.db.View(func(tx *storage.Tx) error {
			_, err := f.Piece(tx, request)
			return err
		})
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrCopy) {
			t.Errorf("%s: Piece = %v, want ok %v", c.name, err, c.ok)
		}
	}
	if err := f.db.View(func(tx *storage.Tx) error {
		_, err := f.Piece(tx, make([]byte, MaxCopyRequest+1))
		return err
	}); !errors.Is(err, ErrCopy) {
		t.Errorf("Piece of a long request = %v", err)
	}
}

// However long keys and names are, a request fits.
func TestInstall_RequestsAreBounded(t *testing.T) {
	to := emptyLog(t, Config{})
	long := func(i int) string { return fmt.Sprintf("%03d", i) + strings.Repeat("x", 252) }
	answer := copyAnswer{}
	err := to.db.Update(func(tx *storage.Tx) error {
		b, err := openBuckets(tx, "self")
		for i := range 2 * copyWants {
			answer.Names = append(answer.Names, copyName{Name: crawl.Domain(long(i))})
			for j := range 10 {
				err = errors.Join(err, b.queue.Put(hostKey(crawl.Domain(long(i)), fmt.Sprint(j, strings.Repeat("y", 1000))), make([]byte, 20_000)))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := encode.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	err = to.db.Update(func(tx *storage.Tx) error {
		next, err := to.Install(tx, nil, raw)
		if err != nil {
			return err
		}
		q, err := decodeCopyRequest(next)
		if len(q.Wants) != copyWants || !q.Wants[copyWants-1].Short {
			t.Errorf("%d domains are wanted, all described", len(q.Wants))
		}
		t.Logf("%d bytes", len(next))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Whoever asks whether everything is the same gets an answer in a moment too.
func TestPiece_ReadsABoundedAmount(t *testing.T) {
	from := manyDomains(t, 1, 40_000)
	err := from.view(func(b *buckets) error {
		wants := []copyWant{{Name: "domain-00000.test", Short: true}}
		in := installer{b: b, cfg: &from.cfg}
		in.describe(wants)
		const reading = 100 << 10
		for _, left := range []int{copyReading, reading} {
			g := giver{b: b, room: copyAnswerBytes, reading: left}
			given := g.give(wants)
			if len(given) == 0 {
				t.Fatal("nothing is given")
			}
			last := given[len(given)-1]
			all := last.Part == partQueue && string(last.End) == string(wants[0].Ranges[len(wants[0].Ranges)-1].End)
			if all != (left == copyReading) || !last.Same || g.reading < -4*rangeBytes {
				t.Errorf("with %d bytes: %+v, the answer is whole %v, %d bytes may still be read", left, last, all, g.reading)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
