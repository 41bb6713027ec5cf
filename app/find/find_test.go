package find

import (
	"crypto/sha1"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
)

var day = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// lab is an archive with its index.
type lab struct {
	testing.TB
	*Finder
	archive *warc.Archive
	dir     string
	now     time.Time
	task    [][2]string // metadata of captures
}

// visit is a page as it was answered.
type visit struct {
	url, head, body string
	kind            string // "" for HTML in UTF-8
	status          int    // 0 for 200
	noIndex         bool
	revisit         *capture.Refers
}

func newLab(t testing.TB) *lab {
	t.Helper()
	l := &lab{TB: t, dir: t.TempDir() + "/warc", now: day}
	var err error
	if l.archive, err = warc.Open(warc.Config{Dir: l.dir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.archive.Close() })
	l.open()
	t.Cleanup(func() { l.Close() })
	return l
}

func (l *lab) open() {
	l.Helper()
	f, err := Open(Config{Archive: l.dir, Index: Dir(l.dir), Now: func() time.Time { return l.now }})
	if err != nil {
		l.Fatal(err)
	}
	l.Finder = f
}

// put archives pages, each a second after the one before.
func (l *lab) put(list ...visit) {
	l.Helper()
	for _, v := range list {
		l.now = l.now.Add(time.Second)
		if v.kind == "" {
			v.kind = "text/html; charset=utf-8"
		}
		if v.status == 0 {
			v.status = 200
		}
		head := fmt.Sprintf("HTTP/1.1 %d OK\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n", v.status, v.kind, v.head, len(v.body))
		c := capture.Capture{URL: v.url, Date: l.now, Response: []byte(head + v.body), HeadLen: len(head), Status: v.status, NoIndex: v.noIndex, Revisit: v.revisit, Metadata: l.task}
		c.PayloadDigest = sha1.Sum([]byte(v.body))
		if _, err := l.archive.Append(c); err != nil {
			l.Fatal(err)
		}
	}
}

// read reads what was archived into the index.
func (l *lab) read() {
	l.Helper()
	l.trail.miss(l.trail.begin())
	if err := l.CatchUp(l.Context()); err != nil {
		l.Fatal(err)
	}
}

func (l *lab) search(query string) api.SearchPage {
	l.Helper()
	page, err := l.Search(l.Context(), query, 0, 20)
	if err != nil {
		l.Fatalf("%s: %v", query, err)
	}
	return page
}

func (l *lab) found(query string) (urls []string) {
	l.Helper()
	for _, r := range l.search(query).Results {
		urls = append(urls, r.URL)
	}
	return urls
}

func html(lang, title, text string) string {
	return fmt.Sprintf(`<html lang="%s"><title>%s</title><body><p>%s</p>`, lang, title, text)
}

