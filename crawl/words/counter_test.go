package words

import (
	"fmt"
	"testing"
)

// counted returns how often and where the words of a counter stand.
func counted(c *Counter) map[string]Count {
	all := make(map[string]Count)
	for _, e := range c.Counts() {
		all[string(c.Of(e))] = Count{Times: e.Times, Places: e.Places}
	}
	return all
}

func TestCounter_TimesAndPlaces(t *testing.T) {
	t.Parallel()
	c := NewCounter()
	for range 2 { // memory that is used again makes no difference
		c.Reset()
		c.Text(Heading, []byte("Apple trees"))
		c.Text(Body, []byte("An apple, an APPLE and a pear."))
		c.Text(Aside, []byte("apple menu"))
		c.Text(Title, []byte("Apple title"))
		c.Text(Address, []byte("apple.test"))
		c.Break()
		all := counted(c)
		for word, want := range map[string]Count{
			"apple": {Times: 3, Places: 1<<Heading | 1<<Body | 1<<Aside | 1<<Title | 1<<Address},
			"an":    {Times: 2, Places: 1 << Body},
			"trees": {Times: 1, Places: 1 << Heading},
			"menu":  {Times: 0, Places: 1 << Aside},
			"title": {Times: 0, Places: 1 << Title},
			"test":  {Times: 0, Places: 1 << Address},
		} {
			if all[word] != want {
				t.Errorf("%s: %+v, want %+v", word, all[word], want)
			}
		}
		if c.Length != 13 || len(all) != 9 {
			t.Errorf("%d words, %d of them different; want 13 and 9", c.Length, len(all))
		}
		if !c.Has("pear") || c.Has("plum") {
			t.Error("Has is wrong")
		}
	}
	if first := string(c.Of(c.Counts()[0])); first != "apple" {
		t.Errorf("the first word is %q", first)
	}
}

func TestCounter_IsBounded(t *testing.T) {
	t.Parallel()
	c := NewCounter()
	for n := range 3 * MaxDistinct {
		c.Word(Body, fmt.Appendf(nil, "w%d", n))
	}
	for range 1 << 17 {
		c.Word(Body, []byte("w7"))
	}
	all := counted(c)
	if len(all) != MaxDistinct {
		t.Errorf("%d different words count, want %d", len(all), MaxDistinct)
	}
	if got := all["w7"].Times; got != 1<<16-1 {
		t.Errorf("a word counts %d times, want %d", got, 1<<16-1)
	}
	if c.Has(fmt.Sprint("w", MaxDistinct)) || !c.Has(fmt.Sprint("w", MaxDistinct-1)) {
		t.Error("other words than the first ones count")
	}
	if c.Length != 3*MaxDistinct+1<<17 {
		t.Errorf("the text has %d words", c.Length)
	}
}

func TestCounter_Language(t *testing.T) {
	t.Parallel()
	german := "und der die das nicht ist mit auf ein für"
	english := "the and of to is that with for this"
	for _, c := range []struct{ name, named, text, want string }{
		{"declared, and so it is", "de-AT", german, "de"},
		{"declared in capitals", "DE", german, "de"},
		{"declared, and few words say so", "de", "und die Tabelle 1 2 3", "de"},
		{"declared, and no word tells", "de", "1 2 3", "de"},
		{"contradicted", "en", german, "de"},
		{"contradicted the other way", "de", english, "en"},
		{"contradicted by too few words", "en", "und der die das", "en"},
		{"not declared", "", german, "de"},
		{"not declared, and too little to tell", "", "und der", ""},
		{"neither", "", "", ""},
		{"a language that has no list stays", "ja", english, "ja"},
		{"no tag", "german", "", ""},
		{"no tag, but words", "x", english, "en"},
	} {
		counter := NewCounter()
		counter.Text(Body, []byte(c.text))
		counter.Break()
		if got := counter.Language(c.named); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTerm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, word, want string }{
		{"de", "häuser", "haus\x00de"},
		{"de", "straße", "strass\x00de"},
		{"en", "running", "run\x00en"},
		{"en", "is", "is"},
		{"en", "utf8s", "utf8s"},
		{"fr", "forêts", "foret\x00fr"},
		{"es", "corazones", "corazon\x00es"},
		{"ru", "лисицы", "лисиц\x00ru"},
		{"", "häuser", "hauser"},
		{"xx", "running", "running"},
		{"ja", "図書", "図書"},
		{"pl", "łódka", "lodka"},
		{"el", "αλεπού", "αλεπου"},
	} {
		if got := Term(c.language, c.word); got != c.want {
			t.Errorf("Term(%q, %q) = %q, want %q", c.language, c.word, got, c.want)
		}
		var s Stemmer
		for range 2 {
			if got := s.Term(c.language, []byte(c.word)); got != c.want {
				t.Errorf("Stemmer.Term(%q, %q) = %q, want %q", c.language, c.word, got, c.want)
			}
		}
		if terms := Terms(c.word); !contains(terms, c.want) || terms[0] != Term("", c.word) {
			t.Errorf("Terms(%q) = %q", c.word, terms)
		}
	}
}

// One Stemmer serves pages of all languages in turn, and remembers no more than it may.
func TestStemmer_Languages(t *testing.T) {
	t.Parallel()
	var s Stemmer
	languages := []string{"de", "en", "", "xx", "fr"}
	for n := range maxStems + 5000 {
		language := languages[n%len(languages)]
		s.Term(language, fmt.Appendf(nil, "%dx", n))
		if word := "häuser"; n%1000 == 0 {
			if got, want := s.Term(language, []byte(word)), Term(language, word); got != want {
				t.Fatalf("%q: %q, want %q", language, got, want)
			}
		}
	}
	size := 0
	for _, list := range s.known {
		size += len(list)
	}
	if size == 0 || size > maxStems || size != s.size {
		t.Errorf("%d terms are remembered, %d counted", size, s.size)
	}
}

func TestAppendFolded(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"ÄÖÜ": "aou", "Straße": "strasse", "ﬁne": "fine", "ＷＩＤＥ": "wide", "Ǆ": "dz", "İ": "i", "हिन्दी": "हिन्दी", "\xff": "\ufffd", "مُحَمَّد": "محمد", "東京": "東京",
	} {
		if got := string(AppendFolded(nil, []byte(in))); got != want {
			t.Errorf("%q folds to %q, want %q", in, got, want)
		}
	}
}
