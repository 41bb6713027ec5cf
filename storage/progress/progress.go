// Package progress lets long work tell how far it is. Whoever waits for the work puts a function into its
// context (With); the work says what it begins and how much that will be (Begin), and then how much it has done
// (Meter.Add). Where nobody waits, both cost next to nothing.
//
// The function is called by the goroutine that works, once for each Begin and each Add, and must return at
// once. A Meter is not safe for concurrent use.
package progress

import (
	"context"
	"io"

	"github.com/forage-net/forage/assets/words"
)

// Report says how far a piece of work is.
type Report struct {
	// Work says what is being done: "reading the archive".
	Work *words.Message
	// Done is how much of Total has been done, in Unit. Total is what was thought when the work
	// began, so that Done may end below or above it; 0 if it is not known.
	Done, Total int64
	Unit        Unit
}

// Unit is what work is measured in.
type Unit uint8

const (
	// Bytes are read, written or deleted.
	Bytes Unit = iota
	// Items are counted.
	Items
)

type key struct{}

// With returns a context for work that is to tell how far it is.
func With(ctx context.Context, tell func(Report)) context.Context {
	return context.WithValue(ctx, key{}, tell)
}

// Meter measures one piece of work. A nil Meter measures nothing.
type Meter struct {
	tell   func(Report)
	report Report
}

// Begin says that work begins. It returns nil if nobody wants to know.
func Begin(ctx context.Context, work *words.Message, total int64, unit Unit) *Meter {
	tell, _ := ctx.Value(key{}).(func(Report))
	if tell == nil {
		return nil
	}
	m := &Meter{tell: tell, report: Report{Work: work, Total: total, Unit: unit}}
	tell(m.report)
	return m
}

// Add says that n more were done.
func (m *Meter) Add(n int64) {
	if m == nil || n == 0 {
		return
	}
	m.report.Done += n
	m.tell(m.report)
}

// Reader returns a reader of r that adds the bytes it reads.
func (m *Meter) Reader(r io.Reader) io.Reader {
	if m == nil {
		return r
	}
	return reader{m, r}
}

type reader struct {
	meter *Meter
	from  io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.meter.Add(int64(n))
	return n, err
}