func TestSearch_Languages(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	pages := []struct{ lang, text, queries string }{
		{"de", "Die Häuser stehen an der Straße. Übermut tut selten gut.", "haus|häuser|HAUSER|straße|strasse|ubermut|übermut"},
		{"fr", "Les forêts françaises brûlent; l'été dernier.", "forêt|foret|française|été|ete"},
		{"es", "El niño comió piñas y corazones.", "nino|niño|corazón|corazon|pina"},
		{"pt", "Os corações dos irmãos e as canções.", "corações|coracoes|irmao|canções"},
		{"it", "Le città della Toscana perché belle.", "città|citta|perche"},
		{"sv", "Flickorna åkte till sjön.", "flicka|flickor|sjon|åkte"},
		{"nl", "De ezels lopen over de dijken.", "ezel|dijk"},
		{"pl", "Zażółć gęślą jaźń, łódka.", "zazolc|gesla|lodka|łódka"},
		{"tr", "Çocuklar İstanbul'da oynuyor.", "cocuklar|istanbul|çocuk"},
		{"ru", "Быстрые лисицы прыгают через собаку.", "лисица|собака|быстрый"},
		{"el", "Η γρήγορη αλεπού πηδάει.", "γρήγορη|γρηγορη|αλεπού"},
		{"he", "שועל מהיר קופץ מעל הכלב", "שועל|הכלב"},
		{"ar", "الكتاب على الطاولة والمدرسة كبيرة", "كتاب|الطاولة"},
		{"hi", "तेज़ भूरी लोमड़ी कूदती है", "लोमड़ी|कूदती"},
		{"zh", "东京大学的研究人员发现了新方法。", "研究|大学|新方法|东京大学"},
		{"ja", "東京都の図書館で静かに本を読む。ラーメン屋", "図書館|東京都|ラーメン|本"},
		{"ko", "서울에서 도서관을 찾았습니다", "도서관|서울"},
		{"th", "ห้องสมุดกรุงเทพ", "ห้องสมุด|กรุงเทพ"},
		{"en", "Use np.array and std::vec with e-mail; the children's running shoes, C++ and don't.", "np.array|array|std::vec|e-mail|runs|shoe|children|\"np array\"|don't"},
	}
	for _, p := range pages {
		l.put(visit{url: "http://" + p.lang + ".test/", body: html(p.lang, "Page", p.text)})
	}
	l.put(visit{url: "http://gare.test/", body: html("fr", "Gare", "Le train entre dans la gare.")}) // no garden
	pages = append(pages, struct{ lang, text, queries string }{"gare", "", "gare|gares"})
	l.put(visit{url: "http://noise.test/", body: html("en", "Noise", "Nothing of that kind is to be seen here, or anywhere.")})
	l.read()
	for _, p := range pages {
		for q := range strings.SplitSeq(p.queries, "|") {
			if got := l.found(q); !slices.Equal(got, []string{"http://" + p.lang + ".test/"}) {
				t.Errorf("%s, %q: found %v", p.lang, q, got)
			}
		}
	}
	if got := l.found("garden"); len(got) != 0 { // "den" is an ending in Turkish, and a stem may be a word elsewhere
		t.Errorf("garden: found %v", got)
	}
}

func TestSearch_QueryLanguage(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.put(
		visit{url: "http://a.test/1", body: html("en", "Old stone bridge", "The old stone bridge crosses the river. Fishing is allowed.")},
		visit{url: "http://a.test/2", body: html("en", "Bridge", "A bridge of stone, old and grey.")},
		visit{url: "http://docs.b.test/3", body: html("de", "Brücke", "Eine bridge aus Stein und stone, old.")},
	)
	l.now = day.AddDate(0, 2, 0)
	l.put(visit{url: "http://c.test/4", body: html("en", "New bridge", "A stone bridge, not so old, without a river.")})
	l.read()
	all := []string{"http://a.test/1", "http://a.test/2", "http://docs.b.test/3", "http://c.test/4"}
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"old stone bridge", all},
		{`"old stone bridge"`, all[:1]},
		{`"stone bridge"`, []string{all[0], all[3]}},
		{"bridge -river", []string{all[1], all[2]}},
		{"bridge site:a.test", all[:2]},
		{"bridge site:b.test", all[2:3]},
		{"bridge site:docs.b.test", all[2:3]},
		{"bridge site:other.b.test", nil},
		{"site:a.test", all[:2]},
		{"bridge lang:de", all[2:3]},
		{"bridge after:2026-05", all[3:]},
		{"bridge before:2026-05-01", all[:3]},
		{"fish", all[:1]},
		{"allo", all[:1]}, // the beginning of a word, where no page has the whole
		{"nothing-of-that-kind", nil},
	} {
		got := l.found(c.query)
		slices.Sort(got)
		want := slices.Clone(c.want)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", c.query, got, want)
		}
	}
	if page := l.search("river unheardof bridge"); !page.Some || len(page.Results) == 0 {
		t.Errorf("pages with some of the words: %+v", page)
	}
	if first := l.found("old stone bridge"); first[0] != all[0] {
		t.Errorf("the page that is called so is not first: %v", first)
	}
}

