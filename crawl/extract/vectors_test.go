package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

const vectors = "../../../shared/vectors/"

// html5libCase is a case of the html5lib tests.
type html5libCase struct {
	name     string // file:number, from 1
	data     []byte
	encoding string // what the page is in, in the tests of encodings
}

// html5libCases returns the cases of the html5lib tests, all that their files
// hold. It leaves out encoding/scripted, where a script writes the declaration:
// we run none.
func html5libCases(t testing.TB) (cases []html5libCase) {
	t.Helper()
	if _, err := os.Stat(vectors + "html"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the test vectors are not here")
	}
	held := 0
	for _, dir := range []string{"tree-construction", "encoding"} {
		files, err := filepath.Glob(filepath.Join(vectors, "html", dir, "*.dat"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(data) {
				if string(line) == "#data\n" {
					held++
				}
			}
			cases = append(cases, splitCases(dir+"/"+filepath.Base(file), data)...)
		}
	}
	if len(cases) < held {
		t.Fatalf("read %d cases of the %d in the files", len(cases), held)
	}
	return cases
}

func splitCases(file string, data []byte) (cases []html5libCase) {
	for i, test := range bytes.Split(append([]byte("\n"), data...), []byte("\n#data\n"))[1:] {
		c := html5libCase{name: fmt.Sprintf("%s:%d", file, i+1)}
		if head, tail, ok := bytes.Cut(test, []byte("\n#encoding\n")); ok {
			label, _, _ := bytes.Cut(tail, []byte("\n"))
			c.data, c.encoding = head, string(label)
		} else {
			c.data, _, _ = bytes.Cut(append([]byte("\n"), test...), []byte("\n#errors"))
			c.data = bytes.TrimPrefix(c.data, []byte("\n"))
		}
		cases = append(cases, c)
	}
	return cases
}

func TestScanner_AgreesWithParser(t *testing.T) {
	for _, c := range html5libCases(t) {
		agreeWithParser(t, c.name, c.data)
	}
}

// The tests of trees have few links. With every element that could be one made
// one, and another behind every tag, they show what is read as a tag at all.
func TestScanner_AgreesWithParserOnMoreLinks(t *testing.T) {
	tag := regexp.MustCompile(`(?i)<(a|area|frame|iframe|link|base|img|embed|object|blockquote|q|ins|del)([\s/>])|>`)
	seen := 0
	for _, c := range html5libCases(t) {
		data := tag.ReplaceAllFunc(c.data, func(b []byte) []byte {
			seen++
			if string(b) == ">" {
				return fmt.Appendf(nil, "><area href=%d>", seen)
			}
			m := tag.FindSubmatch(b)
			return fmt.Appendf(nil, "<%s href=%d src=%[2]d longdesc=%[2]d data=%[2]d cite=%[2]d%[3]s", m[1], seen, m[2])
		})
		agreeWithParser(t, c.name+" with links", data)
	}
	if seen < 5000 {
		t.Errorf("%d links in all cases, want 5000", seen)
	}
}

func agreeWithParser(t *testing.T, name string, src []byte) {
	t.Helper()
	got, want := factsByScanner(src), seenByParser(t, src)
	switch same := slices.Equal(got, want); {
	case same && known[name] != "":
		t.Errorf("%s agrees: take it off the list", name)
	case !same && known[name] == "":
		t.Errorf("%s: in %q the scanner sees %q, want %q", name, src, without(got, want), without(want, got))
	}
}

// Pages of real sites: all of the directory named by FORAGE_TESTWEB, links in
// it followed.
func TestScanner_AgreesWithParserOnSites(t *testing.T) {
	root := os.Getenv("FORAGE_TESTWEB")
	if root == "" {
		t.Skip("FORAGE_TESTWEB names no directory of sites")
	}
	files := htmlFiles(t, root, map[string]bool{})
	for _, path := range files {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		agreeWithParser(t, path, body)
	}
	if len(files) == 0 {
		t.Errorf("no pages in %s", root)
	}
	t.Logf("read %d pages", len(files))
}

// htmlFiles lists the pages below a directory, each once.
func htmlFiles(t *testing.T, dir string, seen map[string]bool) (files []string) {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || seen[real] {
		return nil // a link to nothing
	}
	seen[real] = true
	info, err := os.Stat(real)
	if err != nil {
		t.Fatal(err)
	}
	if !info.IsDir() {
		if slices.Contains([]string{".html", ".htm", ".xhtml"}, filepath.Ext(real)) {
			files = append(files, real)
		}
		return files
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		files = append(files, htmlFiles(t, filepath.Join(real, e.Name()), seen)...)
	}
	return files
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}
