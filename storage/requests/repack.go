package requests

import (
	"context"
	"os"

	"github.com/klauspost/compress/zstd"
)

// packer writes large blocks.
type packer struct {
	z    *zstd.Encoder
	out  *os.File
	enc  encoder
	next uint64 // number of the next record
	lost uint32
	buf  []byte
}

// repack writes the records of a file into large blocks, without those that drop, if it is not nil, reports true for.
func repack(ctx context.Context, f *os.File, end int64, out *os.File, drop func(*Record) bool) error {
	unpack, err := newUnpacker()
	if err != nil {
		return err
	}
	defer unpack.Close()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return err
	}
	defer z.Close()
	p := packer{z: z, out: out}
	var ends []int64 // of the blocks, the last first
	for at := end; at > 0; {
		_, from, err := footBefore(f, at)
		if err != nil {
			return err
		}
		ends = append(ends, at)
		at = from
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, _, err := blockBefore(f, ends[i])
		if err != nil {
			return err
		}
		list, err := b.records(unpack)
		if err != nil {
			return err
		}
		if b.first != p.next+uint64(p.enc.count) { // a gap: numbers must stay
			if err := p.flush(); err != nil {
				return err
			}
			p.next = b.first
		}
		p.lost += b.lost
		for j := range list {
			if drop != nil && drop(&list[j]) {
				if err := p.flush(); err != nil {
					return err
				}
				p.next = b.first + uint64(j) + 1
				continue
			}
			p.enc.add(&list[j])
			if len(p.enc.buf) >= blockBytes {
				if err := p.flush(); err != nil {
					return err
				}
			}
		}
	}
	return p.flush()
}

func (p *packer) flush() error {
	if p.enc.count == 0 {
		return nil
	}
	b := block{packed: true, raw: len(p.enc.buf), count: p.enc.count, first: p.next, lost: p.lost,
		data: p.z.EncodeAll(p.enc.buf, nil)}
	p.next += uint64(b.count)
	p.lost = 0
	p.enc.reset()
	p.buf = b.append(p.buf[:0])
	_, err := p.out.Write(p.buf)
	return err
}
