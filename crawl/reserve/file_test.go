package reserve

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl/extract"
)

const (
	unset = extract.ReservationUnset
	open  = extract.NotReserved
	kept  = extract.Reserved
)

func TestParse(t *testing.T) {
	const example = `[
		{"location": "/directory-a/", "tdm-reservation": 1},
		{"location": "/directory-b/html/", "tdm-reservation": 1, "tdm-policy": "https://provider.com/policies/policy.json"},
		{"location": "/directory-b/images/*.jpg", "tdm-reservation": 0}
	]`
	for _, c := range []struct {
		name, file, path string
		want             extract.Reservation
	}{
		{"whole site", `[{"location":"/","tdm-reservation":1}]`, "/a?b", kept},
		{"first", example, "/directory-a/x.pdf", kept},
		{"with a policy", example, "/directory-b/html/x", kept},
		{"not reserved", example, "/directory-b/images/a/x.jpg", open},
		{"no match", example, "/directory-b/images/x.png", unset},
		{"case counts", example, "/Directory-a/x.pdf", unset},
		{"first in sequence wins", `[{"location":"/a","tdm-reservation":0},{"location":"/a/b","tdm-reservation":1}]`, "/a/b", open},
		{"the end", `[{"location":"/a$","tdm-reservation":1}]`, "/a/b", unset},
		{"the end itself", `[{"location":"/a$","tdm-reservation":1}]`, "/a", kept},
		{"encoded", `[{"location":"/foo-%24","tdm-reservation":1}]`, "/foo-$", kept},
		{"encoded letters", `[{"location":"/%7ejoe/","tdm-reservation":1}]`, "/~joe/x", kept},
		{"everything", `[{"location":"*","tdm-reservation":1}]`, "/x", kept},
		{"a mark before it", "\ufeff" + `[{"location":"/","tdm-reservation":1}]`, "/", kept},
		{"a string", `[{"location":"/","tdm-reservation":"1"}]`, "/", kept},
		{"without brackets", ` {"location":"/","tdm-reservation":1}`, "/", kept},
		{"other value", `[{"location":"/","tdm-reservation":2}]`, "/", unset},
		{"true", `[{"location":"/","tdm-reservation":true}]`, "/", unset},
		{"no value", `[{"location":"/"}]`, "/", unset},
		{"no location", `[{"tdm-reservation":1}]`, "/", unset},
		{"one bad of two", `[{"location":7,"tdm-reservation":1},3,null,{"location":"/","tdm-reservation":1}]`, "/", kept},
		{"empty", `[]`, "/", unset},
	} {
		r, err := Parse([]byte(c.file))
		if got := r.Of(c.path); got != c.want || err != nil {
			t.Errorf("%s: %s is %d, %v, want %d", c.name, c.path, got, err, c.want)
		}
	}
}

// What stands before a fault counts.
func TestParse_Broken(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       extract.Reservation
	}{
		{"cut off", `[{"location":"/","tdm-reservation":1},{"loc`, kept},
		{"no end", `[{"location":"/","tdm-reservation":1}`, kept},
		{"a page", `<!DOCTYPE html><html>`, unset},
		{"nothing", ``, unset},
		{"no list", `"/"`, unset},
		{"cut in the only rule", `{"location":"/","tdm-res`, unset},
	} {
		r, err := Parse([]byte(c.file))
		if got := r.Of("/a"); got != c.want || !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %d, %v, want %d and ErrFormat", c.name, got, err, c.want)
		}
	}
}

func TestParse_Bounds(t *testing.T) {
	rule := func(path string) string { return fmt.Sprintf(`{"location":%q,"tdm-reservation":1}`, path) }
	many := "[" + strings.Repeat(rule("/a")+",", MaxRules) + rule("/b") + "]"
	if r, err := Parse([]byte(many)); err != nil || len(r.list) != MaxRules || r.Of("/b") != unset || r.Of("/a") != kept {
		t.Errorf("%d rules of %d, %v", len(r.list), MaxRules+1, err)
	}
	long := "[" + rule("/"+strings.Repeat("x", maxLocation)) + "," + rule("/b") + "]"
	if r, err := Parse([]byte(long)); err != nil || len(r.list) != 1 || r.Of("/b") != kept {
		t.Errorf("a location that is too long: %d rules, %v", len(r.list), err)
	}
	large := "[" + rule("/a") + strings.Repeat(" ", MaxFile) + "," + rule("/b") + "]"
	if r, err := Parse([]byte(large)); !errors.Is(err, ErrFormat) || r.Of("/a") != kept || r.Of("/b") != unset {
		t.Errorf("a file that is too large: %v, %v", r, err)
	}
}

func TestRules_Coarse(t *testing.T) {
	for file, want := range map[string]extract.Reservation{
		`[{"location":"/a","tdm-reservation":0},{"location":"/b","tdm-reservation":1}]`: kept,
		`[{"location":"/a","tdm-reservation":0}]`:                                       unset,
		`[]`: unset,
	} {
		r, err := Parse([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Coarse(); got.Of("/x") != want || got.Size() > 64 {
			t.Errorf("%s: /x is %d in %d bytes, want %d", file, got.Of("/x"), got.Size(), want)
		}
	}
}

// Whatever a file holds, what it reserves stays reserved in the coarse form, and
// the rules take memory in proportion to it (an octet may become nine).
func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"location":"/a*b$","tdm-reservation":1},{"location":"/","tdm-reservation":"0"}]`), "/axb")
	f.Add([]byte(`{"location":"%","tdm-reservation":1}`), "/%2")
	f.Add([]byte("\ufeff[[[{"), "/")
	f.Fuzz(func(t *testing.T, file []byte, path string) {
		r, _ := Parse(file)
		if len(r.list) > MaxRules || r.Size() > 10*len(file)+64 {
			t.Errorf("%q: %d rules of %d bytes", file, len(r.list), r.Size())
		}
		if !strings.HasPrefix(path, "/") {
			return
		}
		if r.Of(path) == kept && r.Coarse().Of(path) != kept {
			t.Errorf("%q: %q is reserved, and not in the coarse form", file, path)
		}
	})
}
