package requestlog

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/apptest"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/storage/requests"
)

func TestRequestReport_CountsWhatCameEarly(t *testing.T) {
	dir := t.TempDir()
	l, err := requests.Open(requests.Config{Dir: dir, Days: 30})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for i, waited := range []time.Duration{-1, 3 * time.Second, time.Second} {
		l.Append(&requests.Record{
			Time: now, URL: "http://a.test/", Domain: "a.test", Code: "fetched", Addr: netip.MustParseAddr("192.0.2.1"),
			Status: 200 + i, Waited: waited, Gap: 2 * time.Second,
		})
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := Report(t.Context(), dir, "main", 1, now)
	if err != nil || !strings.Contains(text, "1 of 2 requests") || !strings.Contains(text, "Shortest wait   1.000 s") {
		t.Errorf("report (%v):\n%s", err, text)
	}
	german, err := Report(api.WithLang(t.Context(), words.German), dir, "main", 1, now)
	for _, want := range []string{"Anfragen        3, an 1 Website", "Kürzeste Pause  1,000 s", "1 von 2 Anfragen", "1,000 s (2,000 s)"} {
		if err != nil || !strings.Contains(german, want) {
			t.Errorf("the German report (%v) does not say %q:\n%s", err, want, german)
		}
	}
	if strings.Contains(german, "report.") || strings.Contains(text, "report.") {
		t.Errorf("words are missing:\n%s\n%s", text, german)
	}
}

// BenchmarkRecord is what a request costs beside itself.
func BenchmarkRecord(b *testing.B) {
	dir := b.TempDir()
	l, err := requests.Open(requests.Config{Dir: dir, Days: 30, DayBytes: 1 << 40})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	recorder := Recorder{Log: l, Dir: dir, Days: 30, CheckOf: func(string) crawl.PeerID { return "" }}
	r := worker.Request{
		URL: apptest.URL(b, "https://www.site.example/articles/2026/a-page.html"), Started: time.Now(), Addr: netip.MustParseAddrPort("192.0.2.1:443"),
		Result: crawl.Fetched, Status: 200, Received: 12345, Took: 120 * time.Millisecond, Title: "A page about bread", Ground: "all-allowed",
		Waited: 5 * time.Second, Gap: 2 * time.Second,
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		recorder.record(&r)
		if i%1000 == 0 {
			l.Flush()
		}
	}
}
