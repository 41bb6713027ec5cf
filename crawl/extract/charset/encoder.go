package charset

import (
	"bytes"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// encoder writes text in an encoding of the encoding standard.
type encoder interface {
	// encode appends a character. It reports false, and the character to
	// name in its place, if the encoding has none of that kind.
	encode(dst []byte, r rune) (out []byte, missing rune, ok bool)
	// finish appends what the end of a text takes.
	finish(dst []byte) []byte
}

// encoderOf returns the encoder of an encoding other than UTF-8 and UTF-16, nil
// if there is none of that name.
//
// The encoders of x/text differ from the standard where bytes of an encoding
// mean the same: in Big5 for characters as common as U+6E2F, in Shift_JIS for
// those of IBM. EUC-JP and ISO-2022-JP have more characters in x/text. So these
// four are made here of their decoders, as the standard makes them.
func encoderOf(name string) encoder {
	switch name {
	case "big5":
		return encodeFunc(encodeBig5)
	case "shift_jis":
		return encodeFunc(encodeShiftJIS)
	case "euc-jp":
		return encodeFunc(encodeEUCJP)
	case "iso-2022-jp":
		return &jisEncoder{set: setASCII}
	}
	e, _ := Lookup(name)
	switch e := e.(type) {
	case nil:
		return nil
	case *charmap.Charmap:
		return encodeFunc(func(dst []byte, r rune) ([]byte, bool) { return encodeByte(e, dst, r) })
	}
	return libraryEncoder(e.NewEncoder())
}

// encodeFunc is an encoder without states.
type encodeFunc func(dst []byte, r rune) ([]byte, bool)

func (f encodeFunc) encode(dst []byte, r rune) ([]byte, rune, bool) {
	if r < utf8.RuneSelf {
		return append(dst, byte(r)), 0, true
	}
	out, ok := f(dst, r)
	return out, r, ok
}

func (encodeFunc) finish(dst []byte) []byte { return dst }

// encodeByte writes a character of a single-byte encoding.
func encodeByte(e *charmap.Charmap, dst []byte, r rune) ([]byte, bool) {
	b, ok := e.EncodeRune(r)
	if !ok && isC1(r) && DecodeByte(e, byte(r)) == r {
		b, ok = byte(r), true
	}
	if !ok {
		return dst, false
	}
	return append(dst, b), true
}

// DecodeByte reads a byte of a single-byte encoding. Bytes of control
// characters that mean nothing else mean these in all encodings of the standard.
func DecodeByte(e *charmap.Charmap, b byte) rune {
	r := e.DecodeByte(b)
	if r == utf8.RuneError && isC1(rune(b)) {
		return rune(b)
	}
	return r
}

func isC1(r rune) bool { return 0x80 <= r && r < 0xa0 }

// libraryEncoder returns the encoder of x/text.
func libraryEncoder(e *encoding.Encoder) encoder {
	return encodeFunc(func(dst []byte, r rune) ([]byte, bool) {
		if r == 0xe5e5 { // has no place in GB 18030 (encoding standard)
			return dst, false
		}
		text, err := e.Bytes(utf8.AppendRune(nil, r))
		if err != nil {
			return dst, false
		}
		return append(dst, text...), true
	})
}

// pairs are the characters of an encoding that take two bytes.
type pairs map[rune][2]byte

// pairsOf returns the two bytes of each character, the first such pair in
// order for which counts is true.
func pairsOf(e encoding.Encoding, counts func(lead byte) bool) pairs {
	var list [][2]byte
	var all []byte
	for lead := 0x81; lead < 0xff; lead++ {
		if !counts(byte(lead)) {
			continue
		}
		for trail := 0x40; trail < 0xff; trail++ {
			list = append(list, [2]byte{byte(lead), byte(trail)})
			all = append(all, byte(lead), byte(trail), '\n')
		}
	}
	text, _ := e.NewDecoder().Bytes(all) // what is no character is U+FFFD
	p := pairs{}
	for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		r, n := utf8.DecodeRune(line)
		if _, known := p[r]; !known && n == len(line) && r != utf8.RuneError {
			p[r] = list[i]
		}
	}
	return p
}

func (p pairs) encode(dst []byte, r rune) ([]byte, bool) {
	pair, ok := p[r]
	if !ok {
		return dst, false
	}
	return append(dst, pair[0], pair[1]), true
}

