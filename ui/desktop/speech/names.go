package speech

import (
	"hash/fnv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/shown"
)

// Helper is another node's name: two words, and the end of its ID, as the dashboard writes it.
func (s Speech) Helper(id string) string {
	if nick := s.Nick(id); nick != "" {
		return nick + " " + shown.Text(ShortName(id))
	}
	return shown.Text(id)
}

// Nick is two words that an ID decides, "" if it is so short that it needs none.
func (s Speech) Nick(id string) string {
	if ShortName(id) == id {
		return ""
	}
	sum := fnv.New32a()
	sum.Write([]byte(id))
	first, last := strings.Split(s.T("ring.nick.first"), ","), strings.Split(s.T("ring.nick.last"), ",")
	low, high := int(sum.Sum32()&0xffff), int(sum.Sum32()>>16)
	return first[low%len(first)] + " " + last[high%len(last)]
}

// ShortName is the end of a node's ID, which tells nodes apart better than its beginning.
func ShortName(id string) string {
	if len(id) <= 8 {
		return id
	}
	return "…" + id[len(id)-6:]
}

// Tongue is the name of a language.
func (s Speech) Tongue(code string) string {
	if code == api.OtherLanguages || code == "" {
		return s.T("mine.otherlanguages")
	}
	tag, err := language.Parse(code)
	if err != nil {
		return shown.First(code)
	}
	in := language.English
	if s.Lang == "de" {
		in = language.German
	}
	return shown.First(display.Languages(in).Name(tag), code)
}

// Milestone is one in words; its number alone, for kinds of later versions.
func (s Speech) Milestone(m api.Milestone) string {
	if m.Kind == "language" {
		return s.T("milestone.language", "language", s.Tongue(m.Language))
	}
	if s.Has("milestone." + m.Kind + ".other") {
		return s.N("milestone."+m.Kind, m.Count)
	}
	return s.Number(m.Count)
}

// Notable are the milestones to show: numbers first, and of first pages in languages a few.
func Notable(list []api.Milestone) []api.Milestone {
	const mostNumbers, mostFirsts = 5, 3
	var numbers, firsts []api.Milestone
	for _, m := range list {
		if m.Kind == "language" {
			firsts = append(firsts, m)
		} else {
			numbers = append(numbers, m)
		}
	}
	return append(numbers[:min(len(numbers), mostNumbers)], firsts[:min(len(firsts), mostFirsts)]...)
}
