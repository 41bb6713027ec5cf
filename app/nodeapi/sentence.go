package nodeapi

import (
	"strings"

	"github.com/forage-net/forage/app/health"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/assets/words"
)

// The keys of causes that have a sentence of their own.
const (
	causeFruitless = "status.wait.fruitless" // nothing came of many requests
	causeRefused   = "status.wait.refused"   // all of them were refused
)

// fruitless is the cause that a row of requests is.
func fruitless(f health.Fruitless) limiter.Cause {
	if f.Refused == f.Requests {
		return limiter.Cause{Key: causeRefused, Count: f.Requests}
	}
	return limiter.Cause{Key: causeFruitless, Count: f.Requests}
}

// Sentence says what the node does now and why. Front ends show it as it is.
func (o *Overview) Sentence(lang string, causes []limiter.Cause) string {
	if len(causes) == 0 {
		return o.workingSentence(lang)
	}
	first := causes[0]
	why := first.In(lang)
	switch {
	case first.Key == limiter.CauseStopping:
		return words.Text(lang, "status.stopping", nil)
	case first.Key == limiter.CauseStarting:
		return words.Text(lang, "status.starting", nil)
	case first.Key == limiter.CauseLimits:
		return why
	case first.Key == causeFruitless:
		return words.Text(lang, "status.fruitless", words.Args{"reason": why})
	case first.Key == causeRefused:
		return words.Text(lang, "status.refused", words.Args{"reason": why})
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
func (o *Overview) workingSentence(lang string) string {
	v := o.Arbiter.View()
	how := words.Text(lang, "status.working."+v.Level.String(), nil)
	switch {
	case v.Level == limits.Off, len(v.Reasons) > 0:
		how = tell.Decision(v.Decision, lang, v.At.Wall)
	case v.Away:
		how = words.Text(lang, "status.working."+v.Level.String()+".away", nil)
	}
	return how + " " + o.PagesSentence(lang)
}

// PagesSentence says what came in the last minute.
func (o *Overview) PagesSentence(lang string) string {
	sites, known := o.Tally.Sites.Count()
	pages := int(o.Tally.Rate.Count())
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
