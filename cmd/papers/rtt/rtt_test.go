package rtt

import (
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const square = "0 1.5 3\n1.5\t0 2\n\n3 2 0\n"

func TestFind_ReadsFirstOfDirectory(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(square)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	for name, content := range map[string][]byte{"PlanetLabData_1.gz": packed.Bytes(), "PlanetLabData_2": []byte("0"), "README": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "PlanetLabData_1" || m.Len() != 3 || m.At(0, 2) != 3 || m.At(1, 0) != 1.5 {
		t.Errorf("got %+v", m)
	}
	plain, err := Read(strings.NewReader(square))
	if err != nil || plain.Sum != m.Sum {
		t.Errorf("plain and packed figures have sums %x and %x, %v", plain.Sum, m.Sum, err)
	}
	if _, err := Find(t.TempDir()); err == nil {
		t.Error("an empty directory has round trips")
	}
}

func TestRead_RefusesWhatIsNoMatrix(t *testing.T) {
	for _, text := range []string{"", "0 1\n", "0 1\n1 0 2\n", "0 x\n1 0\n", "0 -1\n1 0\n", "0 NaN\n1 0\n", "0 1e9\n1 0\n", "\x1f\x8b"} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(square))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		for i := range m.Len() {
			for j := range m.Len() {
				if ms := m.At(i, j); !(ms >= 0) || math.IsInf(ms, 0) {
					t.Fatalf("%v ms", ms)
				}
			}
		}
	})
}

func TestGenerate_FollowsFromSeed(t *testing.T) {
	a, b, c := Generate(40, 1), Generate(40, 1), Generate(40, 2)
	if a.At(3, 17) != b.At(3, 17) || a.At(3, 17) == c.At(3, 17) || a.At(3, 17) != a.At(17, 3) || a.At(5, 5) != 0 {
		t.Error("generated round trips do not follow from the seed alone")
	}
}

func TestFigures(t *testing.T) {
	f := []float64{4, 1, 3, 2}
	if Median(f) != 2.5 || Quantile(f, 1) != 4 || Mean(f) != 2.5 || Total(f) != 10 || f[0] != 4 {
		t.Errorf("median %v, most %v, mean %v of %v", Median(f), Quantile(f, 1), Mean(f), f)
	}
}
