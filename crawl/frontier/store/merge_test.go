package store

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

func TestMerge_IsASemilattice(t *testing.T) {
	for seed := range uint64(30_000) {
		r := newRandom(seed)
		key := r.key()
		a, b, c := r.value(key), r.value(key), r.value(key)
		checkMerge(t, key, a, b, c)
	}
}

// checkMerge checks the laws of Merge for three values.
func checkMerge(t *testing.T, key string, a, b, c []byte) {
	t.Helper()
	merge := func(x, y []byte) []byte { return Merge(testDomain, key, x, y) }
	if got := merge(a, a); !bytes.Equal(got, a) {
		t.Fatalf("%q: merge(a, a) = %q, a = %q", key, got, a)
	}
	ab := merge(a, b)
	if got := merge(b, a); !bytes.Equal(got, ab) {
		t.Fatalf("%q: merge(a, b) = %q, merge(b, a) = %q\na %q\nb %q", key, ab, got, a, b)
	}
	if got := merge(ab, a); !bytes.Equal(got, ab) {
		t.Fatalf("%q: merge(merge(a, b), a) = %q, want %q", key, got, ab)
	}
	left, right := merge(ab, c), merge(a, merge(b, c))
	if !bytes.Equal(left, right) {
		t.Fatalf("%q: (ab)c = %q, a(bc) = %q\na %q\nb %q\nc %q", key, left, right, a, b, c)
	}
	if len(left) > MaxValue {
		t.Fatalf("%q: %d bytes", key, len(left))
	}
	checkCanonical(t, key, left)
}

// checkCanonical checks that what can be read is what would be written.
func checkCanonical(t *testing.T, key string, v []byte) {
	t.Helper()
	var again []byte
	var err error
	switch kindOf(key) {
	case KindURL:
		var u URL
		u, err = DecodeURL(testDomain, v)
		again = u.Encode(testDomain)
	case KindRecord:
		var r Record
		r, err = DecodeRecord(v)
		again = r.Encode()
	case KindLinks:
		var l Links
		l, err = DecodeLinks(v)
		again = l.Encode()
	default:
		return
	}
	if err == nil && !bytes.Equal(again, v) {
		t.Fatalf("%q: read and written again %q is %q", key, v, again)
	}
}

