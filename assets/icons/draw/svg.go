package draw

import (
	"fmt"
	"math"
	"strings"
)

// AppSVG writes the icon of the program, as App draws it at large sizes.
func AppSVG() string {
	m := appMark
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 256 256">`)
	line(`  <defs>`)
	line(`    <linearGradient id="leaf" gradientUnits="userSpaceOnUse" x1="0" y1="%s" x2="0" y2="%s">`,
		number(128-m.cell), number(128+m.cell))
	line(`      <stop offset="0" stop-color="%s"/>`, hex(leafLight))
	line(`      <stop offset="1" stop-color="%s"/>`, hex(leafDeep))
	line(`    </linearGradient>`)
	line(`    <linearGradient id="rim" gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="0" y2="128">`)
	line(`      <stop offset="0" stop-color="%s" stop-opacity="0.353"/>`, hex(card))
	line(`      <stop offset="1" stop-color="%s" stop-opacity="0"/>`, hex(card))
	line(`    </linearGradient>`)
	line(`  </defs>`)
	line(`  <path d="%s" fill="url(#leaf)"/>`, cellPath(m.cell, m.round))
	line(`  <path d="%s" fill="none" stroke="url(#rim)" stroke-width="3"/>`, cellPath(m.cell-1.5, m.round-1.5))
	line(`  <circle cx="128" cy="128" r="%s" fill="none" stroke="%s" stroke-width="%s"/>`, number(m.radius),
		hex(leafPale), number(m.ring))
	quarter := fmt.Sprintf("M128 %s A%[2]s %[2]s 0 0 1 %[3]s 128", number(128-m.radius), number(m.radius),
		number(128+m.radius))
	line(`  <path d="%s" fill="none" stroke="url(#leaf)" stroke-width="%s" stroke-linecap="round"/>`, quarter,
		number(m.arc+arcGap))
	line(`  <path d="%s" fill="none" stroke="%s" stroke-width="%s" stroke-linecap="round"/>`, quarter, hex(amber),
		number(m.arc))
	line(`  <circle cx="128" cy="128" r="%s" fill="%s"/>`, number(m.seed), hex(leafPale))
	line(`</svg>`)
	return b.String()
}

// cellPath is the outline of a hexagon with round corners.
func cellPath(r, round float64) string {
	corners := hexagonCorners(centre, r-round)
	var b strings.Builder
	for i, c := range corners {
		// A corner is an arc between the feet of the two edges.
		turn := float64(i) * math.Pi / 3
		from, to := around(c, round, turn-math.Pi/6), around(c, round, turn+math.Pi/6)
		step := "L"
		if i == 0 {
			step = "M"
		}
		fmt.Fprintf(&b, "%s%s %s A%s %s 0 0 1 %s %s ", step, number(from.x), number(from.y), number(round),
			number(round), number(to.x), number(to.y))
	}
	return b.String() + "Z"
}

// SymbolicSVG writes the mark in one colour on 16 units. Desktops put their own colour in the place of every fill, and
// know nothing of strokes; so there are fills only.
func SymbolicSVG() string {
	return `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">
  <g fill="#2e3436">
` + symbolicPaths() + `  </g>
</svg>
`
}

func symbolicPaths() string {
	const r, ring, arcWidth = 5.75, 1.5, 3.5
	c := point{8, 8}
	// The ring leaves a gap on both sides of the lit quarter.
	gap := (arcWidth/2 + 1.1) / r
	return fmt.Sprintf("    <path d=\"%s\"/>\n", stroke(c, r, math.Pi/2+gap, 2*math.Pi-gap, ring, false)) +
		fmt.Sprintf("    <path d=\"%s\"/>\n", stroke(c, r, 0, math.Pi/2, arcWidth, true)) +
		"    <circle cx=\"8\" cy=\"8\" r=\"2\"/>\n"
}

// stroke is the outline of a part of a circle as a pen would draw it, with round ends or cut ones.
func stroke(c point, r, from, to, width float64, round bool) string {
	outer, inner, large := r+width/2, r-width/2, 0
	if to-from > math.Pi {
		large = 1
	}
	a, b := around(c, outer, from), around(c, outer, to)
	d, e := around(c, inner, to), around(c, inner, from)
	end := func(p point) string {
		if round {
			return fmt.Sprintf("A%[1]s %[1]s 0 0 1 %[2]s %[3]s", number(width/2), number(p.x), number(p.y))
		}
		return fmt.Sprintf("L%s %s", number(p.x), number(p.y))
	}
	return fmt.Sprintf("M%s %s A%[3]s %[3]s 0 %[4]d 1 %[5]s %[6]s %[7]s A%[8]s %[8]s 0 %[4]d 0 %[9]s %[10]s %[11]sZ",
		number(a.x), number(a.y), number(outer), large, number(b.x), number(b.y), end(d), number(inner), number(e.x),
		number(e.y), end(a))
}

// number writes a length with two places at most.
func number(v float64) string {
	s := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

func hex(colour uint32) string { return fmt.Sprintf("#%06x", colour) }
