package scope

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

func TestBuiltin_IsSmallCanonicalAndSaysWhy(t *testing.T) {
	seen := make(map[string]bool)
	for _, b := range Builtin() {
		if canonical, err := NeverPattern(b.Pattern); err != nil || canonical != b.Pattern {
			t.Errorf("%q should be written %q: %v", b.Pattern, canonical, err)
		}
		if n := len(strings.Fields(said(b.Reason))); n < 2 || n > 12 {
			t.Errorf("the reason of %s is %q, want a few words", b.Pattern, b.Reason)
		}
		if seen[b.Pattern] {
			t.Errorf("%s stands twice", b.Pattern)
		}
		seen[b.Pattern] = true
	}
	if n := len(seen); n < 40 || n > 80 {
		t.Errorf("the built-in list has %d entries, want 40 to 80", n)
	}
	if v := BuiltinVersion(); !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(v) || v != BuiltinVersion() {
		t.Errorf("version %q", v)
	}
}

func TestTopics_AreCanonical(t *testing.T) {
	if names := TopicNames(); len(names) < 5 || !slices.IsSorted(names) ||
		len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("topics %q, want several in order", names)
	}
	of := make(map[string]string)
	for _, topic := range Topics() {
		if len(topic.Words) == 0 {
			t.Errorf("%s has no words", topic.Name)
		}
		for _, tld := range topic.TLDs {
			if canonical, err := TopLevel(tld); err != nil || canonical != tld {
				t.Errorf("%s: .%s should be %q: %v", topic.Name, tld, canonical, err)
			}
		}
		for _, w := range topic.Words {
			if canonical, err := NeverPattern(w + ".org"); err != nil || canonical != w+".org" ||
				strings.Contains(w, ".") {
				t.Errorf("%s: %q is no label: %v", topic.Name, w, err)
			}
			if of[w] != "" {
				t.Errorf("%q stands in %s and %s", w, of[w], topic.Name)
			}
			of[w] = topic.Name
		}
	}
}

func TestNeverFrom(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"example.org", "example.org", ""},
		{" Example.ORG ", "example.org", ""},
		{"*.example.org", "example.org", ""},
		{"example.org/", "example.org", ""},
		{"www.example.org/shop", "www.example.org/shop", ""},
		{"*.example.org/shop/*", "*.example.org/shop/", ""},
		{"example.org/a//b", "example.org/a//b", ""},
		{"example.org/s?", "example.org/s?", ""},
		{"https://www.shop.example.co.uk/a?b#c", "example.co.uk", ""},
		{"HTTP://WWW.EXAMPLE.ORG", "example.org", ""},
		{"https://alice.github.io/x", "alice.github.io", ""},
		{"https://xn--bcher-kva.example/", "xn--bcher-kva.example", ""},
		{"https://user:secret@www.example.org:8443/", "example.org", ""},
		{"http://93.184.215.14/x", "93.184.215.14", ""},
		{"http://[2001:db8::1]:8080/x", "[2001:db8::1]", ""},
		{"", "", notPattern.Error()},
		{"   ", "", notPattern.Error()},
		{"/x", "", notPattern.Error()},
		{"a b.org", "", notPattern.Error()},
		{"*.", "", notPattern.Error()},
		{"exa*mple.org", "", notPattern.Error()},
		{"user@example.org", "", "is an e-mail address; for its site, write example.org"},
		{"example.org#top", "example.org", ""},
		{"example.org/#top", "example.org", ""},
		{"www.example.org", "example.org", ""},
		{"WWW.Example.org.", "example.org", ""},
		{"www.shop.example.org", "www.shop.example.org", ""},
		{"www.co.uk", "www.co.uk", ""},
		{"example.org:443", "example.org", ""},
		{"example.org:8080/", "example.org", ""},
		{"bücher.example", "xn--bcher-kva.example", ""},
		{"BÜCHER.example", "xn--bcher-kva.example", ""},
		{"//example.org/x", "example.org", ""},
		{"example.org?q=1", "example.org", ""},
		{"ftp://ftp.example.org/pub", "example.org", ""},
		{"hxxps://example.org/", "example.org", ""},
		{"http:/example.org/x", "example.org", ""},
		{"view-source:https://www.example.org/x", "example.org", ""},
		{"<https://example.org/x>", "example.org", ""},
		{"“example.org”,", "example.org", ""},
		{".example.org", "example.org", ""},
		{"||example.org^", "example.org", ""},
		{"2001:db8::1", "[2001:db8::1]", ""},
		{"[2001:db8::1]:443", "[2001:db8::1]", ""},
		{"93.184.215.14:80", "93.184.215.14", ""},
		{"mailto:someone@example.org", "", "is an e-mail address; for its site, write example.org"},
		{"example.org\n/x", "", notPattern.Error()},
		{"example.org:port", "", notPattern.Error()},
		{"org", "", "is not the domain of a site; for a whole top-level domain there is tld.never"},
		{"http://localhost/", "", "is not the domain of a site; for a whole top-level domain there is tld.never"},
		{"https://", "", "is not a web address"},
	} {
		got, err := NeverFrom(c.text)
		reason := ""
		if bad, ok := err.(*PatternError); ok {
			reason = said(bad.Reason)
		}
		if got != c.want || reason != c.reason || (err != nil) != (c.reason != "") {
			t.Errorf("NeverFrom(%q) = %q, %v, want %q, %q", c.text, got, err, c.want, c.reason)
		}
	}
}

func TestTopLevel(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"zip", "zip"}, {" ZIP ", "zip"}, {"рф", "xn--p1ai"}, {"xn--p1ai", "xn--p1ai"}, {"co.uk", ""}, {".zip", ""},
		{"zip.", ""}, {"", ""},
		{"1", ""}, {"a", ""}, {"zip/", ""}, {"z p", ""}, {"*", ""}, {"0x7f", ""}, {strings.Repeat("a", 64), ""},
		{"http://zip", ""},
	} {
		got, err := TopLevel(c.text)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("TopLevel(%q) = %q, %v, want %q", c.text, got, err, c.want)
		}
	}
}

func TestOwnDomain(t *testing.T) {
	const none = "is not the domain of a site, such as example.org"
	for _, c := range []struct{ text, want, wrong string }{
		{"example.org", "example.org", ""}, {" Example.ORG ", "example.org", ""},
		{"bücher.example", "xn--bcher-kva.example", ""},
		{"example.co.uk", "example.co.uk", ""}, {"a.test", "a.test", ""},
		{"www.example.org", "", "is a host of a domain; write the domain, example.org"},
		{"https://www.example.org/x", "", "is the address of a page; write its domain, example.org"},
		{"co.uk", "", none}, {"org", "", none}, {"localhost", "", none}, {"", "", none},
		{"example.org/x", "", none}, {"example.org:80", "", none},
		{"*.example.org", "", none}, {"a b.org", "", none}, {"192.0.2.7", "", none}, {"0x7f.1", "", none},
		{"[2001:db8::1]", "", none},
		{"user@example.org", "", none}, {"example..org", "", none},
	} {
		got, err := OwnDomain(c.text)
		var bad *PatternError
		if c.wrong == "" {
			if got != crawl.Domain(c.want) || err != nil {
				t.Errorf("OwnDomain(%q) = %q, %v, want %q", c.text, got, err, c.want)
			}
		} else if !errors.As(err, &bad) || said(bad.Reason) != c.wrong || got != "" {
			t.Errorf("OwnDomain(%q) = %q, %v, want that it %s", c.text, got, err, c.wrong)
		}
	}
}
