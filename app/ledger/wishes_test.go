package ledger

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// A 304 stands for the page that it confirms, which asked to be kept out of indexes, and it may ask itself.
func TestWishes_NotModified(t *testing.T) {
	l := newLibrary(t, 0)
	first := l.take("http://a.test/hidden", page("<meta name=robots content=noindex>x", `ETag: "1"`))
	shown := l.take("http://a.test/shown", page("words", `ETag: "2"`))
	l.settle(first, shown)
	for _, c := range []struct {
		url, head          string
		prior              crawl.Outcome
		archived, unmarked bool
	}{
		{"http://a.test/hidden", "", first, true, false},
		{"http://a.test/shown", "", shown, true, true},
		{"http://a.test/shown", "X-Robots-Tag: noindex\r\n", shown, true, false},
		{"http://a.test/shown", "X-Robots-Tag: noarchive\r\n", shown, false, true},
	} {
		l.startAgain()
		before := archived(t, l.dir)
		l.confirm(c.url, c.head, c.prior)
		found := archived(t, l.dir)[len(before):]
		if len(found) > 0 != c.archived || c.archived && found[0].NoIndex == c.unmarked {
			t.Errorf("%s, %q: archived %+v", c.url, c.head, found)
		}
	}
}

// robots.txt is no page, and its server may ask as that of a page.
func TestWishes_RobotsTxt(t *testing.T) {
	l := newLibrary(t, 0)
	for _, head := range []string{"X: y", "X-Robots-Tag: noindex", "X-Robots-Tag: forage: noarchive"} {
		if err := l.ArchiveBeside(answerOf(t, "http://a.test/robots.txt", page("User-agent: *", head))); err != nil {
			t.Fatal(err)
		}
	}
	found := archived(t, l.dir)
	if len(found) != 2 || found[0].NoIndex || !found[1].NoIndex {
		t.Errorf("archived %+v", found)
	}
}

// confirm archives a 304 for a page that was visited before.
func (l *library) confirm(url, head string, prior crawl.Outcome) {
	l.t.Helper()
	r := answerOf(l.t, url, "HTTP/1.1 304 Not Modified\r\n"+head+"\r\n")
	task := crawl.Task{ID: "again", URL: mustURL(l.t, url), Prior: &crawl.Prior{ETag: prior.ETag, Digest: prior.Digest}}
	o, p := answer.Read(task, r, l.scope, time.Now(), nil)
	if err := l.Archive(r, &o, p); err != nil || o.Result != crawl.Unchanged {
		l.t.Fatalf("%s: %v, %v", url, o.Result, err)
	}
}

// archived returns what is archived in a directory, in its order.
func archived(t testing.TB, dir string) (list []capture.Stored) {
	t.Helper()
	if err := warcfile.Scan(dir, capture.Position{}, func(c capture.Stored) error {
		list = append(list, c)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return list
}
