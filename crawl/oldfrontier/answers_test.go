package frontier

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// said makes answers from a text: "." is a good answer, "x" one that failed, "r" the failure of a retry; each is of the page
// at its place, modulo pages.
func said(text string, pages int) (a answers) {
	for i, c := range text {
		a.add(fmt.Sprintf("/%d", i%pages), c != '.', c == 'r')
	}
	return a
}

func TestAnswers_Trouble(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	good := func(n int) string { return strings.Repeat(".", n) }
	for _, c := range []struct {
		name  string
		said  string
		pages int
		want  bool
	}{
		{"never asked", "", 1, false},
		{"one page failed", "x", 1, false},
		{"19 pages, all failed", x(19), 1000, false},
		{"20 pages, all failed", x(20), 1000, true},
		{"20 answers of 19 pages", x(20), 19, false},
		{"100 answers of 7 pages", x(100), 7, false},
		{"retries fill what few pages leave", x(20) + strings.Repeat("r", 30), 20, true},
		{"one good page, 34 broken", "." + x(34), 1000, false},
		{"one good page, 49 broken", "." + x(49), 1000, true},
		{"one good page, 60 broken", "." + x(60), 1000, true},
		{"nine in ten of fifty", good(5) + x(45), 1000, true},
		{"one less", good(6) + x(44), 1000, false},
		{"a good page in ten", strings.Repeat(x(9)+".", 10), 1000, true},
		{"a good page in nine", strings.Repeat(x(8)+".", 10), 1000, false},
		{"was well for long, fails for 44", good(500) + x(44), 1000, false},
		{"was well for long, fails for 45", good(500) + x(45), 1000, true},
		{"broken pages are tried over and over", good(40) + x(60)[:10] + strings.Repeat("r", 500), 1000, false},
		{"60 broken among 61 good, retries behind", strings.Repeat(".x", 60) + "." + strings.Repeat("r", 120), 1000, false},
		{"is well again", x(100) + good(6), 1000, false},
	} {
		a := said(c.said, c.pages)
		if got := a.inTrouble(); got != c.want || !a.valid() {
			t.Errorf("%s: in trouble is %v, valid %v, want %v; %d of %d failed", c.name, got, a.valid(), c.want, a.failed(), a.len())
		}
	}
}

// They are the last fifty, whatever came before.
func TestAnswers_AreTheLastFifty(t *testing.T) {
	tail := strings.Repeat("x.xx.", answersKept/5)
	want := said(tail, 1000)
	var got answers
	for i, c := range strings.Repeat(".x", 77) + tail {
		got.add(fmt.Sprintf("/%d", i-2*77), c != '.', false)
		if !got.valid() {
			t.Fatalf("after %d answers: %+v", i+1, got)
		}
	}
	if got.Bits != want.Bits || !slices.Equal(got.Failed, want.Failed) {
		t.Errorf("%b %x, want %b %x", got.Bits, got.Failed, want.Bits, want.Failed)
	}
}

// Records are copied; adding to one must not change another.
func TestAnswers_CopyIsItsOwn(t *testing.T) {
	a := said("xxx", 3)
	a.Failed = slices.Grow(a.Failed, 64)
	b, c := a, a
	b.add("/b", true, false)
	c.add("/c", true, false)
	if slices.Equal(b.Failed, c.Failed) {
		t.Errorf("two copies have the pages %x", b.Failed)
	}
}

func TestAnswers_FromOthers(t *testing.T) {
	for _, c := range []struct {
		a    answers
		want bool
	}{
		{answers{}, true},
		{badAnswers(), true},
		{answers{Bits: 1}, true},
		{answers{Bits: 1 << 51}, false},
		{answers{Bits: 1<<64 - 1}, false},
		{answers{Bits: 0b111, Failed: make([]byte, 2)}, false},
		{answers{Failed: make([]byte, 2)}, false},
		{answers{Bits: 0b11, Failed: make([]byte, 1)}, false},
	} {
		if got := c.a.valid(); got != c.want {
			t.Errorf("%b with %d bytes: valid is %v, want %v", c.a.Bits, len(c.a.Failed), got, c.want)
		}
		c.a.add("/x", true, false) // must not panic
		c.a.inTrouble()
	}
}
