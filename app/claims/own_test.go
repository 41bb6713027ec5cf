package claims

import "testing"

func TestOwnBytes_AreLeftOutAndNothingIsTakenBack(t *testing.T) {
	var b ownBytes
	for i, c := range []struct{ received, sent, own, ownSent, want, wantSent int64 }{
		{100, 10, 0, 0, 100, 10},
		{160, 16, 0, 0, 160, 16}, // sixty of them under way from a site of the user's
		{160, 16, 60, 6, 160, 16},
		{180, 18, 0, 0, 160, 16}, // what was counted too much is not counted now
		{260, 26, 0, 0, 200, 20},
	} {
		b.add(c.own, c.ownSent)
		if r, s := b.without(c.received, c.sent); r != c.want || s != c.wantSent {
			t.Errorf("step %d: %d and %d bytes of others, want %d and %d", i, r, s, c.want, c.wantSent)
		}
	}
}
