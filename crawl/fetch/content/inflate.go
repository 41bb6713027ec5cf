package content

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
)

// errInflate is returned for data that is not deflated.
var errInflate = errors.New("not deflated")

// The numbers of RFC 1951.
const (
	maxLitLen, maxDistances, maxCodeBits = 286, 30, 15
	maxMatch                             = 258
	litBits, distBits                    = 10, 8 // so many bits of a code are looked up at once
)

// inflater undoes deflate (RFC 1951) from memory to memory, at twice the pace of a reader, which has to keep a window.
// The zero value works.
type inflater struct {
	lit, dist []entry // tables of codes
	lens      [maxLitLen + maxDistances]uint8

	in   []byte
	pos  int    // in in, of what is not in hold yet
	hold uint64 // bits, the next one lowest
	left int    // how many bits hold has; negative where in ended too early
}

// entry is one of a table. It has the length of the code in its lowest four bits and, above these, how many bits follow
// the code. The upper half is a byte, the least length, the least distance, or where a table for longer codes begins,
// which so many bits index. 0 is no code.
type entry uint32

const (
	isLiteral = 1 << (iota + 9)
	isEnd
	isTable
)

func (e entry) codeBits() int  { return int(e & 15) }
func (e entry) extraBits() int { return int(e >> 4 & 15) }
func (e entry) value() int     { return int(e >> 16) }

// litEntries and distEntries are what the symbols mean, without the lengths of their codes.
var litEntries, distEntries = func() (lit [288]entry, dist [maxDistances]entry) {
	for i := range 256 {
		lit[i] = entry(i)<<16 | isLiteral
	}
	lit[256] = isEnd
	length, extra := entry(3), entry(0)
	for i := 257; i < maxLitLen-1; i++ {
		if i >= 265 {
			extra = entry(i-261) / 4
		}
		lit[i] = length<<16 | extra<<4
		length += 1 << extra
	}
	lit[maxLitLen-1] = maxMatch << 16
	distance := entry(1)
	for i := range dist {
		extra = entry(max(i, 2)-2) / 2
		dist[i] = distance<<16 | extra<<4
		distance += 1 << extra
	}
	return lit, dist
}()

// inflate appends what in holds to out, and returns also how many bytes of in that were. Beyond limit bytes of out it
// stops, with no more than maxMatch of them. The error is errInflate or io.ErrUnexpectedEOF; out is of use with it.
func (f *inflater) inflate(out, in []byte, limit int) ([]byte, int, error) {
	f.in, f.pos, f.hold, f.left = in, 0, 0, 0
	defer func() { f.in = nil }()
	begin := len(out)
	for final := false; !final && len(out) <= limit; {
		final = f.take(1) == 1
		kind, err := f.take(2), error(nil)
		switch kind {
		case 0:
			out, err = f.stored(out, limit)
		case 1:
			out, err = f.block(out, begin, limit, fixedLit, fixedDist)
		case 2:
			if err = f.dynamic(); err == nil {
				out, err = f.block(out, begin, limit, f.lit, f.dist)
			}
		default:
			err = errInflate
		}
		if f.left < 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return out, f.pos, err
		}
	}
	return out, f.pos - f.left/8, nil
}

// refill sees to it that hold has the bits of a length and a distance, or all that are left.
func (f *inflater) refill() {
	if f.pos+8 <= len(f.in) {
		f.hold |= binary.LittleEndian.Uint64(f.in[f.pos:]) << (f.left & 63)
		f.pos += (63 - f.left) >> 3
		f.left |= 56
		return
	}
	for f.left <= 56 && f.pos < len(f.in) && f.left >= 0 {
		f.hold |= uint64(f.in[f.pos]) << f.left
		f.pos++
		f.left += 8
	}
}

// take returns the next bits, 16 at most.
func (f *inflater) take(n int) int {
	if f.left < n {
		f.refill()
	}
	v := int(f.hold & (1<<n - 1))
	f.hold >>= n
	f.left -= n
	return v
}

// stored appends a block that is as it was.
func (f *inflater) stored(out []byte, limit int) ([]byte, error) {
	f.take(f.left & 7)
	n, inverse := f.take(16), f.take(16)
	if f.left < 0 {
		return out, io.ErrUnexpectedEOF
	}
	if n != inverse^0xffff {
		return out, errInflate
	}
	f.pos -= f.left / 8
	f.hold, f.left = 0, 0
	rest := f.in[f.pos:]
	got := min(n, len(rest), max(limit+1-len(out), 0))
	out = append(Grown(out, got), rest[:got]...)
	if f.pos += got; got == len(rest) && got < n {
		return out, io.ErrUnexpectedEOF
	}
	return out, nil
}

// fixedLit and fixedDist are the tables of a block that brings none.
var fixedLit, fixedDist = func() (lit, dist []entry) {
	var lens [288]uint8
	for i := range lens {
		switch {
		case i < 144, i >= 280:
			lens[i] = 8
		case i < 256:
			lens[i] = 9
		default:
			lens[i] = 7
		}
	}
	lit, _ = table(nil, litBits, lens[:], litEntries[:])
	for i := range lens[:32] {
		lens[i] = 5
	}
	dist, _ = table(nil, distBits, lens[:32], distEntries[:])
	return lit, dist
}()

