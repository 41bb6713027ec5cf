package app

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/forage-net/forage/storage/warc"
)

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
func (g *graphBuilder) numbered(lines *warc.LineSorter, names io.ReadSeeker) (*warc.LineSorter, error) {
	defer lines.Close()
	if _, err := names.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	out, list, at := warc.NewLineSorter(g.dir), bufio.NewScanner(names), -1
	err := g.each(lines, func(line []byte) error {
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
func (g *graphBuilder) writeEdges(w io.Writer, lines *warc.LineSorter) (count int, err error) {
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
func (g *graphBuilder) each(lines *warc.LineSorter, fn func(line []byte) error) error {
	var last []byte
	return lines.Write(writeUntil(g.ctx, writerFunc(func(line []byte) (int, error) {
		if bytes.Equal(line, last) {
			return len(line), nil
		}
		last = append(last[:0], line...)
		return len(line), fn(bytes.TrimSuffix(line, []byte("\n")))
	})))
}
