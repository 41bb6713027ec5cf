package check

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/lines"
)

// references finds out whether the captures that revisits name are there, in
// bounded memory: what there is and what is named is sorted together.
//
//	<capture> 0 <payload>                   a response
//	<capture> 1 <payload> <offset> <file>   a revisit that names it
//
// Capture is a digest of URL and date, payload one of the payload's digest.
type references struct{ sorter *lines.Sorter }

func newReferences(fs durable.FS) *references {
	return &references{sorter: lines.NewSorterOn(fs, lines.Memory)}
}

func (r *references) close() { r.sorter.Close() }

func (r *references) add(c *capture.Stored) error {
	if c.Revisit == nil {
		return r.sorter.Add(fmt.Appendf(nil, "%x 0 %x\n", c.Key(), c.PayloadDigest[:8]))
	}
	return r.sorter.Add(fmt.Appendf(nil, "%x 1 %x %d %s\n", c.Revisit.Key(),
		c.PayloadDigest[:8], c.Position.RecordOffset, c.Position.File))
}

// resolve calls fault for each revisit whose original is not there. Nothing
// can be added afterwards.
func (r *references) resolve(fault func(Fault)) error {
	return r.sorter.Write(&resolver{fault: fault})
}

// maxOriginals is how many payloads of one URL and microsecond are told apart.
const maxOriginals = 64

// resolver takes the sorted lines, one with each Write.
type resolver struct {
	fault    func(Fault)
	capture  []byte
	payloads [][]byte // of the capture, as far as it is there
}

func (r *resolver) Write(line []byte) (int, error) {
	fields := bytes.Fields(line)
	if !bytes.Equal(fields[0], r.capture) {
		r.capture, r.payloads = bytes.Clone(fields[0]), nil
	}
	if len(fields) == 3 {
		if len(r.payloads) < maxOriginals {
			r.payloads = append(r.payloads, bytes.Clone(fields[2]))
		}
		return len(line), nil
	}
	for _, p := range r.payloads {
		if bytes.Equal(p, fields[2]) {
			return len(line), nil
		}
	}
	f := Fault{File: string(fields[4]), Kind: NoOriginal}
	f.Offset, _ = strconv.ParseInt(string(fields[3]), 10, 64) // written by add
	if len(r.payloads) > 0 {
		f.Kind = OtherPayload
	}
	r.fault(f)
	return len(line), nil
}
