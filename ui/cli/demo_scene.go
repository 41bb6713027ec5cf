package cli

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// demoScene is what is to be seen at a moment.
type demoScene struct {
	Since           time.Duration
	Wanted, Fetched int
	Nodes           []demoState
	Domains         []demoMark
	Home, Notice    string
	Keys            bool
}

// ink is how a piece of text looks, as the numbers of an SGR sequence.
type ink string

const (
	inkPlain ink = ""
	inkBold  ink = "1"
	inkFaint ink = "2"
)

// inkOf returns the colour of a node: cyan, yellow, magenta, green, blue, red.
func inkOf(number int) ink {
	return []ink{"36", "33", "35", "32", "34", "31"}[(number-1)%demoMost]
}

// piece is text in one ink.
type piece struct {
	text string
	ink  ink
}

// line is what stands on one line.
type line []piece

func (l *line) add(i ink, format string, args ...any) {
	*l = append(*l, piece{fmt.Sprintf(format, args...), i})
}

// text writes a line of at most so many columns.
func (l line) text(columns int, colour bool) string {
	var b strings.Builder
	for _, p := range l {
		text := clip(p.text, columns)
		columns -= utf8.RuneCountInString(text) // but for the last piece, all are narrow
		if colour && p.ink != inkPlain && text != "" {
			fmt.Fprintf(&b, "\x1b[%sm%s\x1b[0m", p.ink, text)
		} else {
			b.WriteString(text)
		}
		if len(text) < len(p.text) {
			break
		}
	}
	return b.String()
}

// lines draws the scene for a terminal.
func (s demoScene) lines(columns, rows int, colour bool) []string {
	var all []line
	all = append(all, s.progress(columns), s.owners(), line{}, demoHeads())
	for _, n := range s.Nodes {
		all = append(all, n.row())
	}
	all = append(all, line{{s.Notice, inkFaint}}, s.legend())
	if most := max(1, rows-1); len(all) > most { // the rest would scroll away
		all = all[:most]
	}
	out := make([]string, len(all))
	for i, l := range all {
		out[i] = l.text(columns-1, colour)
	}
	return out
}

// progress is a bar of what the practice web has handed out.
func (s demoScene) progress(columns int) (l line) {
	l.add(inkBold, "pages    ")
	text := fmt.Sprintf("  %s of %s  %s", number(s.Fetched), number(s.Wanted), clockText(s.Since))
	if rate := float64(s.Fetched) / s.Since.Seconds(); s.Since > rateAfter && s.Fetched > 0 && s.Fetched < s.Wanted {
		text += fmt.Sprintf("  %.0f/s  %s left", rate, lengthText(float64(s.Wanted-s.Fetched)/rate))
	}
	width := min(61, columns-1-9-len(text))
	full := 0
	if s.Wanted > 0 && width > 0 {
		full = width * s.Fetched / s.Wanted
	}
	l.add("32", "%s", strings.Repeat("━", full))
	l.add(inkFaint, "%s", strings.Repeat("─", max(0, width-full)))
	l.add(inkPlain, "%s", text)
	return l
}

// owners is a mark for each domain: the number of the node that owns it,
// reversed while it is visited, faint when nothing is left to fetch.
func (s demoScene) owners() (l line) {
	l.add(inkBold, "domains  ")
	for _, m := range s.Domains {
		switch {
		case m.Owner == 0:
			l.add(inkFaint, "·")
		case m.Busy:
			l.add("7;"+inkOf(m.Owner), "%d", m.Owner)
		case m.Done:
			l.add("2;"+inkOf(m.Owner), "%d", m.Owner)
		default:
			l.add(inkOf(m.Owner), "%d", m.Owner)
		}
	}
	return l
}

// demoRow is how a row of the table is laid out: whose, how much of the ring,
// domains, pages, queued, links out and in, leases lent and held, what
// happened.
const demoRow = "%6s %8s %7s %7s %12s %9s  "

func demoHeads() (l line) {
	l.add(inkBold, "node"+demoRow+"%s", "ring", "domains", "pages", "queued", "links out/in", "lent/held", "last")
	return l
}

func (n demoState) row() (l line) {
	mark, ink := "●", inkOf(n.Number)
	switch n.State {
	case demoLeaving:
		mark = "◌"
	case demoGone:
		mark, ink = "○", inkFaint
	}
	l.add(ink, "%s %-2d", mark, n.Number)
	rest := inkPlain
	last := n.Last
	if n.State == demoGone {
		rest, last = inkFaint, "gone"
	}
	l.add(rest, demoRow, fmt.Sprintf("%.0f%%", 100*n.Share), number(n.Domains), number(n.Pages), number(n.Queued),
		number(n.Sent)+"/"+number(n.Taken), number(n.Lent)+"/"+number(n.Held))
	l.add(inkFaint, "%s", last)
	return l
}

// legend says what can be done.
func (s demoScene) legend() (l line) {
	if s.Keys {
		for _, k := range [][2]string{{"k", " drops a node    "}, {"s", " starts one    "}, {"q", " ends"}} {
			l.add(inkBold, "%s", k[0])
			l.add(inkPlain, "%s", k[1])
		}
	}
	return l
}

// sentence says it in one line.
func (s demoScene) sentence() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s of %s pages", clockText(s.Since), number(s.Fetched), number(s.Wanted))
	for _, n := range s.Nodes {
		if n.State == demoGone {
			fmt.Fprintf(&b, "; node %d has left", n.Number)
			continue
		}
		fmt.Fprintf(&b, "; node %d owns %s, fetched %s, sent %s", n.Number, plural(int(n.Domains), "domain"), plural(int(n.Pages), "page"), plural(int(n.Sent), "link"))
	}
	return b.String()
}
