package desktop

import (
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/ring"
)

// ringWords are what is written into the picture.
func (d *desk) ringWords() ring.Words {
	return ring.Words{
		You: d.t("ring.you"), Away: d.away,
		Member: func(id string, ms float64) []string {
			end := shown.Text(shortName(id))
			if ms >= 0 {
				end += " · " + d.away(ms)
			}
			if nick := d.nick(id); nick != "" {
				return []string{nick, end}
			}
			return []string{end}
		},
		Caption: func(s ring.Saved) string {
			return d.t("ring.save.words", "date", d.date(s.Time, time.Time{}), "n", s.Sites, "share", d.share(s.Share))
		},
	}
}

// away writes a round trip in milliseconds.
func (d *desk) away(ms float64) string { return d.t("swarm.ms", "ms", int64(ms)) }

// share writes a part of the ring.
func (d *desk) share(of float64) string {
	if of < 0.1 {
		return d.percent(of, 1)
	}
	return d.percent(min(of, 1), 0)
}

// spotText says what is at a spot.
func (d *desk) spotText(s ring.Spot) string {
	switch {
	case s.Domain != "":
		return d.siteText(s)
	case s.Member < 0:
		return d.t("ring.spot.nobody")
	case s.Self:
		return d.t("ring.spot.ours", "share", d.share(s.Share))
	}
	key := "ring.spot.far"
	if s.Connected {
		key = "ring.spot.near"
	}
	text := d.t(key, "peer", d.helper(s.Owner), "share", d.share(s.Share))
	if s.AwayMs < 0 {
		return text
	}
	return text + " " + d.t("ring.spot.away", "ms", int64(s.AwayMs))
}

// siteText says what is known of the site at a spot.
func (d *desk) siteText(s ring.Spot) string {
	domain, pages := shown.Text(s.Domain), d.n("ring.pages", s.Fetched)
	text := d.t("ring.spot.site", "domain", domain, "pages", pages)
	if !s.Last.IsZero() {
		text = d.t("ring.spot.visited", "domain", domain, "pages", pages, "when", d.when(s.Last))
	}
	if s.Language == "" {
		return text
	}
	return text + " " + d.t("ring.spot.language", "language", d.tongue(s.Language))
}

// when writes a time, with its day if that is another.
func (d *desk) when(at time.Time) string {
	now := d.now()
	if at.Local().Format(time.DateOnly) == now.Local().Format(time.DateOnly) {
		return d.clock(at)
	}
	return d.date(at, now) + ", " + d.clock(at)
}

// ringSummary says the most important of the whole picture.
func (d *desk) ringSummary(r *api.Ring, mode ring.Mode) string {
	if mode == ring.ModeSwarm {
		return d.reached(r)
	}
	key, share := "ring.summary.alone", 0.0
	for _, m := range r.Members {
		if m.Self {
			share = max(share, m.Share)
		} else if m.Share > 0 {
			key = "ring.summary"
		}
	}
	return d.n(key, int64(len(r.Domains)), "share", d.share(share))
}

// reached says how many of the other members are connected.
func (d *desk) reached(r *api.Ring) string {
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
		return d.t("ring.alone")
	}
	return d.n("ring.reached", others, "near", connected)
}

// toldOf is an event in words, without its time.
func (d *desk) toldOf(e api.Event) string {
	key := "ring.event." + string(e.Code)
	if e.Code == api.CodeState || !d.has(key) && !d.has(key+".other") { // a state says itself which it is
		return shown.First(e.Text, e.Title, e.Domain, string(e.Code))
	}
	text := d.n(key, e.Count, "domain", shown.Text(e.Domain), "peer", d.helper(e.Peer))
	if title := shown.Text(e.Title); e.Code == api.CodeFetched && title != "" {
		return d.t("ring.titled", "text", text, "title", title)
	}
	return text
}
