package words

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// What can be said in one language can be said in the other, of the same things.
func TestFiles_LanguagesAgree(t *testing.T) {
	en := Keys(English)
	if len(en) < 100 {
		t.Fatalf("%d texts", len(en))
	}
	for _, lang := range Languages() {
		other := Keys(lang)
		for key := range en {
			if _, ok := other[key]; !ok {
				t.Errorf("%s is missing in %s", key, lang)
			}
		}
		for key, text := range other {
			if _, ok := en[key]; !ok {
				t.Errorf("%s of %s is no key of %s", key, lang, English)
			}
			if got, want := names(text), names(en[key]); !slices.Equal(got, want) {
				t.Errorf("%s in %s speaks of %v, in English of %v", key, lang, got, want)
			}
		}
	}
}

// names returns the names in a text, each once.
func names(text string) []string {
	list := Placeholders(text)
	slices.Sort(list)
	return slices.Compact(list)
}

// German that reads as English was forgotten, unless the list says that it is meant.
func TestFiles_GermanIsGerman(t *testing.T) {
	data, err := os.ReadFile("same.json")
	if err != nil {
		t.Fatal(err)
	}
	var same []string
	if err := json.Unmarshal(data, &same); err != nil {
		t.Fatal(err)
	}
	en, de := Keys(English), Keys(German)
	for key, text := range de {
		if key == "consent.note" {
			continue // it says in English that there is nothing to say
		}
		switch meant := slices.Contains(same, key); {
		case text == en[key] && !meant:
			t.Errorf("%s is %q in both languages; translate it, or add it to same.json", key, text)
		case text != en[key] && meant:
			t.Errorf("%s differs; take it out of same.json", key)
		}
	}
	for _, key := range same {
		if _, ok := de[key]; !ok {
			t.Errorf("same.json has %s, which does not exist", key)
		}
	}
}

// familiar is German to friends.
var familiar = regexp.MustCompile(`(?i)\b(du|dich|dir|dein\w*)\b`)

func TestFiles_Texts(t *testing.T) {
	for _, lang := range Languages() {
		table := Keys(lang)
		for key, text := range table {
			if strings.TrimSpace(text) != text || text == "" && key != "consent.note" {
				t.Errorf("%s of %s is %q", key, lang, text)
			}
			if strings.Count(text, "{") != len(Placeholders(text)) || strings.Count(text, "}") != len(Placeholders(text)) {
				t.Errorf("%s of %s has braces that do not match: %q", key, lang, text)
			}
			for form, other := range map[string]string{".one": ".other", ".other": ".one"} {
				stem, ok := strings.CutSuffix(key, form)
				if _, both := table[stem+other]; ok && !both {
					t.Errorf("%s of %s has no %s", key, lang, stem+other)
				}
			}
			if lang == German && familiar.MatchString(text) {
				t.Errorf("%s says du: %q", key, text)
			}
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		lang, key string
		args      Args
		want      string
	}{
		{"en", "setup.fact.cores", Args{"count": 1}, "This computer has one processor core."},
		{"de", "setup.fact.cores", Args{"count": int64(1200)}, "Dieser Computer hat 1.200 Prozessorkerne."},
		{"fr", "setup.fact.cores", Args{"count": 1200}, "This computer has 1,200 processor cores."},
		{"en", "setup.fact.disk", Args{"free": "{free} {"}, "Free disk space: {free} {."},
		{"en", "setup.fact.disk", nil, "Free disk space: {free}."},
		{"de", "no.such.key", nil, "no.such.key"},
	} {
		if got := Text(c.lang, c.key, c.args); got != c.want {
			t.Errorf("Text(%s, %s, %v) = %q, want %q", c.lang, c.key, c.args, got, c.want)
		}
	}
	for n, want := range map[int64]string{0: "0", -7: "-7", 999: "999", 1000: "1.000", -1234567: "-1.234.567"} {
		if got := Number(German, n); got != want {
			t.Errorf("Number(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestRead_RefusesKeysInTwoFiles(t *testing.T) {
	files := fstest.MapFS{"en/a.json": {Data: []byte(`{"a":"1"}`)}, "en/b.json": {Data: []byte(`{"a":"1"}`)}}
	if _, err := read(files, "en"); err == nil || !strings.Contains(err.Error(), "a stands in two files") {
		t.Errorf("read = %v", err)
	}
}
