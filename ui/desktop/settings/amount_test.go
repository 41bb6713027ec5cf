package settings

import (
	"testing"
)

func TestSplitSize(t *testing.T) {
	for text, want := range map[string]amount{
		"20 GB": {"20", "GB"}, "1.5 GiB": {"1.5", "GiB"}, "500mb": {"500", "MB"}, "0": {"0", "GB"},
		"1000": {"1000", "B"}, "1,5 GB": {"1,5", "GB"},
		"many": {"many", "GB"}, "many MB": {"many", "MB"}, "": {"", "GB"}, " MB": {"", "MB"},
	} {
		if got := splitSize(text); got != want {
			t.Errorf("splitSize(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSplitTime(t *testing.T) {
	for text, want := range map[string]amount{
		"5 min": {"5", "min"}, "5m": {"5", "min"}, "90 s": {"90", "s"}, "1 h 30 min": {"90", "min"},
		"2d": {"2", "d"}, "soon h": {"soon", "h"},
		"": {"", "s"}, "soon": {"soon", "s"}, "hours min": {"hours", "min"},
		"99999999999999999999 s": {"99999999999999999999", "s"},
	} {
		if got := splitTime(text); got != want {
			t.Errorf("splitTime(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSizeBytes(t *testing.T) {
	for text, want := range map[string]int64{"20 GB": 20e9, "1.5 GiB": 3 << 29, "500mb": 500e6, "-1": -1, "0": 0,
		"1000": 1000, "7 kB": 7000} {
		if got, ok := SizeBytes(text); !ok || got != want {
			t.Errorf("sizeBytes(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "many", "1,5 GB", "NaN GB", "1e99 TB"} {
		if got, ok := SizeBytes(text); ok {
			t.Errorf("sizeBytes(%q) = %d", text, got)
		}
	}
}

// What is taken apart and joined again is the same amount.
func FuzzAmount(f *testing.F) {
	for _, text := range []string{"20 GB", "1 h 30 min", "-1", "5m", "abc", "1,5 GB"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if size, ok := SizeBytes(text); ok {
			if again, ok := SizeBytes(splitSize(text).String()); size > 0 && (!ok || again != size) {
				t.Errorf("%q is %d bytes, and %q then %d", text, size, splitSize(text), again)
			}
		}
		if total, _, ok := timeSum(text); ok {
			if again, _, ok := timeSum(splitTime(text).String()); !ok || again != total {
				t.Errorf("%q is %d seconds, and %q then %d", text, total, splitTime(text), again)
			}
		}
	})
}
