package robots

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/crawl"
)

func TestRecord_Fresh(t *testing.T) {
	rules := Record{Class: ClassRules, Fetched: noon}
	none := Record{Class: ClassAllowAll, Fetched: noon}
	down := Record{Class: ClassUnreachable, Fetched: noon, NextTry: noon.Add(time.Hour)}
	brief := Record{Class: ClassRules, Fetched: noon, Lifetime: time.Hour}
	eternal := Record{Class: ClassRules, Fetched: noon, Lifetime: 1e6 * time.Hour}
	absurd := Record{Class: ClassUnreachable, Fetched: noon, NextTry: noon.Add(1e6 * time.Hour)}
	for _, c := range []struct {
		name   string
		record Record
		after  time.Duration
		want   bool
	}{
		{"rules", rules, 0, true}, {"rules", rules, 24*time.Hour - 1, true}, {"rules", rules, 24 * time.Hour, false},
		{"none", none, 24*time.Hour - 1, true}, {"none", none, 24 * time.Hour, false},
		{"brief", brief, time.Hour - 1, true}, {"brief", brief, time.Hour, false}, {"eternal", eternal, 24 * time.Hour, false},
		{"down", down, time.Hour - 1, true}, {"down", down, time.Hour, false},
		{"absurd", absurd, time.Hour, true}, {"absurd", absurd, 24 * time.Hour, false},
		{"rules from the future", rules, -1, false}, {"down in the future", down, -time.Hour, false},
		{"zero", Record{}, 0, false}, {"unknown class", Record{Class: 9, Fetched: noon}, 0, false},
	} {
		if got := c.record.Fresh(noon.Add(c.after)); got != c.want {
			t.Errorf("%s after %v: fresh %v, want %v", c.name, c.after, got, c.want)
		}
		v, wait := c.record.Verdict(noon.Add(c.after), &Rules{}, pageOf(t, "/"))
		if !c.want && (v != Deferred || wait != 0) {
			t.Errorf("%s after %v: verdict %d, wait %v, want it deferred for a new record", c.name, c.after, v, wait)
		}
	}
}

func TestRecord_Binary(t *testing.T) {
	for _, want := range []Record{
		{Class: ClassRules, Fetched: noon, Status: 200, Body: condense([]byte(allBut), crawl.URL{})},
		{Class: ClassAllowAll, Fetched: noon, Status: 404},
		{Class: ClassAllowAll, Fetched: noon, Status: 404, Lifetime: 90 * time.Minute},
		{Class: ClassUnreachable, Fetched: noon, Failures: 255, NextTry: noon.Add(time.Hour)},
		{Class: ClassRules, Fetched: noon, Status: 200, Body: bytes.Repeat([]byte("x"), MaxBody)},
	} {
		data, err := want.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var got Record
		if err := got.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if !sameRecord(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func sameRecord(a, b Record) bool {
	return a.Class == b.Class && a.Fetched.Equal(b.Fetched) && a.Failures == b.Failures && a.NextTry.Equal(b.NextTry) &&
		a.Status == b.Status && a.Lifetime == b.Lifetime && bytes.Equal(a.Body, b.Body)
}

func TestRecord_RefusesNonsense(t *testing.T) {
	for _, r := range []Record{
		{}, {Class: 4}, {Class: ClassRules, Status: -1}, {Class: ClassRules, Status: 1000},
		{Class: ClassRules, Lifetime: -time.Second}, {Class: ClassRules, Lifetime: 25 * time.Hour},
		{Class: ClassRules, Body: make([]byte, MaxBody+1)},
	} {
		if _, err := r.MarshalBinary(); !errors.Is(err, ErrRecord) {
			t.Errorf("MarshalBinary of class %d, status %d: error %v, want ErrRecord", r.Class, r.Status, err)
		}
	}
	long, err := cbor.Marshal(record{Class: 1, Body: make([]byte, MaxBody+1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{
		nil, {}, {0xf6}, {0xa0}, []byte("text"), {0xa1, 1, 9}, {0xbf, 1, 1, 0xff}, {0xa2, 1, 1, 1, 2}, {0xa1, 1, 1, 0}, long,
		make([]byte, maxRecord+1),
	} {
		r := Record{Status: 42}
		if err := r.UnmarshalBinary(data); !errors.Is(err, ErrRecord) || r.Status != 42 {
			t.Errorf("UnmarshalBinary(%.20x) = %v, left %+v", data, err, r)
		}
	}
}

func FuzzRecord(f *testing.F) {
	seed, err := Record{Class: ClassUnreachable, Fetched: noon, Failures: 3, NextTry: noon, Status: 503, Body: []byte("user-agent:*\n")}.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		var r Record
		if r.UnmarshalBinary(data) != nil {
			return
		}
		again, err := r.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var s Record
		if err := s.UnmarshalBinary(again); err != nil || !sameRecord(r, s) {
			t.Errorf("%+v came back as %+v, %v", r, s, err)
		}
		if v, wait := r.Verdict(noon, r.Rules(), pageOf(t, "/")); v == Allowed && r.Class == ClassUnreachable || wait < 0 || wait > 24*time.Hour {
			t.Errorf("verdict %d, wait %v of %+v", v, wait, r)
		}
	})
}
