package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/warc"
)

// The files of the format graph, as Common Crawl calls them.
const (
	verticesFile = "vertices.txt.gz"
	edgesFile    = "edges.txt.gz"
)

// Graph is what ExportGraph has written: Edges between Vertices.
type Graph struct {
	Vertices, Edges int
	LeftOut         warc.LeftOut
	Damaged         []error
}

// ExportGraph writes which registrable domains link to which into a directory, in
// the form of Common Crawl's domain-level web graphs: vertices.txt.gz has the
// lines id, tab, reversed name, tab, number of hosts, sorted by name; edges.txt.gz
// has from id, tab, to id, sorted by number. Links are those of ExportLinks.
//
// However many there are, it needs some 100 MB of memory, and in dir room for
// temporary files: up to about 100 bytes for each link to another domain.
func ExportGraph(ctx context.Context, paths config.Paths, dir string, all bool) (Graph, error) {
	var done Graph
	undo, err := makeDir(dir)
	if err != nil {
		return done, fmt.Errorf("export: %w", err)
	}
	err = writeFiles([]string{filepath.Join(dir, verticesFile), filepath.Join(dir, edgesFile)}, func(w []io.Writer) error {
		return writeGraph(ctx, paths.WARC(), dir, w[0], w[1], all, &done)
	})
	if err != nil {
		undo()
	}
	return done, err
}

// writeGraph writes the graph of the pages archived in a directory.
func writeGraph(ctx context.Context, from, scratch string, vertices, edges io.Writer, all bool, done *Graph) error {
	p, err := newPageReader(ctx, from, all)
	if err != nil {
		return err
	}
	g := newGraphBuilder(ctx, scratch)
	defer g.close()
	done.Damaged, err = p.scan(ctx, from, g.add)
	done.LeftOut = p.leftOut
	if err != nil {
		return err
	}
	v, e := gzip.NewWriter(vertices), gzip.NewWriter(edges)
	if done.Vertices, done.Edges, err = g.write(v, e); err != nil {
		return err
	}
	if err := v.Close(); err != nil {
		return err
	}
	return e.Close()
}

// maxRecent is how many lines a graphBuilder remembers so as not to sort them
// again: pages of a site come together and link to the same places.
const maxRecent = 1 << 16

// graphBuilder makes a graph of domains of what pages link to, in bounded memory.
//
//	hosts  <reversed domain> TAB <reversed host>
//	links  <reversed domain> TAB <reversed domain that it links to>
type graphBuilder struct {
	ctx          context.Context
	dir          string
	hosts, links *warc.LineSorter
	recent       map[string]struct{}
	line         []byte
}

func newGraphBuilder(ctx context.Context, dir string) *graphBuilder {
	return &graphBuilder{
		ctx: ctx, dir: dir, recent: make(map[string]struct{}),
		hosts: warc.NewLineSorter(dir), links: warc.NewLineSorter(dir),
	}
}

func (g *graphBuilder) close() {
	g.hosts.Close()
	g.links.Close()
}

// add takes the links of a page.
func (g *graphBuilder) add(o *crawl.Outcome) error {
	if statesWishes(o.Task.URL) {
		return nil // of a site all of whose pages may be left out
	}
	from, err := g.host(o.Task.URL)
	if err != nil || from == "" {
		return err
	}
	for _, l := range o.Outlinks {
		to, err := g.host(l.URL)
		if err != nil {
			return err
		}
		if to == "" || to == from {
			continue
		}
		if err := g.note(g.links, 'l', from, to); err != nil {
			return err
		}
	}
	return nil
}

// host notes the host of a URL and returns its domain reversed, "" for one that is
// left out.
func (g *graphBuilder) host(u crawl.URL) (domain string, err error) {
	name := strings.TrimPrefix(u.Hostname(), "www.")
	host, domain := reverseName(name), reverseName(string(u.Domain()))
	if !isVertex(domain) {
		return "", nil
	}
	return domain, g.note(g.hosts, 'h', domain, host)
}

// note adds a line of two names, unless it was added a moment ago.
func (g *graphBuilder) note(to *warc.LineSorter, kind byte, first, second string) error {
	g.line = append(append(append(append(g.line[:0], kind), first...), '\t'), second...)
	if _, seen := g.recent[string(g.line)]; seen {
		return nil
	}
	if len(g.recent) == maxRecent {
		clear(g.recent)
	}
	g.recent[string(g.line)] = struct{}{}
	return to.Add(append(g.line, '\n')[1:])
}

// reverseName turns the labels of a name around: "www.example.com" becomes
// "com.example.www".
func reverseName(name string) string {
	labels := strings.Split(name, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

// isVertex reports whether a reversed domain has a place in the graph: IP
// addresses and names without a dot have none.
func isVertex(reversed string) bool {
	top, _, dotted := strings.Cut(reversed, ".")
	return dotted && top != "" && strings.Trim(top, "0123456789") != "" && !strings.ContainsAny(reversed, ":[]\t\n")
}