func TestSearch_Snippets(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	long := strings.Repeat("Many words that nobody looks for stand here. ", 40)
	l.put(
		visit{url: "http://a.test/", body: html("en", "T", long+"The heron waits by the <b>water</b>. "+long)},
		visit{url: "http://b.test/", body: html("en", "T", "The heron, too.") + `<meta name="robots" content="nosnippet">`},
		visit{url: "http://c.test/", head: "X-Robots-Tag: max-snippet: 0\r\n", body: html("en", "T", "A heron again.")},
	)
	l.read()
	page := l.search("herons water")
	if len(page.Results) != 1 {
		t.Fatalf("%+v", page)
	}
	text, marked := "", ""
	for _, p := range page.Results[0].Snippet {
		text += p.Text
		if p.Match {
			marked += p.Text + "|"
		}
	}
	if marked != "heron|water|" || len(text) > snippetLength+20 || !strings.Contains(text, "The heron waits by the water.") {
		t.Errorf("the snippet is %q, marked %q", text, marked)
	}
	for _, r := range l.search("heron").Results {
		if has := len(r.Snippet) > 0; has != (r.URL == "http://a.test/") {
			t.Errorf("%s: the snippet is %v", r.URL, r.Snippet)
		}
	}
}

func TestSearch_FoldsCopiesAndSites(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for n := range 5 {
		l.put(visit{url: fmt.Sprintf("http://many.test/%d", n), body: html("en", "Otter", fmt.Sprintf("An otter numbered %d.", n))})
	}
	same := html("en", "Otter", "The same otter everywhere.")
	l.put(visit{url: "http://x.test/", body: same}, visit{url: "http://y.test/", body: same})
	l.put(visit{url: "http://z.test/", body: same, revisit: &capture.Refers{URL: "http://x.test/", Date: day.Add(6 * time.Second)}})
	l.read()
	page := l.search("otter")
	of, copies, more := map[string]int{}, 0, 0
	for _, r := range page.Results {
		of[r.Domain]++
		copies += r.Copies
		more += r.MoreOfSite
	}
	if of["many.test"] != perSite || more != 2 || of["x.test"]+of["y.test"]+of["z.test"] != 1 || copies != 2 {
		t.Errorf("%v, %d copies, %d more: %+v", of, copies, more, page.Results)
	}
	if got := l.found("otter site:many.test"); len(got) != 5 {
		t.Errorf("of the site alone: %v", got)
	}
}