// big5Pairs leave out what Hong Kong added, which is read and not written.
// Six characters have their second place (encoding standard, "index Big5 pointer").
var big5Pairs = sync.OnceValue(func() pairs {
	p := pairsOf(traditionalchinese.Big5, func(lead byte) bool { return lead >= 0xa1 })
	for r, second := range map[rune][2]byte{
		0x2550: {0xf9, 0xf9}, 0x255e: {0xf9, 0xe9}, 0x2561: {0xf9, 0xeb}, 0x256a: {0xf9, 0xea},
		0x5341: {0xa4, 0x51}, 0x5345: {0xa4, 0xca},
	} {
		p[r] = second
	}
	return p
})

// jisPairs are the characters of JIS X 0208 in EUC-JP.
var jisPairs = sync.OnceValue(func() pairs {
	return pairsOf(japanese.EUCJP, func(lead byte) bool { return lead >= 0xa1 })
})

// shiftJISPairs leave out what NEC took over from IBM, and what has no fixed
// meaning (encoding standard, "index Shift_JIS pointer").
var shiftJISPairs = sync.OnceValue(func() pairs {
	return pairsOf(japanese.ShiftJIS, func(lead byte) bool {
		return lead < 0xa0 || 0xe0 <= lead && lead < 0xed ||
			lead > 0xf9
	})
})

func encodeBig5(dst []byte, r rune) ([]byte, bool) { return big5Pairs().encode(dst, r) }

const (
	yen, overline, minus, wideMinus = 0xa5, 0x203e, 0x2212, 0xff0d
	// Katakana of half the width, and where their bytes begin.
	firstHalf, lastHalf, halfBytes = 0xff61, 0xff9f, 0xa1
)

func encodeShiftJIS(dst []byte, r rune) ([]byte, bool) {
	switch {
	case r == 0x80:
		return append(dst, 0x80), true
	case firstHalf <= r && r <= lastHalf:
		return append(dst, byte(r-firstHalf+halfBytes)), true
	}
	return encodeJapanese(shiftJISPairs(), dst, r)
}

func encodeEUCJP(dst []byte, r rune) ([]byte, bool) {
	if firstHalf <= r && r <= lastHalf {
		return append(dst, 0x8e, byte(r-firstHalf+halfBytes)), true
	}
	return encodeJapanese(jisPairs(), dst, r)
}

func encodeJapanese(p pairs, dst []byte, r rune) ([]byte, bool) {
	switch r {
	case yen:
		return append(dst, '\\'), true
	case overline:
		return append(dst, '~'), true
	case minus:
		r = wideMinus
	}
	return p.encode(dst, r)
}

// jisEncoder writes ISO-2022-JP (encoding standard, "ISO-2022-JP encoder").
type jisEncoder struct{ set string }

// The character sets of ISO-2022-JP are what chooses them.
const (
	setASCII = "\x1b(B"
	setRoman = "\x1b(J"
	setJIS   = "\x1b$B"
)

// wideKatakana are those of half the width, in their order, in full width.
var wideKatakana = []rune("。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜")

func (e *jisEncoder) encode(dst []byte, r rune) ([]byte, rune, bool) {
	switch {
	case r == 0x0e || r == 0x0f || r == 0x1b: // would choose a set
		if e.set == setJIS {
			dst = e.choose(dst, setASCII)
		}
		return dst, utf8.RuneError, false
	case r < utf8.RuneSelf:
		if e.set != setRoman || r == '\\' || r == '~' {
			dst = e.choose(dst, setASCII)
		}
		return append(dst, byte(r)), 0, true
	case r == yen:
		return append(e.choose(dst, setRoman), '\\'), 0, true
	case r == overline:
		return append(e.choose(dst, setRoman), '~'), 0, true
	case r == minus:
		r = wideMinus
	case firstHalf <= r && r <= lastHalf:
		r = wideKatakana[r-firstHalf]
	}
	pair, ok := jisPairs()[r]
	if !ok {
		if e.set == setJIS {
			dst = e.choose(dst, setASCII)
		}
		return dst, r, false
	}
	return append(e.choose(dst, setJIS), pair[0]&0x7f, pair[1]&0x7f), 0, true
}

func (e *jisEncoder) choose(dst []byte, set string) []byte {
	if e.set == set {
		return dst
	}
	e.set = set
	return append(dst, set...)
}

func (e *jisEncoder) finish(dst []byte) []byte { return e.choose(dst, setASCII) }
