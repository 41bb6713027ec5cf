package paint

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

// Writer paints text.
type Writer struct {
	regular, bold *opentype.Font
	faces         map[faceKey]font.Face
}

type faceKey struct {
	// size is in 64ths of a pixel.
	size fixed.Int26_6
	bold bool
}

// NewWriter returns a writer of fonts.
func NewWriter(f Fonts) *Writer {
	w := &Writer{faces: map[faceKey]font.Face{}}
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
func (w *Writer) face(size float64, bold bool) font.Face {
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
	f, _ := opentype.NewFace(of, &opentype.FaceOptions{Size: float64(key.size) / 64, DPI: 72,
		Hinting: font.HintingNone})
	w.faces[key] = f
	return f
}

// Knows says whether the font has a shape for each letter.
func (w *Writer) Knows(text string) bool {
	var buffer sfnt.Buffer
	for _, r := range text {
		if i, err := w.regular.GlyphIndex(&buffer, r); err != nil || i == 0 {
			return false
		}
	}
	return true
}

// Width of a text in units, where a unit is k pixels.
func (w *Writer) Width(text string, size float64, bold bool, k float64) float64 {
	f := w.face(size*k, bold)
	sum := fixed.Int26_6(0)
	for _, r := range text {
		a, _ := f.GlyphAdvance(r)
		sum += a
	}
	return float64(sum) / 64 / k
}

// Shortened is a text no wider than so much, with an ellipsis if it was.
func (w *Writer) Shortened(text string, size, width, k float64) string {
	if w.Width(text, size, false, k) <= width {
		return text
	}
	for text != "" {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
		if short := strings.TrimRight(text, " ") + "…"; w.Width(short, size, false, k) <= width {
			return short
		}
	}
	return ""
}

// Align is which part of a text stands at its place: 0 its beginning, 0.5 its middle, 1 its end.
type Align float64

// The alignments.
const (
	Left   Align = 0
	Middle Align = 0.5
	Right  Align = 1
)

// Pen is how a text is written.
type Pen struct {
	Size  float64
	Bold  bool
	Align Align
	Ink   color.NRGBA
}

// risen is how far above the baseline the middle of letters is, as a part of the size.
const risen = 0.35

// Write paints a text whose letters have their middle at a height.
func (c *Canvas) Write(w *Writer, text string, x, y float64, p Pen) {
	f := w.face(p.Size*c.K, p.Bold)
	x -= w.Width(text, p.Size, p.Bold, c.K) * float64(p.Align)
	// On whole pixels of height, letters are sharp.
	at := fixed.Point26_6{X: fixed.Int26_6(x * c.K * 64), Y: fixed.I(int(math.Round((y + p.Size*risen) * c.K)))}
	for _, r := range text {
		to, mask, from, advance, _ := f.Glyph(at, r)
		if m, ok := mask.(*image.Alpha); ok {
			c.stamp(to, m, from, p.Ink)
		}
		at.X += advance
	}
}

// stamp paints through a mask.
func (c *Canvas) stamp(to image.Rectangle, mask *image.Alpha, from image.Point, ink color.NRGBA) {
	b := to.Intersect(c.Img.Rect)
	c.Drawn = c.Drawn.Union(b)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		i := c.Img.PixOffset(b.Min.X, y)
		j := mask.PixOffset(from.X+b.Min.X-to.Min.X, from.Y+y-to.Min.Y)
		for x := b.Min.X; x < b.Max.X; x, i, j = x+1, i+4, j+1 {
			if a := int32(mask.Pix[j]); a > 0 {
				Mix(c.Img.Pix[i:], ink, a+a>>7)
			}
		}
	}
}
