package draw

import (
	"image"
	"math"
)

// The colours of the dashboard and of its mark.
const (
	leaf      = 0x2f7d4f
	leafDeep  = 0x17532f
	leafLight = 0x3d9a62
	leafPale  = 0xdfeee2
	amber     = 0xeda93a
	card      = 0xfffefa
)

// The icon of the program is drawn on a square of 256 units: a cell of a honeycomb, in it the mark of the
// dashboard, a ring of whose circle one quarter is lit.
const appUnits = 256

// arcGap is how much broader than the lit quarter the gap in the ring is.
const arcGap = 12

// mark is how the ring lies in the cell. Small icons have a bolder one.
type mark struct {
	radius, ring, arc, seed float64
	round                   float64 // of the cell's corners
	cell                    float64 // from the middle to a corner
}

var (
	centre   = point{128, 128}
	appMark  = mark{radius: 62, ring: 15, arc: 27, seed: 21, round: 34, cell: 126}
	appSmall = mark{radius: 62, ring: 22, arc: 36, seed: 25, round: 34, cell: 128}
	appTiny  = mark{radius: 72, ring: 28, arc: 46, seed: 32, round: 44, cell: 134}
)

// markOf returns the mark for a size in pixels.
func markOf(size int) mark {
	switch {
	case size <= 20:
		return appTiny
	case size <= 32:
		return appSmall
	}
	return appMark
}

// App draws the icon of the program, size pixels wide and high.
func App(size int) *image.NRGBA { return render(size, appUnits, appLayers(markOf(size))) }

func appLayers(m mark) []layer {
	cell := hexagon(centre, m.cell, m.round)
	return []layer{
		{cell, fade(128-m.cell, rgb(leafLight), 128+m.cell, rgb(leafDeep))},
		{without(cell, grown(cell, -3)), fade(0, faint(rgb(card), 90), 128, faint(rgb(card), 0))},
		{band(centre, m.radius, m.ring), flat(rgb(leafPale))},
		{arc(centre, m.radius, 0, math.Pi/2, m.arc+arcGap),
			fade(128-m.cell, rgb(leafLight), 128+m.cell, rgb(leafDeep))},
		{arc(centre, m.radius, 0, math.Pi/2, m.arc), flat(rgb(amber))},
		{disc(centre, m.seed), flat(rgb(leafPale))},
	}
}
