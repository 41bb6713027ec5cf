package overview

import (
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/speech"
	"github.com/forage-net/forage/ui/ring"
)

// ringWords are what is written into the picture.
func ringWords(d *desk.Desk) ring.Words {
	return ring.Words{
		You: d.T("ring.you"), Away: func(ms float64) string { return awayText(d, ms) },
		Member: func(id string, ms float64) []string {
			end := shown.Text(speech.ShortName(id))
			if ms >= 0 {
				end += " · " + awayText(d, ms)
			}
			if nick := d.Nick(id); nick != "" {
				return []string{nick, end}
			}
			return []string{end}
		},
		Caption: func(s ring.Saved) string {
			return d.T("ring.save.words", "date", d.Date(s.Time, time.Time{}), "n", s.Sites, "share",
				shareText(d, s.Share))
		},
	}
}

// awayText writes a round trip in milliseconds.
func awayText(d *desk.Desk, ms float64) string { return d.T("swarm.ms", "ms", int64(ms)) }

// shareText writes a part of the ring.
func shareText(d *desk.Desk, of float64) string {
	if of < 0.1 {
		return d.Percent(of, 1)
	}
	return d.Percent(min(of, 1), 0)
}

// spotText says what is at a spot.
func spotText(d *desk.Desk, s ring.Spot) string {
	switch {
	case s.Domain != "":
		return siteText(d, s)
	case s.Member < 0:
		return d.T("ring.spot.nobody")
	case s.Self:
		return d.T("ring.spot.ours", "share", shareText(d, s.Share))
	}
	key := "ring.spot.far"
	if s.Connected {
		key = "ring.spot.near"
	}
	text := d.T(key, "peer", d.Helper(s.Owner), "share", shareText(d, s.Share))
	if s.AwayMs < 0 {
		return text
	}
	return text + " " + d.T("ring.spot.away", "ms", int64(s.AwayMs))
}

// siteText says what is known of the site at a spot.
func siteText(d *desk.Desk, s ring.Spot) string {
	domain, pages := shown.Text(s.Domain), d.N("ring.pages", s.Fetched)
	text := d.T("ring.spot.site", "domain", domain, "pages", pages)
	if !s.Last.IsZero() {
		text = d.T("ring.spot.visited", "domain", domain, "pages", pages, "when", whenText(d, s.Last))
	}
	if s.Language == "" {
		return text
	}
	return text + " " + d.T("ring.spot.language", "language", d.Tongue(s.Language))
}

// whenText writes a time, with its day if that is another.
func whenText(d *desk.Desk, at time.Time) string {
	now := d.Now()
	if at.Local().Format(time.DateOnly) == now.Local().Format(time.DateOnly) {
		return d.Clock(at)
	}
	return d.Date(at, now) + ", " + d.Clock(at)
}

// ringSummary says the most important of the whole picture.
func ringSummary(d *desk.Desk, r *api.Ring, mode ring.Mode) string {
	if mode == ring.ModeSwarm {
		return reachedText(d, r)
	}
	key, share := "ring.summary.alone", 0.0
	for _, m := range r.Members {
		if m.Self {
			share = max(share, m.Share)
		} else if m.Share > 0 {
			key = "ring.summary"
		}
	}
	return d.N(key, int64(len(r.Domains)), "share", shareText(d, share))
}

// reachedText says how many of the other members are connected.
func reachedText(d *desk.Desk, r *api.Ring) string {
	others, connected := int64(0), 0
	for _, m := range r.Members {
		if m.Self || m.Share <= 0 {
			continue
		}
		if others++; m.Connected {
			connected++
		}
	}
	if others == 0 {
		return d.T("ring.alone")
	}
	return d.N("ring.reached", others, "near", connected)
}

// toldOf is an event in words, without its time.
func toldOf(d *desk.Desk, e api.Event) string {
	key := "ring.event." + string(e.Code)
	if e.Code == api.CodeState || !d.Has(key) && !d.Has(key+".other") { // a state says itself which it is
		return shown.First(e.Text, e.Title, e.Domain, string(e.Code))
	}
	text := d.N(key, e.Count, "domain", shown.Text(e.Domain), "peer", d.Helper(e.Peer))
	if title := shown.Text(e.Title); e.Code == api.CodeFetched && title != "" {
		return d.T("ring.titled", "text", text, "title", title)
	}
	return text
}
