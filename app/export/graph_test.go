package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/export"
)

// linking returns a capture of a page that links to some URLs.
func linking(url string, to ...string) capture.Capture {
	var body strings.Builder
	for _, u := range to {
		fmt.Fprintf(&body, "<a href='%s'>x</a>", u)
	}
	return answerAt(url, "Content-Type: text/html\r\n", body.String())
}

// graphOf exports the graph of an archive and returns the lines of both files.
func graphOf(t *testing.T, captures ...capture.Capture) (vertices, edges string, done Graph) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "graph")
	done, err := AsGraph(t.Context(), homeWith(t, captures...), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the export left %v, %v", entries, err)
	}
	return unpacked(t, filepath.Join(dir, "vertices.txt.gz")), unpacked(t, filepath.Join(dir, "edges.txt.gz")), done
}

func TestExportGraph(t *testing.T) {
	moved := withStatus(answerAt("https://b.example/old", "Location: https://d.example/\r\n", ""), "301 Moved")
	same := linking("https://e.example/", "https://f.example/")
	same.Revisit = &capture.Refers{URL: moved.URL, Date: moved.Date}
	hidden := linking("https://hidden.example/", "https://b.example/")
	hidden.NoIndex = true
	vertices, edges, done := graphOf(t,
		linking("https://a.example/", "https://b.example/1", "/own", "https://sub.a.example/", "https://www.b.example/2", "https://shop.b.example/"),
		linking("https://a.example/2", "http://b.example/", "https://a-b.example/", "https://x.co.uk/", "https://alice.github.io/"),
		linking("https://a.example/3", "http://192.0.2.7/", "http://[2001:db8::1]/", "http://localhost/", "https://bücher.example/"),
		linking("https://x.co.uk/", "https://a.example/"),
		linking("http://192.0.2.7/", "https://a.example/"),
		linking("https://lonely.example/"),
		linking("https://a.example/4", "https://nofollow.example/' rel='nofollow"),
		moved, same, hidden,
		htmlAt("https://reserved.example/", "", "TDM-Reservation: 1\r\n"),
		answerAt("https://reserved.example/robots.txt", "Content-Type: text/plain\r\n", "User-agent: *\n"),
	)
	wantVertices := "0\texample.a\t2\n1\texample.a-b\t1\n2\texample.b\t2\n3\texample.d\t1\n4\texample.lonely\t1\n" +
		"5\texample.xn--bcher-kva\t1\n6\tio.github.alice\t1\n7\tuk.co.x\t1\n"
	if vertices != wantVertices {
		t.Errorf("the vertices are\n%swant\n%s", vertices, wantVertices)
	}
	if want := "0\t1\n0\t2\n0\t5\n0\t6\n0\t7\n2\t3\n7\t0\n"; edges != want {
		t.Errorf("the edges are\n%swant\n%s", edges, want)
	}
	if done.Vertices != 8 || done.Edges != 7 || done.LeftOut != (export.LeftOut{NoIndex: 1, Reserved: 1}) || len(done.Damaged) > 0 {
		t.Errorf("AsGraph = %+v", done)
	}
}

func TestExportGraph_OfNothing(t *testing.T) {
	vertices, edges, done := graphOf(t, answerAt("http://127.0.0.1/", "Content-Type: text/plain\r\n", ""))
	if vertices != "" || edges != "" || done.Vertices != 0 {
		t.Errorf("%q, %q, %+v", vertices, edges, done)
	}
}

