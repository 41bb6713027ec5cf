// Package palette has the colours of pictures, by day and by night.
package palette

import (
	"image/color"

	"github.com/forage-net/forage/assets/hues"
)

// Look is the colours of a picture. Their alpha is not used: pictures are opaque.
type Look struct {
	// Back lies behind everything: the colour of the card the picture stands on.
	Back color.NRGBA
	// Ground is the disc, Rim its thin lines.
	Ground, Rim color.NRGBA
	// Ours is what this node owns, Glow what shines around it.
	Ours, Glow color.NRGBA
	// Near are members that are connected, Far the others.
	Near, Far color.NRGBA
	// Star is a site of whose language nothing is known, Hues others by their language (package hues).
	Star color.NRGBA
	Hues [hues.Count]color.NRGBA
	// Page, Link, Lease, Moved and Bad are marks.
	Page, Link, Lease, Moved, Bad color.NRGBA
	// Ink is text, Soft what matters less.
	Ink, Soft color.NRGBA
	// Dusk lies over what rests.
	Dusk color.NRGBA
	// Line is a chart's grid, Bar and Bar2 its first and second series, Limit the line that is not crossed.
	Line, Bar, Bar2, Limit color.NRGBA
}

// In returns the colours of the night or of the day.
func In(dark bool) Look {
	if dark {
		return Dark()
	}
	return Light()
}

// Light returns the colours of the dashboard by day.
func Light() Look {
	return Look{
		Back: hex(0xfffefa), Ground: hex(0xf3f3e6), Rim: hex(0xd3d2c0),
		Ours: hex(0x1f6b41), Glow: hex(0x2f9a5c), Near: hex(0x66747f), Far: hex(0x66747f), Star: hex(0x14592f),
		Page: hex(0xb46a00), Link: hex(0xb46a00), Lease: hex(0x3a5f96), Moved: hex(0x1f6b41), Bad: hex(0xa5301f),
		Ink: hex(0x1f2a22), Soft: hex(0x56625a), Dusk: color.NRGBA{212, 219, 232, 255}, Hues: hues.Light(),
		Line: hex(0xdcd7c8), Bar: hex(0x1f6b41), Bar2: hex(0xd98e1f), Limit: hex(0xa5301f),
	}
}

// Dark returns the colours of the dashboard by night.
func Dark() Look {
	return Look{
		Back: hex(0x182019), Ground: hex(0x0b110c), Rim: hex(0x3a463c),
		Ours: hex(0x6fc88e), Glow: hex(0x7ff0a8), Near: hex(0x8795a1), Far: hex(0x8795a1), Star: hex(0xd9f7e2),
		Page: hex(0xffc964), Link: hex(0xffc964), Lease: hex(0x8ab4ff), Moved: hex(0x7fd09b), Bad: hex(0xff9a87),
		Ink: hex(0xe8ede6), Soft: hex(0xa3afa5), Dusk: color.NRGBA{17, 23, 38, 255}, Hues: hues.Dark(),
		Line: hex(0x303b32), Bar: hex(0x7fd09b), Bar2: hex(0xeda93a), Limit: hex(0xff9a87),
	}
}

func hex(rgb uint32) color.NRGBA {
	return color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}
}