func FuzzMerge(f *testing.F) {
	for seed := range uint64(30) {
		r := newRandom(seed)
		key := r.key()
		f.Add(key, r.value(key), r.value(key), r.value(key))
	}
	f.Fuzz(func(t *testing.T, key string, a, b, c []byte) {
		if len(a) <= MaxValue && len(b) <= MaxValue && len(c) <= MaxValue {
			checkMerge(t, key, a, b, c)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for seed := range uint64(60) {
		r := newRandom(seed)
		f.Add(r.value(r.key()))
	}
	f.Fuzz(func(t *testing.T, v []byte) {
		for _, key := range []string{RecordKey, string(KindURL) + "12345678", string(KindLinks) + "12345678"} {
			checkCanonical(t, key, v)
		}
		if u, err := DecodeURL(testDomain, v); err == nil {
			u.Due()
			u.Task(testDomain, string(KindURL)+"12345678")
		}
		if l, err := DecodeLinks(v); err == nil {
			for _, to := range l.Urls {
				to.Outlink()
			}
		}
	})
}

func TestMerge_OfURLs(t *testing.T) {
	link := Link{Text: "https://a.example/", Priority: 2, Depth: 3}
	visited := func(v uint64, s State, date int64, tries uint8) URL {
		return URL{v, s, Visit{Date: date, Result: crawl.Failed, Tries: tries}, link}
	}
	for _, c := range []struct {
		name      string
		win, lose URL
	}{
		{"done beats waiting", visited(0, Done, 1, 0), visited(0, Waiting, 9, 3)},
		{"done beats unverified", visited(0, Done, 1, 0), visited(0, Unverified, 9, 0)},
		{"unverified beats waiting", visited(0, Unverified, 1, 0), URL{Link: link}},
		{"a higher version beats done", URL{Version: 1, Link: link}, visited(0, Done, 9, 0)},
		{"the later visit", visited(0, Done, 2, 0), visited(0, Done, 1, 7)},
		{"more tries", visited(0, Waiting, 2, 2), visited(0, Waiting, 2, 1)},
	} {
		key := string(KindURL) + "12345678"
		got, err := DecodeURL(testDomain, Merge(testDomain, key, c.lose.Encode(testDomain), c.win.Encode(testDomain)))
		if err != nil || got != c.win {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

func TestMerge_OfLinksToAURL(t *testing.T) {
	u, _ := crawl.ParseURL("https://a.example/?b=2&a=1")
	a := URL{Link: Link{Text: u.String(), Depth: 3, Redirects: 1, Source: 2, Priority: 3, Modified: 7}}
	b := URL{Link: Link{Text: "https://a.example/", Depth: 1, Redirects: 2, Priority: 1, Foreign: true, Modified: 9}}
	got, err := DecodeURL(testDomain, Merge(testDomain, URLKey(u), a.Encode(testDomain), b.Encode(testDomain)))
	want := Link{Text: u.String(), Depth: 1, Redirects: 1, Source: 2, Priority: 1, Foreign: true, Modified: 9}
	if err != nil || got.Link != want {
		t.Errorf("got %+v, %v, want %+v", got.Link, err, want)
	}
}

func TestURL_ANewOneIsSmall(t *testing.T) {
	text := "https://www.a.example/" + strings.Repeat("x", 500)
	if n := len(URL{Link: Link{Text: text, Depth: 7, Priority: 2, Foreign: true}}.Encode(testDomain)); n > len(text)+6 {
		t.Errorf("%d bytes for a URL of %d", n, len(text))
	}
}

func TestStale(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	links := func(date int64) []byte { return Links{Date: date}.Encode() }
	key := string(KindLinks) + "12345678"
	for _, c := range []struct {
		name  string
		key   string
		value []byte
		want  bool
	}{
		{"now", key, links(1_000_000), false},
		{"a day", key, links(1_000_000 - 24*3600), false},
		{"26 hours", key, links(1_000_000 - 26*3600), true},
		{"far ahead", key, links(1_000_000 + 26*3600), true},
		{"unreadable", key, []byte{0xff}, true},
		{"a record", RecordKey, links(1), false},
		{"a URL", string(KindURL) + "12345678", links(1), false},
	} {
		if got := Stale(c.key, c.value, now); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestLinkItems_HoldAllLinks(t *testing.T) {
	page, _ := crawl.ParseURL("https://a.example/")
	var links []Link
	for i := range 400 {
		links = append(links, Link{Text: "https://b.example/" + strings.Repeat("y", i), Priority: 2})
	}
	n := 0
	for _, it := range LinkItems(testDomain, page, 5, links) {
		l, err := DecodeLinks(it.Value)
		if err != nil || l.Date != 5 || kindOf(it.Key) != KindLinks {
			t.Fatalf("%q: %v", it.Key, err)
		}
		n += len(l.Urls)
	}
	if n != len(links) {
		t.Errorf("%d of %d links", n, len(links))
	}
}

func TestURL_DomainIsNotSaidTwice(t *testing.T) {
	for text, stored := range map[string]string{
		"http://a.example/x y":               "",
		"https://a.example/x/y?z":            " x/y?z",
		"https://www.a.example/":             "www. ",
		"https://www.a.example:81/a.example": "www.a.example:81/a.example",
		"https://b.example/a.example/":       "b.example/a.example/",
	} {
		v := URL{Link: Link{Text: text, Priority: 2}}.Encode(testDomain)
		if u, err := DecodeURL(testDomain, v); (err == nil) != (stored != "") || err == nil && u.Link.Text != text {
			t.Errorf("%s becomes %q, %v", text, u.Link.Text, err)
		}
		if stored != "" && !bytes.HasSuffix(v, append([]byte{byte(len(stored))}, stored...)) {
			t.Errorf("%s is stored as %q", text, v)
		}
		long := appendText([]byte{v[0], v[1]}, strings.TrimPrefix(strings.TrimPrefix(text, "https://"), "http://"))
		if _, err := DecodeURL(testDomain, long); (err == nil) != bytes.Equal(long, v) {
			t.Errorf("%q is read: %v", long, err)
		}
	}
}
