package crawl

import (
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
		{"xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"},
	} {
		if got := DomainOf(c.host); got != c.want {
			t.Errorf("DomainOf(%q) = %q, want %q", c.host, got, c.want)
		}
	}
}

// The list's own vectors, where they are at hand.
func TestDomainOf_Vectors(t *testing.T) {
	data, err := os.ReadFile("../../shared/vectors/psl/test_psl.txt")
	if err != nil {
		t.Skip("the public suffix vectors are not here")
	}
	n := 0
	for _, m := range regexp.MustCompile(`(?m)^checkPublicSuffix\('([^']+)', '([^']+)'\);`).FindAllStringSubmatch(string(data), -1) {
		host, err := asciiHost(m[1])
		if err != nil {
			t.Errorf("%q: %v", m[1], err)
			continue
		}
		want, _ := asciiHost(m[2])
		if got := DomainOf(host); string(got) != want {
			t.Errorf("DomainOf(%q) = %q, want %q", m[1], got, want)
		}
		n++
	}
	if n < 50 {
		t.Errorf("read %d vectors, want 50 at least", n)
	}
}
