package calls

import (
	"fmt"
	"testing"
	"time"
)

func TestOffences_ScoreHalvesEveryMinute(t *testing.T) {
	clock := newClock()
	o := newOffences(clock.now)
	// 60 a minute comes near 120, and would pass 100 with the second.
	for i, want := range []time.Duration{0, 0, 0, firstBan} {
		if got := o.add("p", "x", 60); got != want {
			t.Errorf("offence %d: banned for %v, want %v", i, got, want)
		}
		clock.advance(time.Minute)
		if i == 1 {
			clock.advance(time.Minute)
		}
	}
}

func TestOffences_BansDouble(t *testing.T) {
	clock := newClock()
	o := newOffences(clock.now)
	want := firstBan
	for i := range 12 {
		if got := o.add("p", "x", banScore+1); got != want {
			t.Fatalf("ban %d lasts %v, want %v", i, got, want)
		}
		if got := o.add("p", "x", banScore+1); got != 0 {
			t.Fatalf("banned again while banned")
		}
		clock.advance(want - 1)
		if !o.banned("p") {
			t.Fatalf("ban %d ended early", i)
		}
		clock.advance(1)
		if o.banned("p") {
			t.Fatalf("ban %d did not end", i)
		}
		want = min(2*want, longBan)
	}
	clock.advance(forgetBan)
	if got := o.add("p", "x", banScore+1); got != firstBan {
		t.Errorf("ban after a quiet day lasts %v, want %v", got, firstBan)
	}
}

func TestOffences_WeightNothingOnlyCounts(t *testing.T) {
	o := newOffences(newClock().now)
	for range 1000 {
		if o.add("p", "x", 0) != 0 || o.add("p", "y", -5) != 0 {
			t.Fatal("banned")
		}
	}
	if got := o.snapshot(); got["x"] != 1000 || got["y"] != 1000 {
		t.Errorf("counts %v", got)
	}
}

func TestOffences_AreBounded(t *testing.T) {
	o := newOffences(newClock().now)
	for i := range 3 * maxPeers {
		o.add(testPeer(i), fmt.Sprintf("what %d", i), 1)
		o.add(testPeer(i), "x", banScore)
	}
	if s, b, c := o.scores.Len(), o.bans.Len(), len(o.counts); s != maxPeers || b != maxPeers || c > maxOffences+1 {
		t.Errorf("%d scores, %d bans, %d counts", s, b, c)
	}
	if !o.banned(testPeer(3*maxPeers-1)) || o.banned(testPeer(0)) {
		t.Error("the oldest bans must go first")
	}
}

func TestMeter_CountsByKindAndClass(t *testing.T) {
	var m Meter
	m.Count(Work, 255, true, 10)
	m.Count(Work, 255, true, 5)
	m.Count(Control, 3, false, 7)
	m.Count(Control, 4, false, 0)
	m.Count(99, 3, false, 7)
	got := fmt.Sprintf("%+v", m.Snapshot())
	want := fmt.Sprintf("%+v", []Traffic{
		{Class: Control, Kind: 3, Received: 1, ReceivedBytes: 7},
		{Class: Work, Kind: 255, Sent: 2, SentBytes: 15},
	})
	if got != want {
		t.Errorf("Snapshot() = %s, want %s", got, want)
	}
}

func TestRegister_RefusesNonsense(t *testing.T) {
	n := newNode(t, newHost(t))
	n.Register(1, echo())
	for name, spec := range map[string]Spec{
		"taken":      echo(),
		"no name":    {},
		"class":      {Name: "x", Class: classes},
		"too large":  {Name: "x", MaxReply: MaxBody + 1},
		"negative":   {Name: "x", MaxRequest: -1},
		"no request": {Name: "x", Rate: -1},
	} {
		kind := Kind(2)
		if name == "taken" {
			kind = 1
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: registered", name)
				}
			}()
			n.Register(kind, spec)
		}()
	}
}

func TestCleanText(t *testing.T) {
	for in, want := range map[string]string{
		"plain":               "plain",
		"a\x00b\r\nc\u202ed":  "abcd",
		"bad \xff utf8":       "bad  utf8",
		"zero\u200bwidth\x7f": "zerowidth",
		"line\u2028sep":       "linesep",
	} {
		if got := cleanText(in); got != want {
			t.Errorf("cleanText(%q) = %q, want %q", in, got, want)
		}
	}
}
