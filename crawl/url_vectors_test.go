package crawl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// vectors returns the cases of a file of the web platform tests, by their
// place in it; comments between them count. It skips the test where the file is not at hand.
func vectors[T any](t *testing.T, name string) map[int]T {
	t.Helper()
	data, err := os.ReadFile("../../shared/vectors/url/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the URL vectors are not here")
	} else if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	cases := map[int]T{}
	for i, r := range raw {
		if r[0] == '"' {
			continue
		}
		var c T
		if err := json.Unmarshal(r, &c); err != nil {
			t.Fatal(err)
		}
		cases[i] = c
	}
	return cases
}

// wptURL is a case of urltestdata.json.
type wptURL struct {
	Input, Base                                string
	Failure                                    bool
	Protocol, Hostname, Port, Pathname, Search string
}

// parse reads the case as the crawl would: the base is the page the link is on.
func (c wptURL) parse() (URL, error) {
	base, err := ParseURL(c.Base)
	if err != nil { // none, or one we never fetch
		return ParseURL(c.Input)
	}
	return base.Resolve(c.Input)
}

// want returns the URL the standard asks for in our form, and reports whether
// it is one of ours at all.
func (c wptURL) want() (string, bool) {
	if c.Failure || c.Protocol != "http:" && c.Protocol != "https:" {
		return "", false
	}
	s := c.Protocol + "//" + strings.TrimSuffix(c.Hostname, ".")
	if c.Port != "" {
		s += ":" + c.Port
	}
	return s + respell(c.Pathname+c.Search), true
}

var octets = regexp.MustCompile("%[0-9A-Fa-f]{2}|[][|^`{}\\\\]")

// respell writes percent-encoding as our URLs do.
func respell(s string) string {
	return octets.ReplaceAllStringFunc(s, func(text string) string {
		if len(text) == 1 {
			return fmt.Sprintf("%%%02X", text[0])
		}
		c := unhex(text[1])<<4 | unhex(text[2])
		if isUnreserved(c) {
			return string(rune(c))
		}
		return strings.ToUpper(text)
	})
}

// unlikeStandard lists the cases where we differ on purpose: hosts with an
// empty label, which no resolver knows. A case that agrees must leave the list.
var unlikeStandard = map[int]string{
	346: "http://./",
	347: "http://../",
	890: "http://foo.09..",
}

func TestURL_WebPlatformVectors(t *testing.T) {
	cases := vectors[wptURL](t, "wpt_urltestdata.json")
	ours := 0
	for i, c := range cases {
		want, isOurs := c.want()
		if isOurs {
			ours++
		}
		u, err := c.parse()
		agrees := err == nil && isOurs && u.String() == want || err != nil && !isOurs
		if listed, ok := unlikeStandard[i]; ok {
			if listed != c.Input {
				t.Errorf("case %d is %q, the list of differences has %q", i, c.Input, listed)
			}
			if agrees {
				t.Errorf("case %d, %q: agrees with the standard: remove it from the list", i, c.Input)
			}
			continue
		}
		if !agrees {
			t.Errorf("case %d: %q on %q = %q, %v, want %q", i, c.Input, c.Base, u, err, want)
		}
	}
	if len(cases) != 891 || ours != 247 {
		t.Errorf("%d cases, %d of them of ours, want 891 and 247", len(cases), ours)
	}
}

// wptHost is a case of toascii.json. Output is nil where the host is none.
type wptHost struct {
	Input  string
	Output *string
}

const (
	longLabel = "x01234567890123456789012345678901234567890123456789012345678901"
	fifty     = "01234567890123456789012345678901234567890123456789."
	longName  = fifty + fifty + fifty + fifty + "0123456789012345678901234567890123456789012345678"
)

// unlikeToASCII is unlikeStandard for toascii.json. The long ones are names that the DNS cannot hold
// (RFC 1035 §2.3.4); the standard lets them pass, we do not ask IDNA about them.
var unlikeToASCII = map[int]string{
	14: "x..xn--zca",
	15: "x..ß",
	33: longLabel + "x",
	34: longLabel + "†",
	35: longLabel + "x.xn--zca",
	36: longLabel + "x.ß",
	37: longName + ".x",
	38: longName + ".xn--zca",
	39: longName + ".ß",
}

func TestURL_HostVectors(t *testing.T) {
	cases := vectors[wptHost](t, "wpt_toascii.json")
	for i, c := range cases {
		u, err := ParseURL("https://" + c.Input + "/x")
		agrees := c.Output == nil && err != nil || c.Output != nil && u.Hostname() == *c.Output
		if again, err := ParseURL(u.String()); agrees && c.Output != nil && (err != nil || again != u) {
			t.Errorf("case %d: %q is not canonical: %q, %v", i, u, again, err)
		}
		if listed, ok := unlikeToASCII[i]; ok {
			if listed != c.Input || agrees {
				t.Errorf("case %d, %q (listed %q): agrees with the standard %v: remove it from the list", i, c.Input, listed, agrees)
			}
		} else if !agrees {
			want := "no host"
			if c.Output != nil {
				want = *c.Output
			}
			t.Errorf("case %d: host %q = %q, %v, want %q", i, c.Input, u.Hostname(), err, want)
		}
	}
	if len(cases) != 87 {
		t.Errorf("%d cases, want 87", len(cases))
	}
}

// Links of pages in old encodings come with their queries encoded: the other
// columns of this table are for crawl/extract.
func TestURL_PercentEncodingVectors(t *testing.T) {
	cases := vectors[struct {
		Input  string
		Output map[string]string
	}](t, "wpt_percent-encoding.json")
	for i, c := range cases {
		u, err := ParseURL("http://example.com/?" + c.Input)
		if want := "/?" + respell(c.Output["utf-8"]); err != nil || u.Path() != want {
			t.Errorf("case %d: query %q = %q, %v, want %q", i, c.Input, u.Path(), err, want)
		}
	}
	if len(cases) != 7 {
		t.Errorf("%d cases, want 7", len(cases))
	}
}
