package app

import (
	"strings"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// The keys of causes that are treated otherwise than the rest.
const (
	causeStopping  = "status.reason.stopping"
	causeStarting  = "status.reason.starting"
	causeStore     = "status.reason.store"
	causeArchive   = "status.reason.archive"
	causeFruitless = "status.wait.fruitless"
	// causeLimits has no words of its own: limits say in whole sentences what they forbid.
	causeLimits = "limits"
)

// cause is one reason why nothing is fetched.
type cause struct {
	key  string      // of its words
	said inLanguages // of causeLimits the sentence
	text string      // what went wrong
	at   time.Time   // until when
	// count is how many requests failed.
	count int64
}

// inLanguages is a text by its language.
type inLanguages map[string]string

// in returns the reason in a language.
func (c cause) in(lang string) string {
	if c.key == causeLimits {
		return c.said[lang]
	}
	return words.Text(lang, c.key, words.Args{"error": words.Said(lang, c.text), "failed": c.count, "time": limits.When(c.at, time.Now(), limits.LangOf(lang))})
}

// reasonsIn returns reasons in a language. It is never nil.
func reasonsIn(lang string, causes []cause) []string {
	list := make([]string, len(causes))
	for i, c := range causes {
		list[i] = c.in(lang)
	}
	return list
}

// sentence says what the node does now and why. Front ends show it as it is.
func (n *Node) sentence(lang string, causes []cause) string {
	if len(causes) == 0 {
		return n.workingSentence(lang)
	}
	first := causes[0]
	why := first.in(lang)
	switch {
	case first.key == causeStopping:
		return words.Text(lang, "status.stopping", nil)
	case first.key == causeStarting:
		return words.Text(lang, "status.starting", nil)
	case first.key == causeLimits:
		return why
	case first.key == causeFruitless:
		return words.Text(lang, "status.fruitless", words.Args{"reason": why})
	}
	return ended(why + ".")
}

// ended returns a sentence that has one mark at its end, though a reason brought one of its own.
func ended(s string) string {
	if cut := strings.TrimSuffix(s, "."); strings.HasSuffix(cut, ".") || strings.HasSuffix(cut, "?") {
		return cut
	}
	return s
}

// workingSentence says how the node works, why it may, and what came of it in the last minute.
func (n *Node) workingSentence(lang string) string {
	n.arbiter.mu.Lock()
	d, now := n.arbiter.is, n.arbiter.now()
	away := n.arbiter.hub != nil && n.arbiter.isAway(now)
	n.arbiter.mu.Unlock()
	how := words.Text(lang, "status.working."+d.Level.String(), nil)
	switch {
	case d.Level == limits.Off, len(d.Reasons) > 0:
		how = d.Sentence(limits.LangOf(lang), now.Wall)
	case away:
		how = words.Text(lang, "status.working."+d.Level.String()+".away", nil)
	}
	return how + " " + n.pagesSentence(lang)
}

// isAway reports whether it is known that nobody has used the computer for as long as counts. The mutex is held.
func (a *arbiter) isAway(now limits.Clock) bool {
	s := readSensors(a.hub.Snapshot(), now)
	last, known := s.LastInput.Get()
	return known && now.Steady-last >= a.cfg.Idle.After
}

// pagesSentence says what came in the last minute.
func (n *Node) pagesSentence(lang string) string {
	sites, known := n.sites.count()
	pages := int(n.rate.count())
	if pages == 0 {
		return words.Text(lang, "status.pages.none", nil)
	}
	sites = min(sites, pages) // they are counted one after the other
	if !known || sites == 0 {
		return words.Text(lang, "status.pages", words.Args{"count": pages})
	}
	return words.Text(lang, "status.pages.from", words.Args{
		"count": pages, "sites": words.Text(lang, "status.sites", words.Args{"count": sites}),
	})
}
