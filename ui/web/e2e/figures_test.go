package e2e

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-rod/rod"
)

// listen runs before the page: it keeps all that the node answers it.
const listen = `(() => {
	window.answers = [];
	const ask = window.fetch;
	window.fetch = async (...what) => {
		const answer = await ask(...what);
		if (answer.headers.get('Content-Type')?.startsWith('application/json')) window.answers.push(await answer.clone().json());
		return answer;
	};
})()`

// Every figure that a page shows is one that the node has told it: rounded, or as a part of the whole, but none is
// made up.
func TestFigures_AreWhatTheNodeCounted(t *testing.T) {
	t.Parallel() // it waits half a minute for a day of limits
	l := newLab(t)
	l.crawl()
	l.await("pages are fetched", func() bool { return l.status().Pages > 20 })
	link := strings.TrimSpace(l.forage("dashboard", "--print"))
	p := l.openWith(link, "en", func(tab *rod.Page) { tab.MustEvalOnNewDocument(listen) })
	p.see("nav a[aria-current]", "")
	for _, name := range []string{"now", "mine", "swarm", "neighbour"} {
		p.visit(name)
		p.settle()
		p.see(".figure dd, td.number", "")
		got := p.MustEval(`() => ({
			shown: [...document.querySelectorAll('.figure dd:not(.hint), td.number, .meter-words span:last-child')].map(e => e.innerText),
			answers: window.answers,
		})`)
		counted := appendNumbers(nil, got.Get("answers").Val())
		var shown []string
		for _, text := range got.Get("shown").Arr() {
			for _, found := range figure.FindAllStringSubmatch(text.Str(), -1) {
				shown = append(shown, found[0])
				if !isOneOf(found[1], found[2], counted) {
					t.Errorf("%s: %q of %q is in no answer of the node", name, found[0], text.Str())
				}
			}
		}
		if len(shown) == 0 {
			t.Errorf("%s shows no figures", name)
		}
		t.Logf("%s shows %s", name, strings.Join(shown, ", "))
	}
	p.sound()
}

// figure is a number with its unit.
var figure = regexp.MustCompile(`(\d[\d,]*(?:\.\d+)?)[\s\x{a0}]?(kbit/s|Mbit/s|[kMGT]?B|%|sec|min|hr)?`)

// scales are those of units. Of percentages, parts of the whole are told.
var scales = map[string]float64{
	"": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "kbit/s": 1, "Mbit/s": 1e3, "sec": 1, "min": 60, "hr": 3600, "%": 0.01,
}

// isOneOf reports whether a figure is one of what was counted, as exactly as it is written.
func isOneOf(text, unit string, counted []float64) bool {
	value, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		return false
	}
	_, decimals, _ := strings.Cut(text, ".")
	half := 0.501 * math.Pow10(-len(decimals))
	for _, n := range counted {
		if math.Abs(n/scales[unit]-value) <= half || unit == "%" && math.Abs(n-value) <= half {
			return true
		}
	}
	return false
}

// appendNumbers adds the numbers of a JSON value, and of languages the part that each has in all.
func appendNumbers(all []float64, v any) []float64 {
	switch v := v.(type) {
	case float64:
		return append(all, v)
	case []any:
		for _, x := range v {
			all = appendNumbers(all, x)
		}
	case map[string]any:
		for name, x := range v {
			all = appendNumbers(all, x)
			if languages, ok := x.(map[string]any); ok && name == "languages" {
				parts, sum := appendNumbers(nil, languages), 0.0
				for _, n := range parts {
					sum += n
				}
				for _, n := range parts {
					all = append(all, n/sum)
				}
			}
		}
	}
	return all
}