func TestSearch_LaterVisits(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.put(visit{url: "http://a.test/", body: html("en", "One", "a badger")}, visit{url: "http://b.test/", body: html("en", "Two", "a badger")})
	l.put(visit{url: "http://meta.test/", body: html("en", "Three", "a badger") + `<meta name=robots content=noindex>`, noIndex: true})
	l.read()
	if got := l.found("badger"); len(got) != 2 {
		t.Errorf("found %v", got)
	}
	l.put(visit{url: "http://a.test/", body: html("en", "One", "a beaver")}, visit{url: "http://b.test/", body: html("en", "Two", "gone"), status: 404, noIndex: true})
	l.read()
	if got := l.found("badger"); len(got) != 0 {
		t.Errorf("found %v, which is no longer so", got)
	}
	if got := l.found("beaver"); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

// A text that is no answer to a task is not a page: robots.txt may be anywhere, by a redirect.
func TestSearch_TextsBesidePages(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.put(visit{url: "http://a.test/policies/robots.txt", kind: "text/plain", body: "User-agent: badger"})
	l.task = [][2]string{{"fetchTimeMs", "1"}}
	l.put(visit{url: "http://a.test/notes.txt", kind: "text/plain", body: "A badger was seen."})
	l.read()
	if got := l.found("badger"); !slices.Equal(got, []string{"http://a.test/notes.txt"}) {
		t.Errorf("found %v", got)
	}
}

func TestLinks_AndSites(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for n := range 4 {
		l.put(visit{url: fmt.Sprintf("http://from%d.test/page", n), body: html("en", fmt.Sprint("From ", n), fmt.Sprintf(`<a href="http://target.test/deep">the %d. word</a> <a href="/own">own</a>`, n))})
	}
	l.put(visit{url: "http://target.test/", body: html("en", "Target", strings.Repeat("Welcome to the target of many links. ", 20))},
		visit{url: "http://target.test/deep", body: html("de", "Tief", "und der die das nicht ist mit auf")})
	l.read()
	links, err := l.LinksTo(t.Context(), "target.test", crawl.URL{}, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	if links.Sites != 4 || links.Links != 4 || len(links.List) != 3 || links.Next != "3" || links.List[0].Site != "from3.test" || links.List[0].Text != "the 3. word" || links.List[0].Title != "From 3" {
		t.Errorf("%+v", links)
	}
	site, err := l.Site(t.Context(), "target.test")
	if err != nil {
		t.Fatal(err)
	}
	if site.Title != "Target" || site.Pages != 2 || site.LinkingSites != 4 || len(site.Languages) != 2 || site.Fresh != 2 || !strings.HasPrefix(site.Description, "Welcome") || len(site.Top) != 2 || site.Top[0].URL != "http://target.test/deep" {
		t.Errorf("%+v", site)
	}
	if _, err := l.Site(t.Context(), "unknown.test"); err != api.ErrNoSite {
		t.Errorf("an unknown site: %v", err)
	}
}

func TestFinds_AreOfTheDay(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	text := strings.Repeat("The quick brown fox jumps over the lazy dog and is not tired of that. ", 40)
	l.put(visit{url: "http://old.test/", body: html("en", "Old", text+"old")})
	l.now = day.AddDate(0, 0, 3)
	l.put(
		visit{url: "http://good.test/", body: html("en", "Good", text+"good")},
		visit{url: "http://short.test/", body: html("en", "Short", "Too short.")},
		visit{url: "http://fremd.test/", body: html("fr", "Autre", strings.Repeat("les des est une dans pour que pas sur avec ", 60))},
	)
	for n := range 3 {
		l.put(visit{url: fmt.Sprintf("http://linking%d.test/", n), body: html("en", "L", `<a href="http://good.test/">x</a>`)})
	}
	l.read()
	finds, err := l.Finds(t.Context(), []string{"en"})
	if err != nil {
		t.Fatal(err)
	}
	if len(finds.Pages) != 1 || finds.Pages[0].URL != "http://good.test/" || finds.Pages[0].Reason != "linked" {
		t.Errorf("%+v", finds.Pages)
	}
	// Those of another time are of that time, in whatever language.
	for _, c := range []struct {
		since, until time.Duration
		want         string
	}{{0, 24 * time.Hour, "http://old.test/"}, {48 * time.Hour, 96 * time.Hour, "http://good.test/ http://fremd.test/"}, {96 * time.Hour, 99 * time.Hour, ""}} {
		picks, err := l.Picks(t.Context(), day.Add(c.since-time.Hour), day.Add(c.until))
		var got []string
		for _, p := range picks {
			got = append(got, p.URL)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("from %v to %v: %q, %v, want %q", c.since, c.until, got, err, c.want)
		}
	}
}

func TestFinder_FilesThatAreGone(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.put(visit{url: "http://a.test/", body: html("en", "One", "a badger")})
	l.read()
	if err := l.archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(l.dir); err != nil {
		t.Fatal(err)
	}
	if page := l.search("badger"); len(page.Results) != 0 {
		t.Errorf("a page that cannot be read is shown: %+v", page.Results)
	}
	l.background(t.Context())
	if st := l.Status(); st.Pages != 0 {
		t.Errorf("%d pages are left", st.Pages)
	}
}

// Sites in other letters than ASCII are found by their letters, as they are by the form that the DNS has.
func TestSearch_SitesInTheirOwnLetters(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.put(
		visit{url: "http://www.xn--bcher-kva.test/lesen", body: html("de", "Lesen", "Ein Text.")},
		visit{url: "http://xn--e1afmkfd.xn--80akhbyknj4f/1", body: html("ru", "Page", "Some text.")},
		visit{url: "http://plain.test/", body: html("en", "Plain", "Some text.")},
	)
	l.read()
	for query, want := range map[string]string{
		"bücher": "http://www.xn--bcher-kva.test/lesen", "Bucher lesen": "http://www.xn--bcher-kva.test/lesen", "xn--bcher": "http://www.xn--bcher-kva.test/lesen",
		`"bücher test"`: "http://www.xn--bcher-kva.test/lesen", "site:bücher.test": "http://www.xn--bcher-kva.test/lesen", "site:WWW.BÜCHER.test text": "http://www.xn--bcher-kva.test/lesen",
		"пример": "http://xn--e1afmkfd.xn--80akhbyknj4f/1", "испытание page": "http://xn--e1afmkfd.xn--80akhbyknj4f/1",
	} {
		if got := l.found(query); len(got) != 1 || got[0] != want {
			t.Errorf("%s: found %q, want %s", query, got, want)
		}
	}
}
