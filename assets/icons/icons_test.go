package icons

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"testing"
)

func decode(t *testing.T, data []byte) *image.NRGBA {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewNRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, image.Point{}, draw.Src)
	return out
}

func TestApp_IsAPNG(t *testing.T) {
	if got := decode(t, App()).Bounds(); got != image.Rect(0, 0, 256, 256) {
		t.Errorf("App() has the bounds %v, want 256 by 256", got)
	}
}

func TestTray_HasEveryState(t *testing.T) {
	for _, state := range []State{Working, Waiting, Paused, Problem, Problem + 1} {
		for _, goos := range []string{"linux", "freebsd", "darwin"} {
			if got := decode(t, Tray(state, goos)).Bounds().Dx(); got != 44 {
				t.Errorf("Tray(%s, %s) is %d pixels wide, want 44", state, goos, got)
			}
		}
		sizes := icoSizes(t, Tray(state, "windows"))
		if want := []int{16, 20, 24, 32, 48}; len(sizes) != len(want) || sizes[0] != 16 {
			t.Errorf("the icon for Windows of %s has the sizes %v, want %v", state, sizes, want)
		}
	}
	if !bytes.Equal(Tray(Problem+1, "linux"), Tray(Problem, "linux")) {
		t.Error("what is no state does not look like a problem")
	}
}

// icoSizes returns the sizes of the images of an ICO, and makes sure that its parts lie within it.
func icoSizes(t *testing.T, data []byte) (sizes []int) {
	t.Helper()
	le := binary.LittleEndian
	if len(data) < 6 || le.Uint16(data) != 0 || le.Uint16(data[2:]) != 1 {
		t.Fatal("no icon of Windows")
	}
	next := 6 + 16*int(le.Uint16(data[4:]))
	for i := range int(le.Uint16(data[4:])) {
		entry := data[6+16*i:]
		length, at := int(le.Uint32(entry[8:])), int(le.Uint32(entry[12:]))
		if at != next || at+length > len(data) || int(le.Uint32(data[at+4:])) != int(entry[0]) {
			t.Fatalf("image %d is said to be at %d, %d bytes long", i, at, length)
		}
		next = at + length
		sizes = append(sizes, int(entry[0]))
	}
	if next != len(data) {
		t.Errorf("the images end at %d of %d bytes", next, len(data))
	}
	return sizes
}

// On a panel of any colour, the outline of every icon of the tray stands out, and no two have the same one.
func TestTray_SeenOnEveryPanel(t *testing.T) {
	var seen []*image.NRGBA
	for _, state := range []State{Working, Waiting, Paused, Problem} {
		img := decode(t, Tray(state, "linux"))
		for _, panel := range []color.Gray{{0}, {0x24}, {0x80}, {0xc0}, {0xf0}, {0xff}} {
			if got := edge(img, panel); got < 3 {
				t.Errorf("%s on a panel of %d has a contrast of %.1f, want 3", state, panel.Y, got)
			}
		}
		for i, other := range seen {
			if d := shapesDiffer(img, other); d < 0.12 {
				t.Errorf("%s and %s differ in %.0f %% of their shapes only", state, State(i), 100*d)
			}
		}
		seen = append(seen, img)
	}
}

// edge is the greater contrast of the two lines around an icon, as WCAG counts it.
func edge(img *image.NRGBA, panel color.Gray) float64 {
	var best float64
	middle := img.Bounds().Dy() / 2
	for x := range img.Bounds().Dx() {
		c := img.NRGBAAt(x, middle)
		if c.A > 200 {
			a, b := luminance(c), luminance(color.NRGBA{panel.Y, panel.Y, panel.Y, 255})
			best = max(best, (max(a, b)+0.05)/(min(a, b)+0.05))
		}
		if best > 0 && c.A > 200 && x > 8 {
			break // the lines are passed
		}
	}
	return best
}

func luminance(c color.NRGBA) float64 {
	part := func(v uint8) float64 { return math.Pow((float64(v)/255+0.055)/1.055, 2.4) }
	return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
}

// shapesDiffer is the share of all pixels that one icon covers and another does not.
func shapesDiffer(a, b *image.NRGBA) float64 {
	differ := 0
	for i := 3; i < len(a.Pix); i += 4 {
		if (a.Pix[i] > 127) != (b.Pix[i] > 127) {
			differ++
		}
	}
	return float64(differ) / float64(len(a.Pix)/4)
}
