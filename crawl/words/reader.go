package words

import "unicode/utf8"

// Sink takes the words of a text in order. A word is good until the call returns.
type Sink interface {
	Word(at Place, word []byte)
	// Reset forgets all words: the text is read once more.
	Reset()
}

// Reader splits text into words and gives them to a Sink. Text comes in pieces; a word may go on from one into the
// next until Break. The zero value with a Sink is ready.
type Reader struct {
	Sink  Sink
	word  []byte // under way
	pair  [2][]byte
	at    Place
	read  int  // bytes of text
	inRun bool // pair[0] is the last character of a run of a script without spaces
}

// Reset makes the reader ready for another text.
func (r *Reader) Reset() { r.word, r.read, r.inRun = r.word[:0], 0, false }

// Full reports whether no more text is read.
func (r *Reader) Full() bool { return r.read > MaxText }

// Text reads a piece of text in UTF-8.
func (r *Reader) Text(at Place, text []byte) {
	if at != r.at {
		r.Break()
		r.at = at
	}
	if at == Body || at == Aside || at == Heading {
		rest := max(MaxText-r.read, 0)
		r.read += len(text)
		text = text[:min(len(text), rest)]
	}
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i += r.ascii(text[i:])
			continue
		}
		char, n := utf8.DecodeRune(text[i:])
		r.char(char)
		i += n
	}
}

// asciiLower holds letters and digits in lower case, 0 for what parts words.
var asciiLower = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z':
			t[c] = byte(c)
		case 'A' <= c && c <= 'Z':
			t[c] = byte(c) + 'a' - 'A'
		}
	}
	return t
}()

// ascii reads the ASCII characters that text begins with, and returns how many those are. Most text is nothing else.
func (r *Reader) ascii(text []byte) (n int) {
	if r.inRun {
		r.Break()
	}
	word := r.word
	for n < len(text) && text[n] < utf8.RuneSelf {
		c := asciiLower[text[n]]
		n++
		switch {
		case c == 0 && len(word) > 0:
			r.Sink.Word(r.at, word)
			word = word[:0]
		case c != 0 && len(word) < MaxWord:
			word = append(word, c)
		}
	}
	r.word = word
	return n
}

func (r *Reader) letter(c byte) {
	if r.inRun {
		r.Break()
	}
	if len(r.word) < MaxWord {
		r.word = append(r.word, c)
	}
}

func (r *Reader) char(char rune) {
	kind, lower := classOf(char)
	switch kind {
	case between:
		r.Break()
	case letter:
		if lower < utf8.RuneSelf {
			r.letter(byte(lower))
			return
		}
		if r.inRun {
			r.Break()
		}
		if len(r.word)+utf8.UTFMax <= MaxWord {
			r.word = utf8.AppendRune(r.word, lower)
		}
	case paired:
		r.paired(lower)
	}
}

// paired takes a character of a script without spaces.
func (r *Reader) paired(char rune) {
	if !r.inRun {
		r.Break()
		r.pair[0], r.inRun = utf8.AppendRune(r.pair[0][:0], char), true
		return
	}
	r.pair[1] = utf8.AppendRune(r.pair[1][:0], char)
	r.word = append(append(r.word[:0], r.pair[0]...), r.pair[1]...)
	r.Sink.Word(r.at, r.word)
	r.word = r.word[:0]
	r.pair[0], r.pair[1] = r.pair[1], r.pair[0]
}

// Break ends the word under way.
func (r *Reader) Break() {
	switch {
	case r.inRun:
		r.inRun = false
		r.Sink.Word(r.at, r.pair[0])
	case len(r.word) > 0:
		r.Sink.Word(r.at, r.word)
	}
	r.word = r.word[:0]
}
