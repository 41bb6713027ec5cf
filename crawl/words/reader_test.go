package words

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// placed is a word with where it stands.
type placed struct {
	at   Place
	word string
}

// noted keeps what a Reader finds. It implements Sink.
type noted struct{ list []placed }

func (n *noted) Word(at Place, word []byte) { n.list = append(n.list, placed{at, string(word)}) }
func (n *noted) Reset()                     { n.list = nil }

func (n *noted) words() (list []string) {
	for _, p := range n.list {
		list = append(list, p.word)
	}
	return list
}

// readIn returns the words of a text that comes in pieces, which "|" parts.
func readIn(text string) []string {
	var n noted
	r := Reader{Sink: &n}
	for piece := range strings.SplitSeq(text, "|") {
		r.Text(Body, []byte(piece))
	}
	r.Break()
	return n.words()
}

func TestReader_Words(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxWord)
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"signs alone", " .,;-–!? \n", ""},
		{"case and digits", "The 3 QUICK foxes2", "the 3 quick foxes2"},
		{"one word in pieces", "foot|ba|ll", "football"},
		{"a word ends with its piece", "foot |ball", "foot ball"},
		{"a character of several bytes begins a piece", "caf|é|s", "cafés"},
		{"accents and other alphabets", "Übermut ΑΒΓ Привет", "übermut αβγ привет"},
		{"marks belong to their letter", "e\u0301te\u0301", "e\u0301te\u0301"},
		{"silent characters", "soft\u00adhyphen zero\u200bwidth joi\u200dned", "softhyphen zerowidth joined"},
		{"wide letters", "ＡＢＣ１２", "abc12"},
		{"broken bytes part words", "a\xffb\xc3", "a b"},
		{"pairs, and the last one by itself", "東京都", "東京 京都 都"},
		{"a single character", "本", "本"},
		{"a run in pieces", "東|京", "東京 京"},
		{"letters end a run", "東京abc図", "東京 京 abc 図"},
		{"a letter with an accent ends a run", "東é", "東 é"},
		{"signs end a run", "東。京", "東 京"},
		{"kana with its long vowel", "ラーメン", "ラー ーメ メン ン"},
		{"Korean", "서울 도", "서울 울 도"},
		{"Thai", "กขค", "กข ขค ค"},
		{"a long word", long + "yz", long},
		{"a long word in pieces", long[:40] + "|" + long[:40], long},
		{"no character is cut", long[:MaxWord-2] + "ééa", long[:MaxWord-2] + "a"},
	} {
		if got := readIn(c.text); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: %q, want %q", c.name, got, strings.Fields(c.want))
		}
	}
}

func TestReader_PlacesPartWords(t *testing.T) {
	t.Parallel()
	var n noted
	r := Reader{Sink: &n}
	r.Text(Heading, []byte("head"))
	r.Text(Body, []byte("body 京"))
	r.Text(Aside, []byte("aside"))
	r.Text(Aside, []byte("s"))
	r.Break()
	r.Break()
	want := []placed{{Heading, "head"}, {Body, "body"}, {Body, "京"}, {Aside, "asides"}}
	if !slices.Equal(n.list, want) {
		t.Errorf("%v, want %v", n.list, want)
	}
}

func TestReader_IsFull(t *testing.T) {
	t.Parallel()
	var n noted
	r := Reader{Sink: &n}
	piece := []byte(strings.Repeat("word ", MaxText/40))
	for !r.Full() {
		r.Text(Body, piece)
	}
	r.Break()
	read := len(n.list)
	if most := MaxText/len("word ") + 1; read > most || read < most*3/4 {
		t.Errorf("%d words were read, want about %d", read, most)
	}
	r.Text(Body, []byte("more "))
	r.Text(Title, []byte("title"))
	r.Break()
	if got := n.words()[read:]; !slices.Equal(got, []string{"title"}) {
		t.Errorf("after that %q were read", got)
	}
	r.Reset()
	if r.Full() {
		t.Error("it is full after a reset")
	}
	n.Reset()
	r.Text(Body, []byte("begin "+strings.Repeat("x", MaxText)+" end"))
	r.Break()
	if got := n.words(); !slices.Equal(got, []string{"begin", strings.Repeat("x", MaxWord)}) {
		t.Errorf("of a piece that is too long %q were read", got)
	}
}

func FuzzSplit(f *testing.F) {
	for _, text := range []string{"The quick fox", "東京都 abc図é", "a\xffb\u00adc", strings.Repeat("é", 30), "ｗｉｄｅ e\u0301 İK"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > MaxText {
			return
		}
		var n noted
		r := Reader{Sink: &n}
		r.Text(Body, []byte(text))
		r.Break()
		var list []string
		Split(text, func(from, to int, word []byte) bool {
			if from < 0 || from >= to || to > len(text) {
				t.Errorf("%q stands at %d to %d of %d", word, from, to, len(text))
			}
			list = append(list, string(word))
			return true
		})
		if !slices.Equal(n.words(), list) {
			t.Errorf("Reader finds %q, Split %q", n.words(), list)
		}
		for _, w := range list {
			if len(w) == 0 || len(w) > MaxWord || !utf8.ValidString(w) {
				t.Errorf("%q is no word", w)
			}
		}
	})
}

func TestSplit_Ends(t *testing.T) {
	t.Parallel()
	n := 0
	Split("one two three four", func(_, _ int, _ []byte) bool { n++; return n < 2 })
	if n != 2 {
		t.Errorf("it went on for %d words, want 2", n)
	}
}