// domainsOf returns the outcome of a page of a domain that links to others.
func domainsOf(t testing.TB, from string, to ...string) *crawl.Outcome {
	t.Helper()
	parse := func(domain string) crawl.URL {
		u, err := crawl.ParseURL("https://" + domain + "/")
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	o := crawl.Outcome{Task: crawl.Task{URL: parse(from)}}
	for _, domain := range to {
		o.Outlinks = append(o.Outlinks, crawl.Outlink{URL: parse(domain)})
	}
	return &o
}

// More than fits into memory at a time is sorted and numbered like little is.
func TestGraphBuilder_Large(t *testing.T) {
	dir := t.TempDir()
	g := newGraphBuilder(t.Context(), dir)
	random := rand.New(rand.NewPCG(1, 2))
	name := func(n int) string { return fmt.Sprintf("%s-%d.example", strings.Repeat("long", 14), n) }
	domains, links := map[string]bool{}, map[[2]string]bool{}
	for range 1500 {
		from := random.IntN(2000)
		var to []string
		for range 50 {
			n := random.IntN(2000)
			to = append(to, name(n))
			domains[reverseName(name(n))] = true
			if n != from {
				links[[2]string{reverseName(name(from)), reverseName(name(n))}] = true
			}
		}
		domains[reverseName(name(from))] = true
		if err := g.add(domainsOf(t, name(from), to...)); err != nil {
			t.Fatal(err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) == 0 {
		t.Fatalf("nothing was too much for the memory, %v", err)
	}
	var vertices, edges bytes.Buffer
	_, count, err := g.write(&vertices, &edges)
	g.close()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	names := slices.Sorted(maps.Keys(domains))
	ids := make(map[string]int)
	for id, name := range names {
		ids[name] = id
		want = append(want, fmt.Sprintf("%d\t%s\t1", id, name))
	}
	if got := strings.TrimSuffix(vertices.String(), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the vertices are not right")
	}
	var pairs [][2]int
	for link := range links {
		pairs = append(pairs, [2]int{ids[link[0]], ids[link[1]]})
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	var lines strings.Builder
	for _, p := range pairs {
		fmt.Fprintf(&lines, "%d\t%d\n", p[0], p[1])
	}
	if edges.String() != lines.String() || count != len(pairs) {
		t.Errorf("the edges are not right: %d, want %d", count, len(pairs))
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("it left %v, %v", files, err)
	}
}

// Wherever it is stopped, an export leaves what was there.
func TestExportGraph_Stopped(t *testing.T) {
	var captures []capture.Capture
	for n := range 40 {
		captures = append(captures, linking(fmt.Sprintf("https://a%d.example/", n), "https://b.example/", "https://c.example/"))
	}
	paths := homeWith(t, captures...)
	dir := t.TempDir()
	old := filepath.Join(dir, "vertices.txt.gz")
	if err := os.WriteFile(old, []byte("an older export"), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := &stopAfter{t.Context(), 1 << 30}
	if _, err := AsGraph(asked, paths, t.TempDir(), false); err != nil {
		t.Fatal(err)
	}
	for left := range 1<<30 - asked.left {
		if _, err := AsGraph(&stopAfter{t.Context(), left}, paths, dir, false); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped after %d looks: %v", left, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || readText(t, old) != "an older export" {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	never := filepath.Join(t.TempDir(), "never")
	if _, err := AsGraph(stopped, paths, never, false); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped before: %v", err)
	}
	if _, err := os.Stat(never); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory was left, %v", err)
	}
}

// A disk that refuses any of the files ends the export.
func TestWriteGraph_FullDisk(t *testing.T) {
	paths := homeWith(t, linking("https://a.example/", "https://b.example/"))
	refused := errors.New("the disk is full")
	full := writerFunc(func([]byte) (int, error) { return 0, refused })
	for name, to := range map[string][2]io.Writer{"vertices": {full, io.Discard}, "edges": {io.Discard, full}} {
		if err := writeGraph(t.Context(), paths.WARC(), t.TempDir(), to[0], to[1], false, new(Graph)); !errors.Is(err, refused) {
			t.Errorf("%s: %v, want what the disk said", name, err)
		}
	}
	none := filepath.Join(t.TempDir(), "none")
	if err := writeGraph(t.Context(), paths.WARC(), none, io.Discard, io.Discard, false, new(Graph)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a place for temporary files: %v", err)
	}
}

func TestExportGraph_DamagedFile(t *testing.T) {
	paths := homeWith(t, linking("https://a.example/", "https://b.example/"))
	bad := "forage-20250301000000-00002-abcdef03.warc.gz"
	if err := os.WriteFile(filepath.Join(paths.WARC(), bad), []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := AsGraph(t.Context(), paths, t.TempDir(), false)
	if err != nil || done.Edges != 1 || len(done.Damaged) != 1 || !strings.Contains(done.Damaged[0].Error(), bad) {
		t.Errorf("AsGraph = %+v, %v, want one edge and the damage", done, err)
	}
}

func TestIsVertex(t *testing.T) {
	for domain, want := range map[string]bool{
		"a.example": true, "a.co.uk": true, "github.io": true, "1.example": true,
		"localhost": false, "127.0.0.1": false, "[2001:db8::1]": false, "": false, "a.example.": false,
	} {
		if got := isVertex(reverseName(domain)); got != want {
			t.Errorf("%q has a place: %v", domain, got)
		}
	}
}

// The memory does not grow with the graph: heap-MB is the most that was in use.
func BenchmarkGraphBuilder(b *testing.B) {
	const degree = 50
	b.ReportAllocs()
	g := newGraphBuilder(b.Context(), b.TempDir())
	defer g.close()
	random := rand.New(rand.NewPCG(1, 2))
	var most uint64
	look := func() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.Sys-m.HeapReleased)
	}
	to := make([]string, degree)
	for n := range b.N {
		for i := range to {
			to[i] = fmt.Sprintf("domain%d.example", random.IntN(1_000_000))
		}
		if err := g.add(domainsOf(b, fmt.Sprintf("domain%d.example", n), to...)); err != nil {
			b.Fatal(err)
		}
		if n%10_000 == 0 {
			look()
		}
	}
	edges := 0
	if _, _, err := g.write(io.Discard, writerFunc(func(p []byte) (int, error) {
		if edges++; edges%100_000 == 0 {
			look()
		}
		return len(p), nil
	})); err != nil {
		b.Fatal(err)
	}
	look()
	b.ReportMetric(float64(most)/1e6, "MB")
	b.ReportMetric(float64(edges), "edges")
}
