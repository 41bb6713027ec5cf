package draw

import (
	"image"
	"math"
)

// trayUnits is the side of a tray icon: as many units as panels give it pixels most often.
const trayUnits = 22

// Around every tray icon are a dark line and a light one, so that one of the two parts it from any panel.
const (
	outline = 0x14261b
	halo    = 0xffffff
)

// TrayNames are the names of the tray's icons.
var TrayNames = []string{"working", "waiting", "paused", "problem"}

// Tray draws the icon of that name, size pixels wide and high.
func Tray(name string, size int) *image.NRGBA {
	return render(size, trayUnits, trayLayers(name))
}

// trayLayers keeps edges on whole pixels at 22 where it can.
func trayLayers(name string) []layer {
	c := point{11, 11}
	var whole shape   // what the lines go around
	var glyph []layer // what is in it
	switch name {
	case "working": // the mark
		whole = either(disc(c, 8), arc(c, 6.4, 0, math.Pi/2, 4.4))
		glyph = []layer{
			{band(c, 6.5, 3), flat(rgb(0x4fc07c))},
			{arc(c, 6.4, 0, math.Pi/2, 4.4), flat(rgb(0xffc04d))},
			{disc(c, 2.5), flat(rgb(0x4fc07c))},
		}
	case "waiting": // a moon
		whole = without(disc(point{10.4, 11.6}, 8.4), disc(point{15.4, 6.6}, 7.2))
		glyph = []layer{{whole, flat(rgb(0x8ab4ff))}}
	case "paused": // two bars
		whole = either(line(point{7, 5}, point{7, 17}, 4), line(point{15, 5}, point{15, 17}, 4))
		glyph = []layer{{whole, flat(rgb(0xffc04d))}}
	case "problem": // a warning sign
		whole = polygon(2, point{11, 4.6}, point{17.6, 17}, point{4.4, 17})
		glyph = []layer{
			{whole, flat(rgb(0xff7a63))},
			{either(line(point{11, 8.5}, point{11, 12}, 2), disc(point{11, 15.5}, 1.25)), flat(rgb(outline))},
		}
	}
	return append([]layer{
		{grown(whole, 2), flat(faint(rgb(halo), 225))},
		{grown(whole, 1), flat(rgb(outline))},
	}, glyph...)
}
