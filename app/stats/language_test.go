package stats

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
)

func TestShortLanguage(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "en", "EN": "en", "pt-BR": "pt", "zh-Hant-TW": "zh", "en_US": "en", "deu": "de", "gsw": "gsw", "ast-ES": "ast",
		"": "", "e": "", "xx": "", "x-klingon": "", "i-default": "", "english": "", "en.US": "", "--": "", "e1": "", "und": "", "mul": "", "zxx": "",
		"\xff\xfe": "", "en-" + strings.Repeat("a", 1000): "en", "de-": "de",
	} {
		if got := ShortLanguage(tag); got != want {
			t.Errorf("ShortLanguage(%.20q) = %q, want %q", tag, got, want)
		}
	}
}

// codes are all languages that a page can claim to be in.
func codes() (list []string) {
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			for _, tag := range []string{string([]rune{a, b}), string([]rune{a, b, 'a'}), string([]rune{a, b, 'n'})} {
				if ShortLanguage(tag) == tag {
					list = append(list, tag)
				}
			}
		}
	}
	return list
}

// Pages that claim to be in all the languages there are fill no record, and do not keep out the
// languages that pages are in.
func TestStats_LanguagesAreBounded(t *testing.T) {
	all := codes()
	if len(all) < 500 {
		t.Fatalf("there are %d languages only", len(all))
	}
	db := openDB(t)
	s := newMeteredStats("one")
	at := time.Unix(1_800_000_000, 0)
	page := func(tag string) crawl.Outcome { return crawl.Outcome{Result: crawl.Fetched, Language: tag} }
	var hostile Committed
	for _, tag := range all {
		if tag != "de" {
			hostile.Outcomes = append(hostile.Outcomes, page(tag))
		}
	}
	countNow(t, db, s, at, hostile)
	countNow(t, db, s, at, Committed{Outcomes: slices.Repeat([]crawl.Outcome{page("de")}, 2)})
	countNow(t, db, s, at, hostile)
	for _, unit := range []api.Unit{api.UnitHour, api.UnitDay, api.UnitYear} {
		got, err := readSeries(db, api.SeriesQuery{Unit: unit, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		for what, languages := range map[string]map[string]int64{"point": got.Points[0].Languages, "totals": got.Totals.Languages} {
			sum := int64(0)
			for _, n := range languages {
				sum += n
			}
			if want := int64(2*len(hostile.Outcomes) + 2); sum != want || len(languages) != api.MaxLanguages+1 || languages["de"] != 2 {
				t.Errorf("%s of %s: %d pages in %d languages, %d of them German; want %d in %d, 2 German", what, unit, sum, len(languages), languages["de"], want, api.MaxLanguages+1)
			}
		}
	}
}

func FuzzShortLanguage(f *testing.F) {
	for _, tag := range []string{"en", "pt-BR", "deu", "\xff", "x", "qaa"} {
		f.Add(tag)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		got := ShortLanguage(tag)
		if got != "" && (len(got) < 2 || len(got) > 3 || strings.Trim(got, "abcdefghijklmnopqrstuvwxyz") != "") {
			t.Errorf("ShortLanguage(%q) = %q", tag, got)
		}
		if got != "" && ShortLanguage(got) != got {
			t.Errorf("%s", fmt.Sprintf("%q is not short: %q", got, ShortLanguage(got)))
		}
	})
}
