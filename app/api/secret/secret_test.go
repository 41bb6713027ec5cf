package secret

import "testing"

func TestNew(t *testing.T) {
	a, b := New(16), New(16)
	if len(a) != 32 || !IsHex(a) || a == b {
		t.Errorf("New(16) = %q, then %q", a, b)
	}
}

func TestDigest(t *testing.T) {
	d := Of("open sesame")
	if again, err := Parse(d.String()); err != nil || !again.Is(d) {
		t.Errorf("Parse(%s) = %s, %v", d, again, err)
	}
	if d.Is(Of("open sesam")) {
		t.Error("another secret has the same digest")
	}
	for _, text := range []string{"", "00", d.String() + "00", "g" + d.String()[1:]} {
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %s", text, got)
		}
	}
}

func TestIsHex(t *testing.T) {
	for text, want := range map[string]bool{"": false, "0": true, "09af": true, "0G": false, "A": false, "é": false} {
		if got := IsHex(text); got != want {
			t.Errorf("IsHex(%q) = %v", text, got)
		}
	}
}
