package export

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/warc/export"
	"github.com/forage-net/forage/storage/warc/lines"
)

// The files of the format graph, as Common Crawl calls them.
const (
	verticesFile = "vertices.txt.gz"
	edgesFile    = "edges.txt.gz"
)

// Graph is what AsGraph has written: Edges between Vertices.
type Graph struct {
	Vertices, Edges int
	LeftOut         export.LeftOut
	Damaged         []error
}

// AsGraph writes which registrable domains link to which into a directory, in
// the form of Common Crawl's domain-level web graphs: vertices.txt.gz has the
// lines id, tab, reversed name, tab, number of hosts, sorted by name; edges.txt.gz
// has from id, tab, to id, sorted by number. Links are those of AsLinks.
//
// However many there are, it needs some 100 MB of memory, and in dir room for
// temporary files: up to about 100 bytes for each link to another domain.
func AsGraph(ctx context.Context, paths config.Paths, dir string, all bool) (Graph, error) {
	var done Graph
	undo, err := makeDir(dir)
	if err != nil {
		return done, words.New("said.trouble.export-2", words.Args{"error": err})
	}
	err = writeFiles([]string{filepath.Join(dir, verticesFile), filepath.Join(dir, edgesFile)},
		func(w []io.Writer) error {
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
	hosts, links *lines.Sorter
	recent       map[string]struct{}
	line         []byte
}

func newGraphBuilder(ctx context.Context, dir string) *graphBuilder {
	return &graphBuilder{
		ctx: ctx, dir: dir, recent: make(map[string]struct{}),
		hosts: lines.NewSorter(dir), links: lines.NewSorter(dir),
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
func (g *graphBuilder) note(to *lines.Sorter, kind byte, first, second string) error {
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

// write writes both files. It replaces names by numbers one side at a time: lines
// sorted by a name run beside the list of names, which is sorted too.
func (g *graphBuilder) write(vertices, edges io.Writer) (numVertices, numEdges int, err error) {
	names, err := os.CreateTemp(g.dir, ".forage-names-*")
	if err != nil {
		return 0, 0, err
	}
	defer os.Remove(names.Name())
	defer names.Close()
	if numVertices, err = g.writeVertices(vertices, names); err != nil {
		return 0, 0, err
	}
	byTarget, err := g.numbered(g.links, names)
	if err != nil {
		return 0, 0, err
	}
	defer byTarget.Close()
	byNumber, err := g.numbered(byTarget, names)
	if err != nil {
		return 0, 0, err
	}
	defer byNumber.Close()
	numEdges, err = g.writeEdges(edges, byNumber)
	return numVertices, numEdges, err
}

// writeVertices writes a line for each domain, and its name to names.
func (g *graphBuilder) writeVertices(w, names io.Writer) (count int, err error) {
	defer g.hosts.Close()
	list := bufio.NewWriter(names)
	v := vertexWriter{out: w, names: list}
	err = g.each(g.hosts, v.take)
	if err == nil {
		err = v.flush()
	}
	return v.count, errors.Join(err, list.Flush())
}

// vertexWriter counts the hosts of each domain.
type vertexWriter struct {
	out, names io.Writer
	domain     []byte
	hosts      int // of the domain so far
	count      int // of domains before it
}

// take takes a domain, a tab and one of its hosts.
func (v *vertexWriter) take(line []byte) error {
	domain, _, _ := bytes.Cut(line, []byte("\t"))
	if !bytes.Equal(domain, v.domain) {
		if err := v.flush(); err != nil {
			return err
		}
		v.domain, v.hosts = append(v.domain[:0], domain...), 0
	}
	v.hosts++
	return nil
}

// flush writes the line of the domain, if there is one.
func (v *vertexWriter) flush() error {
	if v.hosts == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(v.out, "%d\t%s\t%d\n", v.count, v.domain, v.hosts); err != nil {
		return err
	}
	v.count++
	_, err := fmt.Fprintf(v.names, "%s\n", v.domain)
	return err
}

// numbered takes lines of a name and something else, and returns lines of that
// and the number of the name, padded so that numbers are sorted too. It closes
// what it has read.
func (g *graphBuilder) numbered(edges *lines.Sorter, names io.ReadSeeker) (*lines.Sorter, error) {
	defer edges.Close()
	if _, err := names.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	out, list, at := lines.NewSorter(g.dir), bufio.NewScanner(names), -1
	err := g.each(edges, func(line []byte) error {
		name, rest, _ := bytes.Cut(line, []byte("\t"))
		for at < 0 || !bytes.Equal(list.Bytes(), name) {
			if !list.Scan() {
				return errors.Join(fmt.Errorf("no number for %q", name), list.Err())
			}
			at++
		}
		return out.Add(fmt.Appendf(nil, "%s\t%010d\n", rest, at))
	})
	if err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}

// writeEdges writes sorted lines of two padded numbers.
func (g *graphBuilder) writeEdges(w io.Writer, lines *lines.Sorter) (count int, err error) {
	var out []byte
	err = g.each(lines, func(line []byte) error {
		from, to, _ := bytes.Cut(line, []byte("\t"))
		out = append(appendUnpadded(out[:0], from), '\t')
		out = append(appendUnpadded(out, to), '\n')
		count++
		_, err := w.Write(out)
		return err
	})
	return count, err
}

// appendUnpadded appends a number without the zeros before it.
func appendUnpadded(b, number []byte) []byte {
	n, _ := strconv.Atoi(string(number)) // written by numbered
	return strconv.AppendInt(b, int64(n), 10)
}

// each calls fn with the lines of a sorter in order, each once and without its
// end, until the export is stopped.
func (g *graphBuilder) each(lines *lines.Sorter, fn func(line []byte) error) error {
	var last []byte
	return lines.Write(writeUntil(g.ctx, writerFunc(func(line []byte) (int, error) {
		if bytes.Equal(line, last) {
			return len(line), nil
		}
		last = append(last[:0], line...)
		return len(line), fn(bytes.TrimSuffix(line, []byte("\n")))
	})))
}
