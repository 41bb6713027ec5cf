package scope

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
)

func readBlocklist(t testing.TB, text string) (*Blocklist, int) {
	t.Helper()
	b := new(Blocklist)
	n, err := b.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b.Done()
	return b, n
}

func TestBlocklist_FormsOfLists(t *testing.T) {
	b, n := readBlocklist(t, strings.Join([]string{
		"# a comment", "! another", "[Adblock Plus 2.0]", "", "plain.example.org", "  UPPER.example.net.  # why",
		"*.wild.example.com",
		"0.0.0.0 hosts.example.org also.example.org", "127.0.0.1\tlocalhost", "::1 six.example.org", "192.0.2.7",
		"||filter.example.org^", "||part.example.org^$third-party", "||path.example.org/x", "@@||good.example.org^",
		"example.org##.ad", "com", "co.uk", "0.0.0.0 0.0.0.0",
		"b\u00fccher.example", "two words", "http://page.example.org/", strings.Repeat("a.", 2000) + "long.example",
		"last.example.org",
	}, "\r\n"))
	for host, want := range map[string]bool{
		"plain.example.org": true, "www.plain.example.org": true, "example.org": false, "upper.example.net": true,
		"wild.example.com": true, "x.wild.example.com": true,
		"hosts.example.org": true, "also.example.org": true, "six.example.org": true, "192.0.2.7": false,
		"filter.example.org": true, "part.example.org": false,
		"path.example.org": false, "good.example.org": false, "a.com": false, "a.co.uk": false,
		"xn--bcher-kva.example": true, "two": false, "page.example.org": false,
		"long.example": false, "last.example.org": true, "localhost": false, "": false, "[::1]": false,
	} {
		if got := b.Has(host); got != want {
			t.Errorf("Has(%q) = %t, want %t", host, got, want)
		}
	}
	if n != 9 || b.Len() != 9 {
		t.Errorf("%d names found, %d kept, want 9", n, b.Len())
	}
}

func TestBlocklist_Nothing(t *testing.T) {
	var none *Blocklist
	if none.Has("example.org") || new(Blocklist).Has("example.org") {
		t.Error("an empty list has a name")
	}
	for _, text := range []string{"", "<!doctype html>\n<title>404 Not Found</title>\n", "# nothing\n"} {
		if _, err := new(Blocklist).Read(strings.NewReader(text)); !errors.Is(err, ErrBlocklistEmpty) {
			t.Errorf("Read(%q) = %v", text, err)
		}
	}
	broken := errors.New("broken")
	if _, err := new(Blocklist).Read(io.MultiReader(strings.NewReader("a.example.org\n"),
		failing{broken})); !errors.Is(err, broken) {
		t.Errorf("Read = %v", err)
	}
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// numbered is a list of so many names, again and again the same if every is given, or one endless line.
type numbered struct {
	i, most, every int
	rest           string
}

func (n *numbered) Read(p []byte) (int, error) {
	for len(n.rest) == 0 {
		if n.i == n.most {
			return 0, io.EOF
		}
		n.rest = fmt.Sprintf("d%d.example\n", n.i%n.every)
		n.i++
	}
	k := copy(p, n.rest)
	n.rest = n.rest[k:]
	return k, nil
}

func TestBlocklist_Bounds(t *testing.T) {
	if testing.Short() {
		t.Skip("reads millions of lines")
	}
	if _, err := new(Blocklist).Read(&numbered{most: MaxBlocked + 1, every: MaxBlocked + 1}); !errors.Is(err,
		ErrBlocklistNames) {
		t.Errorf("too many names: %v", err)
	}
	b := new(Blocklist)
	if n, err := b.Read(&numbered{most: MaxBlocked + 10, every: 10}); err != nil || n != MaxBlocked+10 {
		t.Errorf("the same names again and again: %d, %v", n, err)
	}
	if b.Done(); b.Len() != 10 {
		t.Errorf("%d names kept, want 10", b.Len())
	}
	if _, err := new(Blocklist).Read(zeros{}); !errors.Is(err, ErrBlocklistSize) {
		t.Errorf("an endless line: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestRefusals_Blocklist(t *testing.T) {
	lists, _ := readBlocklist(t, "bad.example\nshop.good.example\n")
	r, err := NewRefusals(RefusalsConfig{Lists: lists, Sites: []string{"mine.bad.example"}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]*words.Message{
		"http://bad.example/": reasonList, "https://www.bad.example:8443/x": reasonList, "http://good.example/": nil,
		"http://a.shop.good.example/": reasonList,
		"http://mine.bad.example/":    reasonSite,
	} {
		u, err := crawl.ParseURL(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Reason(u); got != want || IsRefusal(got) != (want != nil) {
			t.Errorf("Reason(%s) = %v, want %v", text, got, want)
		}
		if allocs := testing.AllocsPerRun(10, func() { r.Reason(u) }); allocs > 0 {
			t.Errorf("Reason(%s) allocates %v times", text, allocs)
		}
	}
	if r.Domain("bad.example") != reasonList || r.Domain("good.example") != nil {
		t.Errorf("domains: %v, %v", r.Domain("bad.example"), r.Domain("good.example"))
	}
}

// Whatever stands in a list, what is found can be asked for, and nothing that is no name of a site is refused.
func FuzzBlocklist(f *testing.F) {
	f.Add("0.0.0.0 a.example.org\n||b.example^\nc.example # x\n")
	f.Add("b\u00fccher.example\n*.x.\n..\n-.-\n||^\n")
	f.Fuzz(func(t *testing.T, text string) {
		b := new(Blocklist)
		n, err := b.Read(strings.NewReader(text))
		if err != nil && !errors.Is(err, ErrBlocklistEmpty) || (n == 0) != (err != nil) {
			t.Fatalf("%d names, %v", n, err)
		}
		if b.Done(); b.Len() > n {
			t.Fatalf("%d of %d names", b.Len(), n)
		}
		for _, host := range []string{"com", "co.uk", "", ".", "127.0.0.1", "localhost"} {
			if b.Has(host) {
				t.Fatalf("it has %q", host)
			}
		}
	})
}
