package words

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// What goes wrong is put into English where it does: in parts that know no languages, in the store, and on other
// nodes. The texts "said.…" are such phrases, with "{name}" where one has a name, a number or another phrase; Said
// finds the phrase by its English form and says it in another language.

const (
	saidPrefix = "said."
	// maxSaid is the longest text that is looked at, in bytes; several times the longest there is.
	maxSaid = 4096
	// maxNested is how deep phrases within phrases are looked at: deeper than errors are wrapped.
	maxNested = 12
	// maxTries bounds the work of one call: an ordinary error is compared with each phrase some ten times.
	maxTries = 20_000
)

// nested are the names of what is a phrase itself, and an error that may go on. All others are of values.
var nested = map[string]bool{
	"error": true, "reason": true, "why": true, "fault": true, "rest": true, "sensor": true, "status": true,
	"what": true, "files": true, "methods": true, "topic": true,
}

// isValue reports whether a text is one value, not several parts of an error. One in quotes may be anything.
func isValue(text string) bool {
	if _, err := strconv.Unquote(text); err == nil {
		return true
	}
	return !strings.Contains(text, ": ") && !strings.Contains(text, "; ") && !strings.Contains(text, "\n")
}

// phrase is one text of Said, cut where its arguments are: literal 0, name 0, literal 1, and so on.
type phrase struct {
	key             string
	literals, names []string
}

// phrases are all of them.
type phrases struct {
	whole map[string]string // keys of those without arguments, by their text
	open  []phrase          // with arguments, those that say the most first
}

// known is made once and never changed.
var known = sync.OnceValue(func() *phrases { return phrasesOf(texts()[English]) })

func phrasesOf(english map[string]string) *phrases {
	p := &phrases{whole: make(map[string]string)}
	for key, text := range english {
		// It stands after what is wrong with a setting.
		if strings.HasPrefix(key, "settings.") && strings.HasSuffix(key, ".range") {
			p.whole[text] = key
		}
		if !strings.HasPrefix(key, saidPrefix) {
			continue
		}
		if one := cutPhrase(key, text); len(one.names) > 0 {
			p.open = append(p.open, one)
		} else {
			p.whole[text] = key
		}
	}
	slices.SortFunc(p.open, func(a, b phrase) int {
		if n := b.says() - a.says(); n != 0 {
			return n
		}
		return strings.Compare(a.key, b.key)
	})
	return p
}

func cutPhrase(key, text string) phrase {
	p := phrase{key: key}
	for {
		before, rest, _ := strings.Cut(text, "{")
		name, after, found := strings.Cut(rest, "}")
		p.literals = append(p.literals, before)
		if !found {
			return p
		}
		p.names = append(p.names, name)
		text = after
	}
}

// says returns how many bytes are its own.
func (p *phrase) says() (n int) {
	for _, l := range p.literals {
		n += len(l)
	}
	return n
}

// match returns what stands for the names in a text that is this phrase.
func (p *phrase) match(text string) (map[string]string, bool) {
	last := len(p.literals) - 1
	text, ok := strings.CutPrefix(text, p.literals[0])
	if ok {
		text, ok = strings.CutSuffix(text, p.literals[last])
	}
	args := make(map[string]string, len(p.names))
	for i := 0; ok && i < last; i++ {
		value, rest := text, ""
		if i+1 < last {
			value, rest, ok = strings.Cut(text, p.literals[i+1])
		}
		ok = ok && value != "" && (nested[p.names[i]] || isValue(value))
		args[p.names[i]], text = value, rest
	}
	return args, ok
}

// Said returns in a language what was put into English elsewhere: a phrase, several, or an error that was wrapped.
// Of what is no known phrase, as a path or what the operating system says, the text stays as it is.
func Said(lang, english string) string {
	if lang == English || len(english) > maxSaid || texts()[lang] == nil {
		return english
	}
	p := saying{phrases: known(), lang: lang, left: maxTries}
	return p.in(english, maxNested)
}

// saying is one call of Said.
type saying struct {
	*phrases
	lang string
	left int // how many phrases may still be compared
}

func (p *saying) in(text string, depth int) string {
	if said, ok := p.one(text, depth); ok || depth == 0 {
		return said
	}
	if line, rest, found := strings.Cut(text, "\n"); found {
		return p.in(line, depth-1) + "\n" + p.in(rest, depth-1)
	}
	// An error that was wrapped ends with a phrase that may have the marks itself by which others are cut.
	for i := 0; ; i += len(": ") {
		n := strings.Index(text[i:], ": ")
		if n < 0 {
			break
		}
		i += n
		if last, ok := p.one(text[i+len(": "):], depth-1); ok {
			return p.in(text[:i], depth-1) + ": " + last
		}
	}
	if i := strings.LastIndex(text, ") ("); i >= 0 && strings.HasSuffix(text, ")") { // two remarks
		return p.in(text[:i+1], depth-1) + " (" + p.in(text[i+len(") ("):len(text)-1], depth-1) + ")"
	}
	for _, mark := range []string{"; ", ": ", ", "} {
		if before, after, found := strings.Cut(text, mark); found {
			return p.in(before, depth-1) + mark + p.in(after, depth-1)
		}
	}
	if before, inside, found := strings.Cut(strings.TrimSuffix(text, ")"), " ("); found &&
		strings.HasSuffix(text, ")") {
		return p.in(before, depth-1) + " (" + p.in(inside, depth-1) + ")"
	}
	return text
}

// one says a text that is one phrase; if it is none, it returns it as it is. A capital at its beginning and a full
// stop at its end may have been put there.
func (p *saying) one(text string, depth int) (string, bool) {
	if said, ok := p.exact(text, depth); ok {
		return said, true
	}
	if said, ok := p.setting(text, depth); ok {
		return said, true
	}
	if bare, ok := strings.CutSuffix(text, "."); ok {
		if said, ok := p.one(bare, depth); ok {
			return said + ".", true
		}
		return text, false
	}
	if first, n := utf8.DecodeRuneInString(text); unicode.IsUpper(first) {
		if said, ok := p.exact(string(unicode.ToLower(first))+text[n:], depth); ok {
			first, n := utf8.DecodeRuneInString(said)
			return string(unicode.ToUpper(first)) + said[n:], true
		}
	}
	return text, false
}

// setting says what is wrong with the value of a setting: "KEY = VALUE is …", without what would be right.
func (p *saying) setting(text string, depth int) (string, bool) {
	key, _, ok := strings.Cut(text, " = ")
	if !ok || strings.ContainsAny(key, " \t") {
		return text, false
	}
	for rest := text; ok; {
		if _, rest, ok = strings.Cut(rest, ": "); ok && p.whole[rest] != "" {
			return text, false
		}
	}
	said, ok := p.exact(text[len(key)+1:], depth)
	return key + " " + said, ok
}

func (p *saying) exact(text string, depth int) (string, bool) {
	if key, ok := p.whole[text]; ok {
		return Text(p.lang, key, nil), true
	}
	if depth == 0 {
		return text, false
	}
	for i := range p.open {
		if p.left--; p.left < 0 {
			return text, false
		}
		args, ok := p.open[i].match(text)
		if !ok {
			continue
		}
		said := make(Args, len(args))
		for name, value := range args {
			if nested[name] {
				value = p.in(value, depth-1)
			}
			said[name] = value
		}
		return Text(p.lang, p.open[i].key, said), true
	}
	return text, false
}

// IsSaid reports whether a text in English is one phrase that Said knows.
func IsSaid(english string) bool {
	p := saying{phrases: known(), lang: German, left: maxTries}
	_, ok := p.one(english, maxNested)
	return ok
}
