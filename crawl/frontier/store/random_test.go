package store

import (
	"fmt"
	"math/rand/v2"

	"github.com/forage-net/forage/crawl"
)

const testDomain crawl.Domain = "a.example"

// random makes items that collide and tie often.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 1))} }

func (r random) pick(n ...int64) int64 { return n[r.IntN(len(n))] }

// key returns one of a few keys of a domain.
func (r random) key() string {
	switch r.IntN(8) {
	case 0:
		return RecordKey
	case 1:
		return LinksKey(r.url(), uint8(r.IntN(2)))
	}
	return URLKey(r.url())
}

// url returns one of a few URLs; some differ in the order of their parameters only.
func (r random) url() crawl.URL {
	text := fmt.Sprintf("https://h%d.a.example/%d", r.IntN(3), r.IntN(4))
	switch r.IntN(4) {
	case 0:
		text += "?a=1&b=2"
	case 1:
		text += "?b=2&a=1"
	}
	u, err := crawl.ParseURL(text)
	if err != nil {
		panic(err)
	}
	return u
}

// value returns a value of a key, or now and then bytes that are none.
func (r random) value(key string) []byte {
	if r.IntN(12) == 0 {
		return []byte{byte(r.IntN(256)), byte(r.IntN(3))}
	}
	switch kindOf(key) {
	case KindRecord:
		return r.record().Encode()
	case KindLinks:
		return Links{r.pick(100, 200, 300), []Link{{Text: "http://b.example/",
			Priority: crawl.Priority(1 + r.IntN(3))}}}.Encode()
	}
	return r.urlValue(key).Encode(testDomain)
}

// urlValue returns the value of a URL whose text belongs to the key, or to another.
func (r random) urlValue(key string) URL {
	u := URL{Version: uint64(r.pick(0, 0, 0, 1)), State: State(r.IntN(3))}
	if u.State > Waiting || r.IntN(3) == 0 {
		u.Visit = r.visit()
	}
	u.Link = Link{
		Text: r.url().String(), Depth: uint8(r.IntN(3)), Redirects: uint8(r.IntN(2)), Source: uint8(r.IntN(3)),
		Priority: crawl.Priority(1 + r.IntN(3)), Foreign: r.IntN(2) == 0, Modified: r.pick(0, 50, 150, 250),
	}
	for range 100 { // most have a text of their own
		if v := r.url(); URLKey(v) == key && r.IntN(20) > 0 {
			u.Link.Text = v.String()
			break
		}
	}
	return u
}

func (r random) visit() Visit {
	v := Visit{
		Date: r.pick(100, 200, 300), Result: crawl.Result(1 + r.IntN(11)), Status: int(r.pick(0, 200, 404)),
		Tries:     uint8(r.IntN(3)),
		Duplicate: r.IntN(2) == 0, Size: uint64(r.pick(0, 5000)), Every: uint32(r.pick(0, 1000, 1000000)),
	}
	if r.IntN(2) == 0 {
		v.Digest[r.IntN(20)] = byte(1 + r.IntN(3))
		v.ETag, v.LastModified = "e", "l"
	}
	return v
}

func (r random) record() Record {
	rec := Record{
		Answer: Answer{Version: uint64(r.pick(0, 0, 1)), Date: r.pick(0, 100, 200), Level: uint8(r.IntN(2)),
			Until: r.pick(0, 0, 1000), Weight: uint64(r.IntN(2))},
		Inlinks: uint64(r.IntN(16)), Brought: uint64(r.IntN(3)), Wait: r.pick(0, 50, 100),
		Title: []string{"", "x", "y"}[r.IntN(3)],
	}
	if rec.Title != "" {
		rec.TitleDepth = uint8(r.IntN(2))
	}
	if r.IntN(3) == 0 {
		rec.Answer.Reason = "connection refused"
	}
	for range r.IntN(12) {
		rec.AddRepeat(Repeat{[RepeatSize]byte{byte(r.IntN(14))}, uint64(1 + r.IntN(4))})
	}
	return rec
}
