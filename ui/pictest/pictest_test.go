package pictest

import (
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

var (
	paper = color.RGBA{0xf6, 0xf4, 0xee, 0xff}
	ink   = color.RGBA{0x30, 0x34, 0x30, 0xff}
	faint = color.RGBA{0x88, 0x88, 0x80, 0xff}
)

// line is a picture of a line of text.
func line(t *testing.T, text string, ink color.Color) *image.RGBA {
	t.Helper()
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 13, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(image.Rect(0, 0, 400, 300))
	draw.Draw(img, img.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	d := font.Drawer{Dst: img, Src: image.NewUniform(ink), Face: face, Dot: fixed.P(8, 150)}
	d.DrawString(text)
	return img
}

const text = "Pages from 15 Apr to 14 May: 19,503."

// A text with one letter changed is another picture.
func TestCompare_Letters(t *testing.T) {
	for _, ink := range []color.Color{ink, faint} {
		want := line(t, text, ink)
		if err := compare(line(t, text, ink), want); err != nil {
			t.Errorf("the same text differs: %v", err)
		}
		for _, other := range []string{
			strings.Replace(text, ",", ".", 1), strings.Replace(text, "3.", "8.", 1), strings.Replace(text, "to", "tc", 1), strings.Replace(text, ":", ";", 1),
			strings.TrimSuffix(text, "."), "",
		} {
			if compare(line(t, other, ink), want) == nil {
				t.Errorf("%q passes for %q", other, text)
			}
		}
	}
}

// Pixels that are a little different everywhere, or very different here and there, are the same picture.
func TestCompare_Rounding(t *testing.T) {
	want, got := line(t, text, ink), line(t, text, ink)
	for i := range got.Pix {
		if i%4 < 3 {
			got.Pix[i] -= uint8(i % 9)
		}
	}
	for x := 0; x < got.Rect.Max.X; x += tile {
		got.SetRGBA(x, 140, color.RGBA{0xff, 0, 0, 0xff})
	}
	if err := compare(got, want); err != nil {
		t.Error(err)
	}
	got.SetRGBA(1, 140, color.RGBA{0xff, 0, 0, 0xff})
	if compare(got, want) == nil {
		t.Error("two pixels side by side pass")
	}
	if compare(want.SubImage(image.Rect(0, 0, 400, 299)), want) == nil {
		t.Error("a picture that is cut off passes")
	}
}

func TestDrawn(t *testing.T) {
	night := image.NewRGBA(image.Rect(0, 0, 400, 300))
	draw.Draw(night, night.Rect, image.NewUniform(ink), image.Point{}, draw.Src)
	draw.Draw(night, image.Rect(10, 10, 60, 20), image.NewUniform(paper), image.Point{}, draw.Src)
	blank := line(t, "", ink)
	for _, c := range []struct {
		name string
		img  image.Image
		dark bool
		ok   bool
	}{
		{"a line", line(t, text, ink), false, true}, {"a line", line(t, text, ink), true, false},
		{"a patch at night", night, true, true}, {"a patch at night", night, false, false},
		{"nothing", blank, false, false}, {"nothing", image.NewRGBA(image.Rectangle{}), false, false},
	} {
		if err := drawn(c.img, c.dark); (err == nil) != c.ok {
			t.Errorf("%s, dark %v: %v", c.name, c.dark, err)
		}
	}
}

// said is a test that is told what is wrong.
type said struct {
	testing.TB
	wrong []string
}

func (s *said) Helper()                        {}
func (s *said) Errorf(format string, _ ...any) { s.wrong = append(s.wrong, format) }

// A drawing becomes the stored picture only on request.
func TestGolden(t *testing.T) {
	t.Chdir(t.TempDir())
	img := line(t, text, ink)
	s := &said{TB: t}
	if Golden(s, "a", img); len(s.wrong) != 1 {
		t.Errorf("without a stored picture it says %q", s.wrong)
	}
	if _, err := os.Stat(filepath.Join("testdata", "failed", "a.png")); err != nil {
		t.Errorf("what was drawn is lost: %v", err)
	}
	t.Setenv("FORAGE_UPDATE", "1")
	Golden(t, "a", img)
	t.Setenv("FORAGE_UPDATE", "")
	Golden(t, "a", img)
	if Golden(s, "a", line(t, "", ink)); len(s.wrong) != 2 {
		t.Errorf("of another picture it says %q", s.wrong)
	}
}
