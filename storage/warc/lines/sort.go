package lines

import (
	"bufio"
	"bytes"
	"container/heap"
	"io"
	"slices"

	"github.com/forage-net/forage/storage/durable"
)

const (
	// Most is the longest line in bytes that is sorted.
	Most = 132 << 10
	// Memory is how many bytes of lines are sorted at a time. Their slice
	// headers come to about as much again.
	Memory = 8 << 20
	// mergeWidth is how many sorted files are merged at a time: a buffer and a
	// descriptor each.
	mergeWidth = 64
)

// Sorter sorts more lines than fit into memory by their bytes, as LC_ALL=C sort
// does: runs of them are sorted and put into temporary files, which are merged.
// It is not safe for concurrent use.
type Sorter struct {
	fs    durable.FS
	limit int
	text  []byte
	ends  []int // of each line in text
	runs  []durable.File
}

// NewSorter returns a sorter that keeps what does not fit into memory in temporary
// files in dir. It needs about 20 MB.
func NewSorter(dir string) *Sorter { return NewSorterOn(Scratch(dir), Memory) }

// NewSorterOn returns a sorter that sorts so many bytes of lines at a time, and has
// its temporary files where fs makes such.
func NewSorterOn(fs durable.FS, limit int) *Sorter { return &Sorter{fs: fs, limit: limit} }

// Scratch is a disk that keeps temporary files in a directory of its own, under hidden names.
func Scratch(dir string) durable.FS { return scratch{dir: dir} }

type scratch struct {
	durable.Disk
	dir string
}

// CreateTemp implements durable.FS.
func (s scratch) CreateTemp(_, pattern string) (durable.File, error) {
	return s.Disk.CreateTemp(s.dir, "."+pattern)
}

// Add takes a line, which ends with a line end and holds no other, of at most Most
// bytes. The slice is copied.
func (s *Sorter) Add(line []byte) error {
	if len(s.text)+len(line) > s.limit && len(s.text) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.text = append(s.text, line...)
	s.ends = append(s.ends, len(s.text))
	return nil
}

// Write writes all lines in order, each with one Write. Nothing can be added afterwards.
func (s *Sorter) Write(w io.Writer) error {
	if len(s.runs) == 0 {
		return s.writeRun(w)
	}
	if err := s.spill(); err != nil {
		return err
	}
	return mergeRuns(w, s.runs)
}

// Close removes the temporary files and gives the memory back.
func (s *Sorter) Close() {
	s.removeRuns()
	s.text, s.ends, s.runs = nil, nil, nil
}

func (s *Sorter) removeRuns() {
	for _, f := range s.runs {
		s.removeTemp(f)
	}
}

// spill moves the lines in memory to a temporary file.
func (s *Sorter) spill() error {
	if len(s.runs) == mergeWidth {
		merged, err := s.tempFile(func(w io.Writer) error { return mergeRuns(w, s.runs) })
		if err != nil {
			return err
		}
		s.removeRuns()
		s.runs = append(s.runs[:0], merged)
	}
	run, err := s.tempFile(s.writeRun)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, run)
	s.text, s.ends = s.text[:0], s.ends[:0]
	return nil
}

// writeRun writes the lines in memory in order.
func (s *Sorter) writeRun(w io.Writer) error {
	lines := make([][]byte, len(s.ends))
	start := 0
	for i, end := range s.ends {
		lines[i] = s.text[start:end]
		start = end
	}
	slices.SortFunc(lines, bytes.Compare)
	for _, line := range lines {
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sorter) tempFile(fill func(io.Writer) error) (durable.File, error) {
	f, err := s.fs.CreateTemp("", "forage-sort-")
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	if err = fill(w); err == nil {
		err = w.Flush()
	}
	if err != nil {
		s.removeTemp(f)
		return nil, err
	}
	return f, nil
}

func (s *Sorter) removeTemp(f durable.File) {
	f.Close()
	s.fs.Remove(f.Name())
}

// mergeRuns writes the lines of sorted files in order.
func mergeRuns(w io.Writer, files []durable.File) error {
	var h runHeap
	for _, f := range files {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		r := &run{lines: bufio.NewReader(f)}
		switch err := r.next(); err {
		case nil:
			h = append(h, r)
		case io.EOF:
		default:
			return err
		}
	}
	heap.Init(&h)
	for len(h) > 0 {
		if _, err := w.Write(h[0].line); err != nil {
			return err
		}
		switch err := h[0].next(); err {
		case nil:
			heap.Fix(&h, 0)
		case io.EOF:
			heap.Pop(&h)
		default:
			return err
		}
	}
	return nil
}

// run is a sorted file being merged.
type run struct {
	lines *bufio.Reader
	line  []byte // the next line
}

func (r *run) next() (err error) {
	r.line, err = Read(r.lines, r.line, Most)
	return err
}

// runHeap has the run with the smallest next line on top.
type runHeap []*run

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return bytes.Compare(h[i].line, h[j].line) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)        { *h = append(*h, x.(*run)) }

func (h *runHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
