package limits

import "testing"

func FuzzParseGrid(f *testing.F) {
	for _, s := range []string{"all full", "fri 22:00-06:00 full; sat gentle", "all full; mon-fri 09:00-17:30 off",
		"mon,wed 1:00-2:15 gentle", "sun-mon off;;", "all 24:00-00:00 full"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ParseGrid(text)
		if err != nil {
			return
		}
		for i, l := range g {
			if l > Full {
				t.Fatalf("%q: cell %d is %d", text, i, l)
			}
		}
		out := g.String()
		if len(out) > maxGridText {
			t.Fatalf("%q is written with %d bytes", text, len(out))
		}
		if again, err := ParseGrid(out); err != nil || again != g || again.String() != out {
			t.Fatalf("%q is written as %q, which is read as %q (%v)", text, out, again, err)
		}
	})
}

func FuzzGridText(f *testing.F) {
	f.Add([]byte{0, 1, 2, 2, 2, 0})
	f.Fuzz(func(t *testing.T, cells []byte) {
		var g Grid
		for i := range g {
			if len(cells) > 0 {
				g[i] = Level(cells[i%len(cells)] % 3)
			}
		}
		out := g.String()
		if again, err := ParseGrid(out); err != nil || again != g {
			t.Fatalf("%q is not read as what was written: %v", out, err)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"5 min", "1h30m", "2 d 4 h 1 min 3 s", "0 s", "9999999999 s", "5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDuration(text)
		if err != nil {
			return
		}
		if d < 0 || d > MaxDuration {
			t.Fatalf("ParseDuration(%q) = %v", text, d)
		}
		if again, err := ParseDuration(FormatDuration(d)); err != nil || again != d {
			t.Fatalf("%q is written as %q, which is read as %v (%v)", text, FormatDuration(d), again, err)
		}
	})
}
