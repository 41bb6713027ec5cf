package crawl

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"testing"
)

func TestDomainOf(t *testing.T) {
	for _, c := range []struct {
		host string
		want Domain
	}{
		{"example.com", "example.com"}, {"www.example.com", "example.com"}, {"a.b.example.co.uk", "example.co.uk"},
		{"co.uk", "co.uk"}, {"uk", "uk"}, {"x.y.ck", "x.y.ck"}, {"a.x.y.ck", "x.y.ck"}, {"a.www.ck", "www.ck"},
		{"user.github.io", "user.github.io"}, {"start.test", "start.test"}, {"a.start.test", "start.test"},
		{"localhost", "localhost"}, {"127.0.0.1", "127.0.0.1"}, {"2001:db8::1", "2001:db8::1"},
		{"xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"}, {"www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"},
		{"www.ck", "www.ck"}, {"ck", "ck"}, {"b.c.kobe.jp", "b.c.kobe.jp"}, {"a.b.c.kobe.jp", "b.c.kobe.jp"}, {"www.city.kobe.jp", "city.kobe.jp"},
		{"a.b.unlisted", "b.unlisted"}, {"unlisted", "unlisted"},
	} {
		if got := DomainOf(c.host); got != c.want {
			t.Errorf("DomainOf(%q) = %q, want %q", c.host, got, c.want)
		}
	}
}

// Nodes with different lists take different members for the owner of a domain, which then has two crawlers.
func TestSuffixList_IsThatOfTheProtocol(t *testing.T) {
	const ofVersion1 = "87d2e11f3602b504"
	if got := SuffixListHash(); got != ofVersion1 {
		t.Errorf("the public suffix list has the hash %s, not %s as in version 1 of the protocol: raise that (p2p/calls.Protocol, the topic in p2p/gossip.go, the DHT's prefix in p2p/peerhost), and write the new hash here", got, ofVersion1)
	}
}

// The list's own vectors, where they are at hand: all of them, "null" being a
// name that is its own domain or none at all.
func TestDomainOf_Vectors(t *testing.T) {
	data, err := os.ReadFile("../../shared/vectors/psl/test_psl.txt")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the public suffix vectors are not here")
	} else if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range regexp.MustCompile(`(?m)^checkPublicSuffix\((?:null|'([^']+)'), (?:null|'([^']+)')\);`).FindAllStringSubmatch(string(data), -1) {
		n++
		u, err := ParseURL("http://" + m[1] + "/")
		if m[1] == "" || m[1][0] == '.' {
			if err == nil {
				t.Errorf("%q is host %q of domain %q, want no host", m[1], u.Hostname(), u.Domain())
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", m[1], err)
			continue
		}
		want := u.Hostname()
		if m[2] != "" {
			if want, err = asciiHost(m[2]); err != nil {
				t.Fatal(err)
			}
		}
		if got := u.Domain(); string(got) != want {
			t.Errorf("domain of %q = %q, want %q", m[1], got, want)
		}
	}
	if n != 78 {
		t.Errorf("ran %d vectors, want 78", n)
	}
}
