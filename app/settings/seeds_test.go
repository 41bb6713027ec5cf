package settings

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/assets"
	"github.com/forage-net/forage/crawl/scope"
)

func TestSeeds_AreNotRefused(t *testing.T) {
	r, err := scope.NewRefusals(scope.RefusalsConfig{Topics: scope.TopicNames()})
	if err != nil {
		t.Fatal(err)
	}
	seeds, err := ReadSeeds(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range seeds {
		if why := r.Reason(u); why != nil {
			t.Errorf("the seed %s is refused: %s", u, why)
		}
	}
}

func TestReadSeeds(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	long := "http://a.example/" + strings.Repeat("x", 5000)
	for _, c := range []struct {
		name string
		args []string
		want []string
		err  string // what the error contains
	}{
		{"a URL", []string{"https://A.example"}, []string{"https://a.example/"}, ""},
		{"a file", []string{write("f", "# seeds\n\nhttp://a.example/\n  http://b.example/x#y  \n#http://c.example/\n")}, []string{"http://a.example/", "http://b.example/x"}, ""},
		{"Windows", []string{write("w", "\ufeffhttp://a.example/\r\nhttp://b.example/\r\n")}, []string{"http://a.example/", "http://b.example/"}, ""},
		{"a mark and a comment", []string{write("m", "\ufeff# seeds\nhttp://a.example/")}, []string{"http://a.example/"}, ""},
		{"a mark alone", []string{write("a", "\ufeff\nhttp://a.example/")}, []string{"http://a.example/"}, ""},
		{"a mark and blanks", []string{write("ab", "\ufeff  \nhttp://a.example/")}, []string{"http://a.example/"}, ""},
		{"both", []string{"http://u.example/", write("b", "http://f.example/")}, []string{"http://u.example/", "http://f.example/"}, ""},
		{"a bad URL", []string{"http://"}, nil, "seed http://:"},
		{"a URL of another scheme", []string{"ftp://a.example/"}, nil, "seed ftp://a.example/: scheme is not http or https"},
		{"a bad line", []string{write("bad", "http://a.example/\n\nnot a url\n")}, nil, "bad:3: not a URL"},
		{"another scheme", []string{write("ftp", "ftp://a.example/\n")}, nil, "ftp:1: scheme is not http or https"},
		{"a long URL", []string{write("long", "http://a.example/\n"+long)}, nil, "long:2: URL is longer"},
		{"a very long line", []string{write("vlong", "http://a.example/\n"+strings.Repeat("x", 1<<17))}, nil, "vlong:2:"},
		{"a line without a scheme", []string{write("bare", "http://a.example/\nexample.org/secret\n")}, nil, "bare:2: not a URL; write the address with https:// before it"},
		{"capitals", []string{"HTTPS://A.example"}, []string{"https://a.example/"}, ""},
		{"a site", []string{"example.org"}, nil, "no such file or directory; for the site, write https://example.org/"},
		{"a site with a page", []string{"example.org/x"}, nil, "no such file or directory; for the site, write https://example.org/x"},
		{"an empty file", []string{write("empty", "# nothing\n")}, nil, "no seed in"},
		{"no file", []string{filepath.Join(dir, "missing")}, nil, "read seeds: "},
		{"a directory", []string{dir}, nil, "read seeds from "},
	} {
		t.Run(c.name, func(t *testing.T) {
			seeds, err := ReadSeeds(c.args)
			var got []string
			for _, s := range seeds {
				got = append(got, s.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("seeds %q, want %q", got, c.want)
			}
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
	if _, err := ReadSeeds([]string{filepath.Join(dir, "missing")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v does not wrap os.ErrNotExist", err)
	}
	built, err := ReadSeeds(nil)
	if err != nil || len(built) == 0 || !strings.Contains(assets.Seeds(), built[0].Hostname()) {
		t.Errorf("built-in seeds: %d, %v", len(built), err)
	}
}

func TestParseSeeds_RefusesWhatIsTooLong(t *testing.T) {
	comment := "#" + strings.Repeat("x", 1<<15-2) + "\n"
	const last = "http://a.example/\n"
	fill := strings.Repeat(comment, maxSeedFile/len(comment)-1)
	fill += "#" + strings.Repeat("x", maxSeedFile-len(fill)-len(last)-3) + "\n"
	if seeds, err := parseSeeds("big", strings.NewReader(fill+last)); err != nil || len(seeds) != 1 {
		t.Errorf("just short enough: %d seeds, error %v", len(seeds), err)
	}
	for _, more := range []string{"#", "http://b.example/"} { // the second is cut within a line
		text := fill + last[:len(last)-1] + "?\n" + more
		if seeds, err := parseSeeds("big", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "longer than 64 MB") {
			t.Errorf("%d seeds, error %v", len(seeds), err)
		}
	}
}
