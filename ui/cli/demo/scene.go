package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/language"
)

// scene is what is to be seen at a moment.
type scene struct {
	Lang            language.Language
	Since           time.Duration
	Wanted, Fetched int
	Nodes           []state
	Domains         []mark
	Notice          string
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
	return []ink{"36", "33", "35", "32", "34", "31"}[(number-1)%most]
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
		text := console.Clip(p.text, columns)
		columns -= utf8.RuneCountInString(text) // except for the last piece, all are narrow
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
func (s scene) lines(columns, rows int, colour bool) []string {
	var all []line
	all = append(all, s.progress(columns), s.owners(), line{}, s.heads())
	for _, n := range s.Nodes {
		all = append(all, s.row(n))
	}
	if why := s.rests(); why != "" {
		for _, text := range console.Wrap(strings.Fields(why), columns-1) {
			all = append(all, line{{text, inkBold}})
		}
	} else {
		all = append(all, line{{s.Notice, inkFaint}})
	}
	all = append(all, s.legend())
	if most := max(1, rows-1); len(all) > most { // the rest would scroll away
		all = all[:most]
	}
	out := make([]string, len(all))
	for i, l := range all {
		out[i] = l.text(columns-1, colour)
	}
	return out
}

// rowName begins a line of the scene that has no table.
const rowName = "%-9s"

// progress is a bar of what the practice web has handed out.
func (s scene) progress(columns int) (l line) {
	l.add(inkBold, rowName, s.Lang.Text("demo.row.pages", nil))
	text := fmt.Sprintf("  %s  %s", s.Lang.Part(int64(s.Fetched), int64(s.Wanted), progress.Items), clockText(s.Since))
	if rate := float64(s.Fetched) / s.Since.Seconds(); s.Since > console.RateAfter && s.Fetched > 0 &&
		s.Fetched < s.Wanted {
		text += fmt.Sprintf("  %.0f/s  %s", rate, s.Lang.Left(float64(s.Wanted-s.Fetched)/rate))
	}
	width := min(61, columns-1-9-console.ColumnsIn(text))
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
func (s scene) owners() (l line) {
	l.add(inkBold, rowName, s.Lang.Text("demo.row.domains", nil))
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

// row is how a row of the table is laid out: whose, how much of the ring,
// domains, pages, queued, links out and in, leases lent and held, what
// happened.
const row = "%6s %8s %7s %7s %12s %9s  "

func (s scene) heads() (l line) {
	var heads []any
	for _, text := range s.Lang.Heading("scene", "node", "ring", "domains", "pages", "queued", "links", "leases",
		"last") {
		heads = append(heads, text)
	}
	l.add(inkBold, "%-4s"+row+"%s", heads...)
	return l
}

func (s scene) row(n state) (l line) {
	mark, ink := "●", inkOf(n.Number)
	switch n.State {
	case leaving:
		mark = "◌"
	case gone:
		mark, ink = "○", inkFaint
	}
	l.add(ink, "%s %-2d", mark, n.Number)
	rest := inkPlain
	last := n.Last
	if n.State == gone {
		rest, last = inkFaint, s.Lang.Text("demo.gone", nil)
	}
	number := s.Lang.Number
	l.add(rest, row, fmt.Sprintf("%.0f%%", 100*n.Share), number(n.Domains), number(n.Pages), number(n.Queued),
		number(n.Sent)+"/"+number(n.Taken), number(n.Lent)+"/"+number(n.Held))
	l.add(inkFaint, "%s", last)
	return l
}

// legend says what can be done.
func (s scene) legend() (l line) {
	if !s.Keys {
		return l
	}
	for i, k := range [][2]string{{"k", "drop"}, {"s", "add"}, {"q", "end"}} {
		if i > 0 {
			l.add(inkPlain, "    ")
		}
		l.add(inkBold, "%s", k[0])
		l.add(inkPlain, " %s", s.Lang.Text("demo."+k[1], nil))
	}
	return l
}

// rests says why nodes fetch nothing, each reason once; it is "" while all work.
func (s scene) rests() string {
	var whys []string
	for _, n := range s.Nodes {
		if n.Rests != "" && !slices.Contains(whys, n.Rests) {
			whys = append(whys, n.Rests)
		}
	}
	return strings.Join(whys, " ")
}

// sentence says it in one line.
func (s scene) sentence() string {
	parts := []string{s.Lang.Text("demo.line", words.Args{"time": clockText(s.Since), "fetched": s.Fetched,
		"wanted": s.Wanted})}
	for _, n := range s.Nodes {
		key, args := "demo.line.node", words.Args{
			"node": n.Number, "domains": s.Lang.Count("domain", n.Domains), "pages": s.Lang.Count("page", n.Pages),
			"links": s.Lang.Count("link", n.Sent),
		}
		if n.State == gone {
			key = "demo.line.left"
		}
		parts = append(parts, s.Lang.Text(key, args))
	}
	said := strings.Join(parts, "; ")
	if why := s.rests(); why != "" {
		said += ". " + why
	}
	return said
}

// clockText writes a time since the start as 1:05.
func clockText(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}
