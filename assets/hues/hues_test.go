package hues

import (
	"fmt"
	"image/color"
	"math"
	"testing"
)

// grounds are those of the Ring in the two themes.
var light, dark = color.NRGBA{0xf3, 0xf3, 0xe6, 255}, color.NRGBA{0x0b, 0x11, 0x0c, 255}

// linear is the light of a colour.
func linear(c color.NRGBA) (l [3]float64) {
	for i, v := range []uint8{c.R, c.G, c.B} {
		if x := float64(v) / 255; x <= 0.04045 {
			l[i] = x / 12.92
		} else {
			l[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return l
}

// contrast is that of WCAG 2.
func contrast(a, b color.NRGBA) float64 {
	of := func(c color.NRGBA) float64 {
		l := linear(c)
		return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2] + 0.05
	}
	return max(of(a), of(b)) / min(of(a), of(b))
}

// seen are what linear light becomes for who sees all colours, and for who lacks one of three (Machado et al., 2009).
var seen = map[string][9]float64{
	"all":          {1, 0, 0, 0, 1, 0, 0, 0, 1},
	"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
	"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
	"tritanopia":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
}

// as is a colour in Oklab as somebody sees it, in which distances are how different colours look.
func as(c color.NRGBA, m [9]float64) [3]float64 {
	in := linear(c)
	var v [3]float64
	for i := range v {
		v[i] = max(0, min(1, m[3*i]*in[0]+m[3*i+1]*in[1]+m[3*i+2]*in[2]))
	}
	l := math.Cbrt(0.4122214708*v[0] + 0.5363325363*v[1] + 0.0514459929*v[2])
	n := math.Cbrt(0.2119034982*v[0] + 0.6806995451*v[1] + 0.1073969566*v[2])
	s := math.Cbrt(0.0883024619*v[0] + 0.2817188376*v[1] + 0.6299787005*v[2])
	return [3]float64{
		0.2104542553*l + 0.7936177850*n - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*n + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*n - 0.8086757660*s,
	}
}

// Each colour is seen on its ground, and told from the others whatever colours somebody sees.
func TestShared(t *testing.T) {
	got := fmt.Sprint(Shared([]string{"es", "en", "ko", "de", "pt", "es"}))
	if want := "[[es ko es] [en] [de pt]]"; got != want {
		t.Errorf("Shared = %s, want %s", got, want)
	}
	if len(Shared(nil)) != 0 {
		t.Error("without languages there are groups")
	}
}

func TestColours(t *testing.T) {
	for name, theme := range map[string]struct {
		ground  color.NRGBA
		colours [Count]color.NRGBA
	}{"light": {light, Light()}, "dark": {dark, Dark()}} {
		for i, a := range theme.colours {
			if got := contrast(a, theme.ground); got < 3 {
				t.Errorf("%s colour %d has a contrast of %.2f, want 3", name, i, got)
			}
			for j, b := range theme.colours[:i] {
				for who, m := range seen {
					x, y := as(a, m), as(b, m)
					if far := math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2]); far < 0.075 {
						t.Errorf("%s colours %d and %d are %.3f apart for %s, want 0.075", name, j, i, far, who)
					}
				}
			}
		}
	}
}

// A language has one colour; English has one alone, and all others have some.
func TestOf(t *testing.T) {
	for code, want := range map[string]int{"en": 0, "es": 1, "de": 2, "zh": 6, "ko": 1, "pt": 2, "fi": 4, "haw": 3, "": -1, "other": -1} {
		if got := Of(code); got != want {
			t.Errorf("Of(%q) = %d, want %d", code, got, want)
		}
	}
	used := make(map[int]bool)
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			code := string(a) + string(b)
			if got := Of(code); got < 0 || got >= Count || got == 0 && code != "en" {
				t.Errorf("Of(%q) = %d", code, got)
			} else {
				used[got] = true
			}
		}
	}
	if len(used) != Count {
		t.Errorf("%d colours are used, want %d", len(used), Count)
	}
}
