package web

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	maxHosts = 1 << 20
	maxEdges = 1 << 24
)

// Graph is which host links to which, in the order of incoming edges, most first.
type Graph struct {
	// Name says where it is from.
	Name string
	from []int32
	to   []int32
}

// Hosts is how many it has.
func (g *Graph) Hosts() int { return len(g.from) - 1 }

func (g *Graph) edges(h int32) []int32 { return g.to[g.from[h]:g.from[h+1]] }

// Find reads vertices.txt and edges.txt, or these with .gz, of a directory: the form of Common Crawl's graphs, which
// forage export --format graph writes too. It returns nil if there are none.
func Find(dir string) (*Graph, error) {
	vertices, err := open(dir, "vertices.txt")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer vertices.Close()
	edges, err := open(dir, "edges.txt")
	if err != nil {
		return nil, err
	}
	defer edges.Close()
	g, err := ReadGraph(vertices, edges)
	if err != nil {
		return nil, fmt.Errorf("read the graph of hosts in %s: %w", dir, err)
	}
	g.Name = filepath.Base(dir)
	return g, nil
}

type file struct {
	io.Reader
	io.Closer
}

// open opens a file, or the packed one of that name.
func open(dir, name string) (io.ReadCloser, error) {
	if f, err := os.Open(filepath.Join(dir, name)); err == nil {
		return f, nil
	}
	f, err := os.Open(filepath.Join(dir, name+".gz"))
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return file{z, f}, nil
}

// ReadGraph reads lines of "number name" and lines of "from to", with tabs or spaces between. Names are not kept.
func ReadGraph(vertices, edges io.Reader) (*Graph, error) {
	hosts := 0
	if err := each(vertices, func(number, _ string) error {
		if hosts++; hosts > maxHosts || number != strconv.Itoa(hosts-1) {
			return fmt.Errorf("%.20q is not the next number, or there are more than %d", number, maxHosts)
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("vertices: %w", err)
	}
	var pairs [][2]int32
	in := make([]int, hosts)
	if err := each(edges, func(a, b string) error {
		from, err1 := strconv.Atoi(a)
		to, err2 := strconv.Atoi(b)
		if err1 != nil || err2 != nil || min(from, to) < 0 || max(from, to) >= hosts || len(pairs) == maxEdges {
			return fmt.Errorf("%.20q to %.20q is no edge, or there are more than %d", a, b, maxEdges)
		}
		in[to]++
		pairs = append(pairs, [2]int32{int32(from), int32(to)})
		return nil
	}); err != nil {
		return nil, fmt.Errorf("edges: %w", err)
	}
	return build(hosts, in, pairs), nil
}

func each(r io.Reader, take func(a, b string) error) error {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			return fmt.Errorf("%.40q has not two fields", lines.Text())
		}
		if err := take(fields[0], fields[1]); err != nil {
			return err
		}
	}
	return lines.Err()
}

func build(hosts int, in []int, pairs [][2]int32) *Graph {
	order := make([]int32, hosts)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(in[b], in[a]) })
	rank := make([]int32, hosts)
	for i, h := range order {
		rank[h] = int32(i)
	}
	for i, p := range pairs {
		pairs[i] = [2]int32{rank[p[0]], rank[p[1]]}
	}
	slices.SortFunc(pairs, func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	g := &Graph{from: make([]int32, hosts+1)}
	for _, p := range pairs {
		g.from[p[0]+1]++
		g.to = append(g.to, p[1])
	}
	for h := range hosts {
		g.from[h+1] += g.from[h]
	}
	return g
}
