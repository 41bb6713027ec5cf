package ring

import (
	"image"
	"image/color"
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Fonts are TrueType or OpenType files. What is nil or no font is replaced by the Go fonts.
type Fonts struct{ Regular, Bold []byte }

// mostFaces bounds how many sizes are kept; a picture has five.
const mostFaces = 24

// writer paints text.
type writer struct {
	regular, bold *opentype.Font
	faces         map[faceKey]font.Face
}

type faceKey struct {
	// size is in 64ths of a pixel.
	size fixed.Int26_6
	bold bool
}

func newWriter(f Fonts) *writer {
	w := &writer{faces: map[faceKey]font.Face{}}
	w.regular = parsed(f.Regular, goregular.TTF)
	if f.Bold == nil && f.Regular != nil {
		f.Bold = f.Regular
	}
	w.bold = parsed(f.Bold, gobold.TTF)
	return w
}

func parsed(ttf, instead []byte) *opentype.Font {
	if ttf != nil {
		if f, err := opentype.Parse(ttf); err == nil {
			return f
		}
	}
	f, err := opentype.Parse(instead)
	if err != nil {
		panic("the built-in font: " + err.Error())
	}
	return f
}

// face returns that of a size in pixels.
func (w *writer) face(size float64, bold bool) font.Face {
	key := faceKey{fixed.Int26_6(max(1, min(1000, size)) * 64), bold}
	if f, ok := w.faces[key]; ok {
		return f
	}
	if len(w.faces) >= mostFaces {
		clear(w.faces)
	}
	of := w.regular
	if bold {
		of = w.bold
	}
	// NewFace never fails.
	f, _ := opentype.NewFace(of, &opentype.FaceOptions{Size: float64(key.size) / 64, DPI: 72, Hinting: font.HintingNone})
	w.faces[key] = f
	return f
}

// knows says whether the font has a shape for each letter.
func (w *writer) knows(text string) bool {
	var buffer sfnt.Buffer
	for _, r := range text {
		if i, err := w.regular.GlyphIndex(&buffer, r); err != nil || i == 0 {
			return false
		}
	}
	return true
}

// width of a text in units, where a unit is k pixels.
func (w *writer) width(text string, size float64, bold bool, k float64) float64 {
	f := w.face(size*k, bold)
	sum := fixed.Int26_6(0)
	for _, r := range text {
		a, _ := f.GlyphAdvance(r)
		sum += a
	}
	return float64(sum) / 64 / k
}

// shortened is a text no wider than so much, with an ellipsis if it was.
func (w *writer) shortened(text string, size, width, k float64) string {
	if w.width(text, size, false, k) <= width {
		return text
	}
	for text != "" {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
		if short := strings.TrimRight(text, " ") + "…"; w.width(short, size, false, k) <= width {
			return short
		}
	}
	return ""
}

// align is which part of a text stands at its place: 0 its beginning, 0.5 its middle, 1 its end.
type align float64

const (
	left   align = 0
	middle align = 0.5
	right  align = 1
)

// pen is how a text is written.
type pen struct {
	size  float64
	bold  bool
	align align
	ink   color.NRGBA
}

// risen is how far above the baseline the middle of letters is, as a part of the size.
const risen = 0.35

// write paints a text whose letters have their middle at a height.
func (c *canvas) write(w *writer, text string, x, y float64, p pen) {
	f := w.face(p.size*c.k, p.bold)
	x -= w.width(text, p.size, p.bold, c.k) * float64(p.align)
	// On whole pixels of height, letters are sharp.
	at := fixed.Point26_6{X: fixed.Int26_6(x * c.k * 64), Y: fixed.I(int(math.Round((y + p.size*risen) * c.k)))}
	for _, r := range text {
		to, mask, from, advance, _ := f.Glyph(at, r)
		if m, ok := mask.(*image.Alpha); ok {
			c.stamp(to, m, from, p.ink)
		}
		at.X += advance
	}
}

// stamp paints through a mask.
func (c *canvas) stamp(to image.Rectangle, mask *image.Alpha, from image.Point, ink color.NRGBA) {
	b := to.Intersect(c.img.Rect)
	c.drawn = c.drawn.Union(b)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		i := c.img.PixOffset(b.Min.X, y)
		j := mask.PixOffset(from.X+b.Min.X-to.Min.X, from.Y+y-to.Min.Y)
		for x := b.Min.X; x < b.Max.X; x, i, j = x+1, i+4, j+1 {
			if a := int32(mask.Pix[j]); a > 0 {
				mix(c.img.Pix[i:], ink, a+a>>7)
			}
		}
	}
}
