package draw

import (
	"bytes"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the icons as they are drawn now")

// The icons in the directory above are what package draw draws.
func TestFiles_AreDrawn(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		for name, data := range files {
			if err := os.WriteFile(filepath.Join("..", name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Error(err)
			continue
		}
		if !same(t, name, got, want) {
			t.Errorf("%s is not as it is drawn now: go generate ./assets/icons", name)
		}
	}
	for _, pattern := range []string{"*.png", "*.svg", "*.ico"} {
		there, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range there {
			if _, ok := files[filepath.Base(name)]; !ok {
				t.Errorf("%s is drawn by nobody", name)
			}
		}
	}
}

// same compares pictures by their pixels, since a later Go may pack them better, and allows for a processor that rounds in
// another way.
func same(t *testing.T, name string, got, want []byte) bool {
	if !strings.HasSuffix(name, ".png") {
		return closeTo(got, want)
	}
	a, b := decode(t, got), decode(t, want)
	return a.Bounds() == b.Bounds() && closeTo(a.Pix, b.Pix)
}

// closeTo reports whether no byte differs by more than 1.
func closeTo(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if d := int(a[i]) - int(b[i]); d < -1 || d > 1 {
			return false
		}
	}
	return true
}

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

// Another program draws the SVG as package draw does.
func TestSVG_LooksAsDrawn(t *testing.T) {
	tool, err := exec.LookPath("rsvg-convert")
	if err != nil {
		t.Skip("rsvg-convert is not installed")
	}
	data, err := exec.Command(tool, "-w", "256", "-h", "256", "../forage.svg").Output()
	if err != nil {
		t.Fatal(err)
	}
	got, want := decode(t, data), App(256)
	far := 0
	for i := 0; i < len(want.Pix); i += 4 {
		if got.Pix[i+3] < 250 || want.Pix[i+3] < 250 {
			continue // the edge, which each renders in its way
		}
		for k := range 3 {
			if d := int(got.Pix[i+k]) - int(want.Pix[i+k]); d < -24 || d > 24 {
				far++
				break
			}
		}
	}
	if share := float64(far) / (256 * 256); share > 0.004 {
		t.Errorf("%.2f %% of all pixels are of another colour", 100*share)
	}
}
