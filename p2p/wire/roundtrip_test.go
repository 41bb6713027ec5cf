package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

func TestMessages_ComeBackAsTheyWere(t *testing.T) {
	for name, m := range messages(t) {
		raw := Encode(m)
		got, err := decodeAs(m, raw)
		if err != nil {
			t.Errorf("%s: Decode = %v", name, err)
			continue
		}
		if again := Encode(got); !bytes.Equal(again, raw) {
			t.Errorf("%s: encoded again as % x, want % x", name, again, raw)
		}
		if name != "links" && !reflect.DeepEqual(got, m) { // an empty list is nil or not
			t.Errorf("%s: Decode = %+v, want %+v", name, got, m)
		}
	}
}

func TestLease_ComesBackAsItWas(t *testing.T) {
	want := someLease(t)
	w := LeaseOf(want)
	got, err := w.Lease()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Lease() = %+v, %v, want %+v", got, err, want)
	}
}

func TestOutcome_ComesBackAsItWas(t *testing.T) {
	want := someOutcome(t)
	w := OutcomeOf(want)
	want.Task.Depth = 0
	got, size, err := w.Outcome(MaxReportBytes)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Outcome() = %+v, %v, want %+v", got, err, want)
	}
	bytes := 0
	for _, l := range want.Outlinks {
		bytes += len(l.URL.String())
	}
	if size != bytes {
		t.Errorf("the links take %d bytes, want %d", size, bytes)
	}
}

func TestLinks_ComeBackAsTheyWere(t *testing.T) {
	want := someLinks(t)
	got, err := LinksOf("a.example", 1, want).Parse()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Parse() = %+v, %v, want %+v", got, err, want)
	}
}

// A page of more links than a message holds is an honest one: the first go.
func TestOutcome_OfAnEndlessPageStaysWithinItsBounds(t *testing.T) {
	for _, length := range []int{30, 2000} {
		o := crawl.Outcome{Result: crawl.Fetched}
		for i := range 10_000 {
			u := fmt.Sprintf("https://a.example/%06d/%s", i, strings.Repeat("x", length-25))
			o.Outlinks = append(o.Outlinks, crawl.Outlink{URL: mustURL(t, u), Depth: 1, Priority: crawl.PriorityNormal})
		}
		m := &Report{Lease: 1, Domain: "a.example", Outcomes: []Outcome{OutcomeOf(o)}}
		raw := Encode(m)
		if len(raw) > 1<<20 {
			t.Errorf("links of %d bytes: a report of %d bytes", length, len(raw))
		}
		got, err := Decode[Report](raw)
		if err != nil {
			t.Fatal(err)
		}
		out, size, err := got.Outcomes[0].Outcome(MaxReportBytes)
		if err != nil || len(out.Outlinks) < 350 || size > crawl.MaxOutlinkBytes {
			t.Errorf("links of %d bytes: %d links of %d bytes in all, %v", length, len(out.Outlinks), size, err)
		}
	}
}

func TestLease_OfTheLargestTasksFitsIntoAnAnswer(t *testing.T) {
	l := someLease(t)
	l.Tasks = nil
	for i := range MaxTasks {
		u := mustURL(t, fmt.Sprintf("https://a.example/%d%s", 1000+i,
			strings.Repeat(string(rune('a'+i%26)), crawl.MaxURL-22)))
		l.Tasks = append(l.Tasks, crawl.Task{ID: crawl.TaskID(fmt.Sprint(i, strings.Repeat("i", MaxRef-4))), URL: u,
			Attempts: 9,
			Prior: &crawl.Prior{Date: day, ETag: strings.Repeat("e", crawl.MaxValidator),
				LastModified: strings.Repeat("m", crawl.MaxValidator)}})
	}
	w := LeaseOf(l)
	raw := Encode(&w)
	if len(raw) > 480<<10 {
		t.Errorf("the largest lease takes %d bytes", len(raw))
	}
	m, err := Decode[Lease](raw)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Lease(); err != nil || len(got.Tasks) != MaxTasks {
		t.Errorf("Lease() of %d tasks, %v", len(got.Tasks), err)
	}
}

func TestOutcome_TextsDeceiveNoTerminal(t *testing.T) {
	w := Outcome{Result: crawl.Failed, Reason: "\x1b[2Jno\r\nanswer", Title: "a\u202eb\x00c\u2028d\x9be"}
	o, _, err := w.Outcome(0)
	if err != nil || o.Reason != "[2Jnoanswer" || o.Title != "abcde" {
		t.Errorf("Outcome() = %q, %q, %v", o.Reason, o.Title, err)
	}
}
