//go:build linux

package e2e

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
)

// screen returns what is on the screen now. The X server keeps it in a file, in the format of xwd.
func (d *display) screen() (*image.RGBA, error) {
	text, err := os.ReadFile(filepath.Join(d.dir, "screen", "Xvfb_screen0"))
	if err != nil {
		return nil, err
	}
	return readXWD(text)
}

func readXWD(text []byte) (*image.RGBA, error) {
	word := func(i int) int { return int(binary.BigEndian.Uint32(text[4*i:])) }
	if len(text) < 100 {
		return nil, errors.New("the screen's file is too short")
	}
	width, height, bits, stride := word(4), word(5), word(11), word(12)
	start := word(0) + 12*word(19) // behind the header and the colours
	if width > 1<<14 || height > 1<<14 || bits != 32 || stride < 4*width || len(text) < start+stride*height {
		return nil, fmt.Errorf("a screen of %d × %d pixels of %d bits in %d bytes is not understood", width, height, bits, len(text))
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		row, to := text[start+y*stride:], img.Pix[y*img.Stride:]
		for x := range width {
			to[4*x], to[4*x+1], to[4*x+2], to[4*x+3] = row[4*x+2], row[4*x+1], row[4*x], 255
		}
	}
	return img, nil
}

// writePNG writes a picture with 256 colours, which is what documents have room for.
func writePNG(path string, img *image.RGBA) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	return errors.Join(encoder.Encode(f, reduce(img)), f.Close())
}

// mostOften is how many colours of a picture are those that it has most often. The others are for what is rare and unlike
// them, as marks on the Ring.
const mostOften = 192

// reduce keeps 256 colours; the others become the nearest of them. Windows have few.
func reduce(img *image.RGBA) *image.Paletted {
	count := make(map[color.RGBA]int)
	bounds := img.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[img.RGBAAt(x, y)]++
		}
	}
	all := make([]color.RGBA, 0, len(count))
	for c := range count {
		all = append(all, c)
	}
	key := func(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
	slices.SortFunc(all, func(a, b color.RGBA) int {
		if n := count[b] - count[a]; n != 0 {
			return n
		}
		return key(a) - key(b)
	})
	var palette color.Palette
	off := make([]int, len(all)) // how far each is from the nearest in the palette
	take := func(i int) {
		palette = append(palette, all[i])
		for j, c := range all {
			if d := distance(c, all[i]); len(palette) == 1 || d < off[j] {
				off[j] = d
			}
		}
	}
	for i := range min(len(all), mostOften) {
		take(i)
	}
	for len(palette) < min(len(all), 256) {
		worst := 0
		for i, c := range all {
			if off[i]*count[c] > off[worst]*count[all[worst]] {
				worst = i
			}
		}
		take(worst)
	}
	index := make(map[color.RGBA]uint8, len(all))
	for _, c := range all {
		index[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(image.Rect(0, 0, bounds.Dx(), bounds.Dy()), palette)
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			out.SetColorIndex(x, y, index[img.RGBAAt(bounds.Min.X+x, bounds.Min.Y+y)])
		}
	}
	return out
}

// distance is how unlike two colours are.
func distance(a, b color.RGBA) int {
	r, g, bl := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
	return r*r + g*g + bl*bl
}

// differs reports whether two pictures of the same size differ within an area.
func differs(a, b *image.RGBA, area image.Rectangle) bool {
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				return true
			}
		}
	}
	return false
}