// dynamic reads the tables of a block.
func (f *inflater) dynamic() error {
	order := [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
	nLit, nDist, n := f.take(5)+257, f.take(5)+1, f.take(4)+4
	if nLit > maxLitLen || nDist > maxDistances {
		return errInflate
	}
	var codes [len(order)]uint8
	for _, c := range order[:n] {
		codes[c] = uint8(f.take(3))
	}
	var symbols [len(order)]entry
	for i := range symbols {
		symbols[i] = entry(i)<<16 | isLiteral
	}
	var ok bool
	if f.dist, ok = table(f.dist, distBits, codes[:], symbols[:]); !ok {
		return errInflate
	}
	lens := f.lens[:nLit+nDist]
	for i := 0; i < len(lens); {
		f.refill()
		e := f.dist[f.hold&(1<<distBits-1)]
		f.take(e.codeBits())
		if e == 0 || f.left < 0 {
			return errInflate
		}
		again, by := 1, uint8(e.value())
		switch by {
		case 16:
			if i == 0 {
				return errInflate
			}
			again, by = 3+f.take(2), lens[i-1]
		case 17:
			again, by = 3+f.take(3), 0
		case 18:
			again, by = 11+f.take(7), 0
		}
		if i+again > len(lens) {
			return errInflate
		}
		for ; again > 0; again-- {
			lens[i] = by
			i++
		}
	}
	if f.lit, ok = table(f.lit, litBits, lens[:nLit], litEntries[:]); !ok {
		return errInflate
	}
	if f.dist, ok = table(f.dist, distBits, lens[nLit:], distEntries[:]); !ok {
		return errInflate
	}
	return nil
}

// table makes the table of a code, in the memory of t if it has room. It is false for lengths that are of none: a code
// is complete, except for one of a single bit, and an empty one.
func table(t []entry, root int, lens []uint8, symbols []entry) ([]entry, bool) {
	var count, next [maxCodeBits + 1]int
	longest := 0
	for _, n := range lens {
		count[n]++
		longest = max(longest, int(n))
	}
	t = append(t[:0], make([]entry, 1<<root)...)
	if longest == 0 {
		return t, true
	}
	code := 0
	for n := 1; n <= longest; n++ {
		next[n] = code
		code = (code + count[n]) << 1
	}
	if code >>= 1; code != 1<<longest && (code != 1 || longest != 1) {
		return t, false
	}
	more := max(longest-root, 0) // bits of the tables for longer codes
	for symbol, n := range lens {
		if n == 0 {
			continue
		}
		n, reversed := int(n), int(bits.Reverse16(uint16(next[n]))>>(16-n))
		next[n]++
		if symbol >= len(symbols) || symbols[symbol] == 0 {
			continue // it has a code and no meaning
		}
		e := symbols[symbol] | entry(n)
		if n <= root {
			for i := reversed; i < 1<<root; i += 1 << n {
				t[i] = e
			}
			continue
		}
		first := reversed & (1<<root - 1)
		if t[first] == 0 {
			t[first] = entry(len(t))<<16 | entry(more)<<4 | isTable
			t = append(t, make([]entry, 1<<more)...)
		}
		longer := t[t[first]>>16:][:1<<more]
		for i := reversed >> root; i < len(longer); i += 1 << (n - root) {
			longer[i] = e
		}
	}
	return t, true
}

// block appends what is in a block of codes, of which the tables are lits and dists.
func (f *inflater) block(out []byte, begin, limit int, lits, dists []entry) ([]byte, error) {
	lit, dist := (*[1 << litBits]entry)(lits), (*[1 << distBits]entry)(dists)
	for len(out) <= limit {
		out = Grown(out, maxMatch+8)
		at, full := len(out), min(cap(out)-maxMatch-8, limit)
		room := out[:cap(out)]
		in, pos, hold, left := f.in, f.pos, f.hold, f.left
		var err error
		done := false
		for at <= full {
			if left < 48 && pos+8 <= len(in) { // refill
				hold |= binary.LittleEndian.Uint64(in[pos:]) << (left & 63)
				pos += (63 - left) >> 3
				left |= 56
			} else if left < 48 {
				f.pos, f.hold, f.left = pos, hold, left
				f.refill()
				pos, hold, left = f.pos, f.hold, f.left
			}
			e := lit[hold&(1<<litBits-1)]
			if e&isTable != 0 {
				e = lits[e.value()+int(hold>>litBits&(1<<e.extraBits()-1))]
			}
			hold >>= e & 15
			left -= e.codeBits()
			if e&isLiteral != 0 {
				if left < 0 {
					err = io.ErrUnexpectedEOF
					break
				}
				room[at] = byte(e >> 16)
				at++
				continue
			}
			if e&isEnd != 0 || e == 0 {
				if done = true; e == 0 {
					err = errInflate
				}
				break
			}
			n := e.value() + int(hold&(1<<e.extraBits()-1))
			hold >>= e >> 4 & 15
			left -= e.extraBits()
			e = dist[hold&(1<<distBits-1)]
			if e&isTable != 0 {
				e = dists[e.value()+int(hold>>distBits&(1<<e.extraBits()-1))]
			}
			hold >>= e & 15
			back := e.value() + int(hold&(1<<e.extraBits()-1))
			hold >>= e >> 4 & 15
			left -= e.codeBits() + e.extraBits()
			if e == 0 || left < 0 || back > at-begin {
				err = errInflate
				break
			}
			repeat(room, at, back, n)
			at += n
		}
		out = room[:at]
		f.pos, f.hold, f.left = pos, hold, left
		if done || err != nil {
			return out, err
		}
	}
	return out, nil
}

// repeat copies n bytes from so many bytes back. It may write seven more.
func repeat(b []byte, at, back, n int) {
	switch {
	case back >= n && n > 16:
		copy(b[at:at+n], b[at-back:])
	case back >= 8:
		for end := at + n; at < end; at += 8 {
			binary.LittleEndian.PutUint64(b[at:], binary.LittleEndian.Uint64(b[at-back:]))
		}
	default:
		for end := at + n; at < end; at++ {
			b[at] = b[at-back]
		}
	}
}
