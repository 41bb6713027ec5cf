package tray

import (
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

const (
	// longRest is how long a node must rest for one reason before its user is told.
	longRest = 24 * time.Hour
	// sameCause is how long a cause must be gone to be another one when it comes back: what comes and goes all
	// day is told once.
	sameCause = 24 * time.Hour
	// backFor is how long after somebody came back it is told what was fetched meanwhile.
	backFor = time.Hour
	// titleMax is how many characters of a page's title are told.
	titleMax = 80
	// settles is how long a node must do something else for its rest to be over: many begin with one that lasts
	// seconds.
	settles = 2 * time.Minute
)

// notice is a notification.
type notice struct {
	title, text string
	page        string // what a click on it opens
	urgent      bool   // something is wrong
}

// notices finds out of what the user is to be told. The zero value is ready. It is used by one goroutine.
type notices struct {
	begun bool
	news  bool // no page had been fetched before this run, and none was told of
	memory
	other string // what seems to have taken the place of Resting, and since when
	since time.Time
	looks int // how often next was called
}

// memory is what survives a restart.
type memory struct {
	// Resting is a word for why the node rests, and Since when it began.
	Resting string    `json:"resting"`
	Since   time.Time `json:"since"`
	// Welcomed is the day on which it was told last what was fetched meanwhile, by the user's calendar.
	Welcomed string `json:"welcomed"`
	// Told are the causes of which the user was told.
	Told map[string]seen `json:"told"`
}

// seen is when a cause was there last.
type seen struct {
	At   time.Time `json:"at"`
	look int
}

// next returns what is to be told now. first is a page that was just fetched, nil if there is none.
func (n *notices) next(g api.Glance, first *api.Event, now time.Time, lang string) (list []notice) {
	if !n.begun {
		n.begun, n.news = true, g.Pages == 0
		if n.Told == nil {
			n.Told = make(map[string]seen)
		}
	}
	n.looks++
	if first != nil && n.news {
		n.news = false
		if g.Notices.FirstPage {
			list = append(list, firstPage(first, lang))
		}
	}
	if back := n.comesBack(g, now); back != nil {
		list = append(list, notice{title: words.Text(lang, "away.title", nil), text: back.Sentence + "."})
	}
	n.rests(g, now)
	if g.Resting == n.Resting && isOurs(g.Resting) && now.Sub(n.Since) > longRest &&
		n.isNew("resting "+g.Resting, g.Notices.Paused, now) {
		list = append(list, notice{title: words.Text(lang, "notify.paused", nil), text: g.Sentence})
	}
	for _, t := range g.Troubles {
		if n.isNew("trouble "+string(t), g.Notices.Problem, now) {
			list = append(list, problemOf(t, lang))
		}
	}
	return list
}

// comesBack returns what is to be told to somebody who came back a moment ago: once, once a day, and not while
// something fills the screen.
func (n *notices) comesBack(g api.Glance, now time.Time) *api.Away {
	if g.Back == nil || !g.Notices.Away || g.Fullscreen {
		return nil
	}
	since, today := now.Sub(*g.Back.Until), now.Format(time.DateOnly)
	if since < 0 || since > backFor || n.Welcomed == today {
		return nil
	}
	n.Welcomed = today
	return g.Back
}

// rests takes note of why the node rests.
func (n *notices) rests(g api.Glance, now time.Time) {
	switch why := g.Resting; {
	case why == n.Resting, isPassing(why):
		n.other, n.since = n.Resting, now
	case why != n.other || n.since.IsZero():
		n.other, n.since = why, now
	case now.Sub(n.since) >= settles:
		n.Resting, n.Since = why, n.since
	}
}

// isNew reports whether a cause that is there now is to be told, and remembers it. One that nobody wants to
// hear of now may be told later.
func (n *notices) isNew(cause string, wanted bool, now time.Time) bool {
	last, known := n.Told[cause]
	known = known && (last.look == n.looks-1 || now.Sub(last.At) < sameCause)
	if !known && !wanted {
		return false
	}
	n.Told[cause] = seen{now, n.looks}
	return !known
}

// isOurs reports whether a node rests for another reason than that its user wanted it so.
func isOurs(resting string) bool {
	switch resting {
	case "", "no_consent", "paused", "finishing":
		return false
	}
	return !isPassing(resting)
}

// isPassing reports whether a node is about to start or to stop, which says nothing of what keeps it from working.
func isPassing(resting string) bool {
	return resting == "status.reason.starting" || resting == "status.reason.stopping"
}

// firstPage tells of the first page ever.
func firstPage(e *api.Event, lang string) notice {
	n := notice{title: words.Text(lang, "notify.first", nil),
		text: words.Text(lang, "notify.first.untitled", words.Args{"site": e.Domain})}
	if title := short(e.Title, titleMax); title != "" {
		n.text = words.Text(lang, "notify.first.text", words.Args{"title": title, "site": e.Domain})
	}
	return n
}

// problemOf tells of something that is wrong.
func problemOf(t api.Trouble, lang string) notice {
	n := notice{title: words.Text(lang, "notify.problem", nil),
		text: words.Text(lang, "notify.problem."+string(t), nil), page: PageDashboard, urgent: true}
	if t == api.TroubleSettings {
		n.page = PageSettings
	}
	return n
}

// escapeMarkup writes a text of strangers so that desktops which know markup show it as it is.
func escapeMarkup(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
