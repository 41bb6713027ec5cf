package wire

import "encoding/binary"

// appendTexts appends a list of texts, each as what it has in common with the
// one before and what is different.
func appendTexts(dst []byte, texts []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(texts)))
	previous := ""
	for _, t := range texts {
		dst = appendText(dst, previous, t)
		previous = t
	}
	return dst
}

func appendText(dst []byte, previous, text string) []byte {
	shared := 0
	for shared < min(len(previous), len(text)) && previous[shared] == text[shared] {
		shared++
	}
	dst = binary.AppendUvarint(dst, uint64(shared))
	dst = binary.AppendUvarint(dst, uint64(len(text)-shared))
	return append(dst, text[shared:]...)
}

// parseTexts reads a list of at most limit texts of at most size bytes each.
func parseTexts(raw []byte, limit, size int) ([]string, error) {
	r := reader{rest: raw}
	n := r.uvarint()
	if n > uint64(limit) || n > uint64(len(raw)) {
		return nil, invalid("list of %d texts", n)
	}
	texts := make([]string, 0, n)
	previous := ""
	for range n {
		previous = r.text(previous, size)
		texts = append(texts, previous)
	}
	if r.bad || len(r.rest) > 0 {
		return nil, invalid("list of texts")
	}
	return texts, nil
}

// reader takes parts off bytes. What is not there is zero, and marks them as bad.
type reader struct {
	rest []byte
	bad  bool
}

// text takes a text of at most size bytes that begins like the one before.
func (r *reader) text(previous string, size int) string {
	shared := r.uvarint()
	tail := r.bytes(r.uvarint())
	if shared > uint64(len(previous)) || int(shared)+len(tail) > size {
		r.bad, r.rest = true, nil
		return ""
	}
	return previous[:shared] + string(tail)
}

func (r *reader) byte() byte {
	b := r.bytes(1)
	if len(b) == 0 {
		return 0
	}
	return b[0]
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}
