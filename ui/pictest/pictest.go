// Package pictest judges pictures that tests draw. One picture of each view is stored and compared with; of its other
// variants it is judged that something is drawn, on the ground that belongs to them.
package pictest

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

const (
	// far is how much a channel of two pixels, 0 to 255, may differ. Edges of letters differ by less between
	// processors, whose arithmetic rounds differently; a letter in another place differs by more.
	far = 32
	// tile is the side of the squares that are compared, in pixels: about a letter.
	tile = 16
	// mostFar is how many pixels of a tile may differ by more than far. A full stop instead of a comma differs in two.
	mostFar = 1
	// blank is how many pixels there are for one that is not of the ground, in a picture that shows nothing.
	blank = 1000
)

// Golden compares a picture with testdata/name.png. Where they differ, what was drawn is left in testdata/failed. With
// FORAGE_UPDATE=1 in the environment it becomes the stored picture instead.
func Golden(t testing.TB, name string, got image.Image) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if os.Getenv("FORAGE_UPDATE") != "" {
		if err := write(path, got); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := read(path)
	if err == nil {
		err = compare(got, want)
	}
	if err != nil {
		failed := filepath.Join("testdata", "failed", name+".png")
		t.Errorf("%s is not what is drawn: %v; see %s, and accept it with FORAGE_UPDATE=1", path,
			errors.Join(err, write(failed, got)), failed)
	}
}

// Drawn fails the test if a picture shows nothing, or if its ground, the colour of most of its pixels, is not dark or
// light as it should be.
func Drawn(t testing.TB, img image.Image, dark bool) {
	t.Helper()
	if err := drawn(img, dark); err != nil {
		t.Error(err)
	}
}

func drawn(img image.Image, dark bool) error {
	pix := pixels(img).Pix
	all := len(pix) / 4
	count := map[[4]uint8]int{}
	var most [4]uint8
	for i := 0; i < all; {
		colour, from := [4]uint8(pix[4*i:]), i
		for i < all && [4]uint8(pix[4*i:]) == colour {
			i++
		}
		if count[colour] += i - from; count[colour] > count[most] {
			most = colour
		}
	}
	ground := color.RGBA{most[0], most[1], most[2], most[3]}
	if n := all - count[most]; n*blank <= all {
		return fmt.Errorf("the picture is blank: %d of %d pixels are not %v", n, all, ground)
	}
	if light := color.GrayModel.Convert(ground).(color.Gray).Y; (light < 128) != dark {
		return fmt.Errorf("the ground is %v, want dark: %v", ground, dark)
	}
	return nil
}

// compare says where a picture differs from what it should be.
func compare(got, want image.Image) error {
	if got.Bounds().Size() != want.Bounds().Size() {
		return fmt.Errorf("it is of %v, want %v", got.Bounds().Size(), want.Bounds().Size())
	}
	a, b := pixels(got), pixels(want)
	for y := 0; y < a.Rect.Max.Y; y += tile {
		for x := 0; x < a.Rect.Max.X; x += tile {
			at := image.Rect(x, y, x+tile, y+tile).Intersect(a.Rect)
			if n := farIn(a, b, at); n > mostFar {
				return fmt.Errorf("%d pixels differ by more than %d of 255 in %v", n, far, at)
			}
		}
	}
	return nil
}

// farIn counts the pixels in a rectangle that differ by more than far.
func farIn(a, b *image.RGBA, in image.Rectangle) (n int) {
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			at := a.PixOffset(x, y)
			for c := at; c < at+4; c++ {
				if d := int(a.Pix[c]) - int(b.Pix[c]); d > far || d < -far {
					n++
					break
				}
			}
		}
	}
	return n
}

// pixels returns a picture whose pixels begin at the origin.
func pixels(img image.Image) *image.RGBA {
	all := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	if img, ok := img.(*image.NRGBA); ok && img.Opaque() && img.Stride == all.Stride {
		copy(all.Pix, img.Pix) // much faster
		return all
	}
	draw.Draw(all, all.Rect, img, img.Bounds().Min, draw.Src)
	return all
}

func read(path string) (image.Image, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(data))
}

// write stores a picture with 5 bits of each channel, which nobody sees and which take 3 bytes of 5.
func write(path string, img image.Image) error {
	small := pixels(img)
	for i, v := range small.Pix {
		small.Pix[i] = v&^7 | v>>5
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, small); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
