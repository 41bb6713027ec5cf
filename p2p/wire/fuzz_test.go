package wire

import (
	"bytes"
	"errors"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// fuzzMessage finds bytes that a message of a type is read from but not written
// to, or that read it without an error of the protocol.
func fuzzMessage[M any, P Pointer[M]](f *testing.F, seeds ...string) {
	all := messages(f)
	for _, name := range seeds {
		f.Add(Encode(all[name]))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Decode[M, P](raw)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("Decode = %v, want ErrInvalid", err)
			}
			return
		}
		first := Encode(P(&m))
		again, err := Decode[M, P](first)
		if err != nil {
			t.Fatalf("what was decoded is not decoded again: %v", err)
		}
		if second := Encode(P(&again)); !bytes.Equal(first, second) {
			t.Fatalf("encoded as % x and then as % x", first, second)
		}
	})
}

func FuzzAsk(f *testing.F)     { fuzzMessage[Ask](f, "ask") }
func FuzzLease(f *testing.F)   { fuzzMessage[Lease](f, "lease") }
func FuzzReport(f *testing.F)  { fuzzMessage[Report](f, "report") }
func FuzzLinks(f *testing.F)   { fuzzMessage[Links](f, "links") }
func FuzzSync(f *testing.F)    { fuzzMessage[Sync](f, "sync") }
func FuzzPing(f *testing.F)    { fuzzMessage[Ping](f, "ping") }
func FuzzProbe(f *testing.F)   { fuzzMessage[Probe](f, "probe") }
func FuzzKeeping(f *testing.F) { fuzzMessage[Keeping](f, "keeping") }
func FuzzWhyAsk(f *testing.F)  { fuzzMessage[WhyAsk](f, "whyask") }
func FuzzWhy(f *testing.F)     { fuzzMessage[WhyAnswer](f, "why") }
func FuzzProbed(f *testing.F)  { fuzzMessage[Probed](f, "probed") }
func FuzzVouch(f *testing.F)   { fuzzMessage[Vouch](f, "vouch") }
func FuzzVouched(f *testing.F) { fuzzMessage[Vouched](f, "vouched") }
func FuzzSign(f *testing.F)    { fuzzMessage[Sign](f, "sign") }

// checkCanonical finds a URL that is not as the crawl writes it.
func checkCanonical(t *testing.T, u crawl.URL) {
	t.Helper()
	again, err := crawl.ParseURL(u.String())
	if err != nil || again != u || len(u.String()) > crawl.MaxURL {
		t.Fatalf("URL %q of %d bytes is %q, %v", u, len(u.String()), again, err)
	}
}

func FuzzParseLinks(f *testing.F) {
	f.Add(AppendLinks(nil, 3, someLinks(f)), uint8(3))
	f.Add([]byte{2, 0, 0, 1, 'a', 0, 1, 0}, uint8(0))
	f.Fuzz(func(t *testing.T, raw []byte, depth uint8) {
		const limit, most = 300, 20_000
		got, err := ParseLinks(raw, depth, limit, most)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("ParseLinks = %v, want ErrInvalid", err)
			}
			return
		}
		size := 0
		for _, l := range got {
			if size += len(l.URL.String()); l.Source > crawl.MaxSource {
				t.Fatalf("link %+v", l)
			}
			checkCanonical(t, l.URL)
		}
		if len(got) > limit || size > most {
			t.Fatalf("%d links of %d bytes", len(got), size)
		}
		again, err := ParseLinks(AppendLinks(nil, depth, got), depth, limit, most)
		if err != nil || len(again) != len(got) {
			t.Fatalf("written and read again: %d links, %v, want %d", len(again), err, len(got))
		}
		for i := range got {
			if again[i] != got[i] {
				t.Fatalf("link %d is %+v, want %+v", i, again[i], got[i])
			}
		}
	})
}

func FuzzParseTexts(f *testing.F) {
	f.Add(appendTexts(nil, []string{"a.example\x00https", "a.example\x00http", ""}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := parseTexts(raw, 50, 100)
		if err != nil {
			return
		}
		for _, text := range got {
			if len(text) > 100 {
				t.Fatalf("text of %d bytes", len(text))
			}
		}
		again, err := parseTexts(appendTexts(nil, got), 50, 100)
		if err != nil || len(got) > 50 || len(again) != len(got) {
			t.Fatalf("%d texts, again %d, %v", len(got), len(again), err)
		}
		for i := range got {
			if again[i] != got[i] {
				t.Fatalf("text %d is %q, want %q", i, again[i], got[i])
			}
		}
	})
}

func FuzzLeaseParse(f *testing.F) {
	w := LeaseOf(someLease(f))
	f.Add(w.Tasks, w.Refs, w.Attempts, w.Depth, uint8(2))
	f.Fuzz(func(t *testing.T, tasks, refs, attempts []byte, depth, prior uint8) {
		w := Lease{ID: 1, Domain: "a.example", ForMs: 1, Depth: depth, Tasks: tasks, Refs: refs, Attempts: attempts,
			Priors: []Prior{{Index: prior}}}
		l, err := w.Lease()
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("Lease() = %v, want ErrInvalid", err)
			}
			return
		}
		if len(l.Tasks) == 0 || len(l.Tasks) > MaxTasks {
			t.Fatalf("a lease of %d tasks", len(l.Tasks))
		}
		for _, task := range l.Tasks {
			checkCanonical(t, task.URL)
			if task.URL.Domain() != w.Domain || task.URL.Origin() != l.Tasks[0].URL.Origin() ||
				len(task.ID) > MaxRef || task.Source > crawl.MaxSource {
				t.Fatalf("task %+v of a lease of %s", task, w.Domain)
			}
		}
		again := LeaseOf(l)
		if second, err := again.Lease(); err != nil || len(second.Tasks) != len(l.Tasks) {
			t.Fatalf("written and read again: %v", err)
		}
	})
}

func FuzzOutcome(f *testing.F) {
	f.Add(Encode(messages(f)["report"]))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Decode[Report](raw)
		if err != nil {
			return
		}
		room := 10_000
		for i := range m.Outcomes {
			o, size, err := m.Outcomes[i].Outcome(room)
			if err != nil {
				if !errors.Is(err, ErrInvalid) {
					t.Fatalf("Outcome() = %v, want ErrInvalid", err)
				}
				return
			}
			if room -= size; room < 0 || o.Wait < 0 || o.Took < 0 || o.CrawlDelay < 0 ||
				len(o.Title) > maxTitle || len(o.Reason) > maxReason {
				t.Fatalf("outcome %+v, %d bytes beyond its room", o, -room)
			}
			for _, link := range o.Outlinks {
				checkCanonical(t, link.URL)
			}
			w := OutcomeOf(o)
			if _, again, err := w.Outcome(size); err != nil || again != size {
				t.Fatalf("written and read again: %d bytes, %v, want %d", again, err, size)
			}
		}
	})
}

func FuzzLinksParse(f *testing.F) {
	f.Add(Encode(messages(f)["links"]))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Decode[Links](raw)
		if err != nil {
			return
		}
		list, err := m.Parse()
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("Parse() = %v, want ErrInvalid", err)
			}
			return
		}
		size := 0
		for _, l := range list {
			checkCanonical(t, l.URL)
			size += len(l.URL.String())
		}
		if len(list) > MaxBatch || size > MaxBatchBytes {
			t.Fatalf("%d links, %d bytes", len(list), size)
		}
	})
}
