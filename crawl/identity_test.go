package crawl

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func mustParse(t testing.TB, s string) URL {
	t.Helper()
	u, err := ParseURL(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestIdentity_Of(t *testing.T) {
	both, sessions, tracking := Identity{}, Identity{KeepTracking: true}, Identity{KeepSessions: true}
	for _, c := range []struct {
		id       Identity
		in, want string
	}{
		// Nothing to take off.
		{both, "/", "/"}, {both, "/a?b=c", "/a?b=c"}, {both, "/a;b=c/d", "/a;b=c/d"}, {both, "/?b&a&&c=", "/?b&a&&c="}, {both, "/a(S(b", "/a(S(b"},
		// Tracking.
		{both, "/?utm_source=x", "/"}, {both, "/a?utm_source=x&utm_medium=y&b=c", "/a?b=c"}, {both, "/a?b=c&utm_campaign=x", "/a?b=c"},
		{both, "/a?b=c&UTM_Source=x&d=e", "/a?b=c&d=e"}, {both, "/a?z=1&gclid=x&y=2&fbclid=z&x=3", "/a?z=1&y=2&x=3"}, {both, "/?utm%5Fid=1&b", "/?b"},
		{both, "/?gclid", "/"}, {both, "/?gclid=&a", "/?a"}, {both, "/?a&gclid=1&", "/?a&"}, {both, "/?gclid=1&", "/"}, {both, "/?&gclid=1&&a", "/?&&a"},
		{both, "/?msclkid=1&yclid=2&dclid=3&gclsrc=4&wbraid=5&gbraid=6&mc_cid=7&mc_eid=8&_hsenc=9&_hsmi=0&igshid=1", "/"},
		{both, "/?utm=1&gclids=2&xgclid=3&autm_x=4", "/?utm=1&gclids=2&xgclid=3&autm_x=4"}, {both, "/?a=utm_source&b=gclid=1", "/?a=utm_source&b=gclid=1"},
		{both, "/utm_source=x/?a", "/utm_source=x/?a"}, {sessions, "/?utm_source=x", "/?utm_source=x"}, {tracking, "/?utm_source=x&a", "/?a"},
		// Sessions in the query.
		{both, "/a?PHPSESSID=abc", "/a"}, {both, "/a?b=1&jsessionid=abc&c=2", "/a?b=1&c=2"}, {both, "/a.asp?ASPSESSIONIDQQABCDEF=X&b=1", "/a.asp?b=1"},
		{both, "/a.cfm?CFID=12&CFTOKEN=34&id=5", "/a.cfm?id=5"}, {both, "/?sid=0123456789abcdef0123456789abcdef", "/"}, {both, "/?SessionID=Zm9yYWdlIGlzIG5pY2U5%3D", "/"},
		{both, "/?session_id=123e4567-e89b-12d3-a456-426614174000&a", "/?a"}, {both, "/?sid=12345", "/?sid=12345"}, {both, "/?sid=0123456789abcde", "/?sid=0123456789abcde"},
		{both, "/?sid=internationalisation", "/?sid=internationalisation"}, {both, "/?sid=the-story-of-page-2025", "/?sid=the-story-of-page-2025"},
		{both, "/?sid=a%20b%20c%20d%20e%20f%20g%20h%201", "/?sid=a%20b%20c%20d%20e%20f%20g%20h%201"}, {both, "/?asid=0123456789abcdef", "/?asid=0123456789abcdef"},
		{tracking, "/?PHPSESSID=abc&gclid=1", "/?PHPSESSID=abc"}, {sessions, "/?PHPSESSID=abc&gclid=1", "/?gclid=1"},
		// Sessions in the path.
		{both, "/a.jsp;jsessionid=ABC.node1", "/a.jsp"}, {both, "/a.jsp;jsessionid=ABC?b=c", "/a.jsp?b=c"}, {both, "/a;JSESSIONID=1/b;v=2;jsessionid=3;w=4", "/a/b;v=2;w=4"},
		{both, "/a;jsessionids=1", "/a;jsessionids=1"}, {both, "/a;jsessionid", "/a;jsessionid"}, {both, "/;jsessionid=1", "/"}, {both, "/a/;jsessionid=1/b", "/a//b"},
		{both, "/a/..;jsessionid=1/b", "/b"}, {both, "/a/.;jsessionid=1", "/a/"}, {both, "/;jsessionid=1?utm_source=x", "/"},
		{both, "/(S(4hqa0vwwmw0fwj55vqyvlp45))/a.aspx?b", "/a.aspx?b"}, {both, "/x/(S(4hqa0vwwmw0fwj55vqyvlp45))/a.aspx", "/x/a.aspx"}, {both, "/(S(a1))", "/"},
		{both, "/x/(S(a1))", "/x/"}, {both, "/(S(a1));jsessionid=2/b", "/b"}, {both, "/(S())/a", "/(S())/a"}, {both, "/(S(a-b))/c", "/(S(a-b))/c"}, {both, "/f(S(a))/b", "/f(S(a))/b"},
		{tracking, "/(S(a1))/b;jsessionid=1", "/(S(a1))/b;jsessionid=1"}, {Identity{true, true}, "/(S(a))/b;jsessionid=1?gclid=2", "/(S(a))/b;jsessionid=1?gclid=2"},
	} {
		u := mustParse(t, "http://www.example.com"+c.in)
		if got := c.id.Of(u); got.Path() != c.want || got.Origin() != u.Origin() {
			t.Errorf("%+v.Of(%q) = %q, want %q", c.id, c.in, got, c.want)
		}
	}
}

// A parameter is a session id only with evidence: its name, its partner, or a
// value that nobody but a machine makes.
func TestIdentity_SessionsNeedEvidence(t *testing.T) {
	const hex = "9f86d081884c7d659a2feaa0c55ad015"
	for _, c := range []struct {
		query   string
		session bool
	}{
		{"PHPSESSID=" + hex, true}, {"phpsessid=12", true}, {"JSESSIONID=ABC.node1", true}, {"ASPSESSIONIDQQABCDEF=X", true},
		{"cfid=7", false}, {"CFTOKEN=34", false}, {"cfid=7&cftoken=34", true}, {"CFTOKEN=34&CFID=7", true}, {"cfid=7&cfid=8", false}, {"cfid=7&xcftoken=8", false},
		{"sid=12", false}, {"sid=4503599627370496", false}, {"sid=12345678901234567890123456789012", false}, {"sid=" + hex, true}, {"SID=" + strings.ToUpper(hex), true},
		{"sid=" + hex + hex, true}, {"sid=9f86d081884c7d65", true}, {"sid=9f86d081884c7d6", false}, {"sid=deadbeefdeadbeef", false}, {"sid=20251126-0900-1000", false},
		{"session_id=123e4567-e89b-12d3-a456-426614174000", true}, {"session_id=123e4567-e89b-12d3-a456426614174000", false}, {"session_id=2025-11-26-0900-hall-b", false},
		{"session_id=ICML2025Keynote01", false}, {"session_id=KubeCon2024NorthAmericaOpening1", false}, {"session_id=2025Day3Track2Room14Talk7", false},
		{"session_id=ReInvent2025DataOnEksDeepDive", false}, {"sessionid=internationalisation", false}, {"sessionid=the-story-of-page-2025", false}, {"sid=", false}, {"sid", false},
		{"sessionid=Zm9yYWdlIGlzIG5pY2U5", true}, {"sessionid=Zm9yYWdlIGlzIG5pY2U5%3D", true}, {"sessionid=q7-Xz2Lw", false}, {"sid=a%20b%20c%20d%20e%20f%20g%20h%201", false}, {"asid=" + hex, false},
	} {
		u := mustParse(t, "http://h.example/p?a=1&"+c.query)
		if got := (Identity{}).Of(u).Path() == "/p?a=1"; got != c.session {
			t.Errorf("%s is taken for a session: %v, want %v", c.query, got, c.session)
		}
	}
}

func TestURL_SeenKey(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"/", "/"}, {"/a?b", "/a?b"}, {"/a?a=1&b=2", "/a?a=1&b=2"}, {"/a?b=2&a=1", "/a?a=1&b=2"}, {"/?a=2&a=1", "/?a=1&a=2"}, {"/?b&a", "/?a&b"},
		{"/?a=&a", "/?a&a="}, {"/?aa=1&a=2", "/?a=2&aa=1"}, {"/?a-b=1&a=2", "/?a=2&a-b=1"}, {"/?b&&a", "/?&a&b"}, {"/?a=b=c&a=b", "/?a=b&a=b=c"},
		{"/b&a?c", "/b&a?c"}, {"/?b?c&a?d", "/?a?d&b?c"}, {"/?B&a&A", "/?A&B&a"}, {"/?%C3%A9&z", "/?%C3%A9&z"}, {"/b/a", "/b/a"},
	} {
		if got, want := mustParse(t, "http://a.example"+c.in).SeenKey(), "http://a.example"+c.want; got != want {
			t.Errorf("SeenKey of %q = %q, want %q", c.in, got, want)
		}
	}
}

func TestIdentity_AllocatesNothingWhereNothingChanges(t *testing.T) {
	for _, s := range []string{"http://a.example/b/c.html", "http://a.example/?a=1&b=2&sid=7", "http://a.example/a;v=1/(S(b"} {
		u := mustParse(t, s)
		if n := testing.AllocsPerRun(100, func() {
			if v := (Identity{}).Of(u); v.SeenKey() != s {
				t.Errorf("%s became %s", s, v)
			}
		}); n != 0 {
			t.Errorf("%v allocations for %s, want 0", n, s)
		}
	}
}

// FuzzIdentity holds what comes out to being canonical and final, and keys to
// being one for all orders of the same parameters.
func FuzzIdentity(f *testing.F) {
	for _, s := range []string{
		"/a?b=c&utm_source=d", "/..;jsessionid=1/(S(a));jsessionid=2/b", "/?gclid&&sid=0123456789abcdef&", "/?cfid=1&a&cftoken=2", "/?cfid&cftoken&cfid", "/%;jsessionid=1;41?%25&a=1&a&a=", "/.;jsessionid=1?&", "/(S(a))", "??#", "/(S(1))/(S(2))//",
	} {
		f.Add(s, uint64(1), uint8(0))
	}
	f.Fuzz(func(t *testing.T, path string, seed uint64, keep uint8) {
		u, err := ParseURL("http://a.example/" + path)
		if err != nil {
			return
		}
		id := Identity{KeepTracking: keep&1 != 0, KeepSessions: keep&2 != 0}
		v := id.Of(u)
		if again := id.Of(v); again != v {
			t.Fatalf("Of(%q) = %q, again %q", u, v, again)
		}
		if parsed, err := ParseURL(v.String()); err != nil || parsed != v {
			t.Fatalf("Of(%q) = %#v, parsed %#v, %v", u, v, parsed, err)
		}
		key := u.SeenKey()
		if len(key) != len(u.String()) {
			t.Fatalf("SeenKey(%q) = %q", u, key)
		}
		head, query, ok := strings.Cut(u.String(), "?")
		if !ok {
			return
		}
		params := strings.Split(query, "&")
		rng := rand.New(rand.NewPCG(seed, 0))
		rng.Shuffle(len(params), func(i, j int) { params[i], params[j] = params[j], params[i] })
		if last := params[len(params)-1]; last == "" && len(params) == 1 {
			return
		}
		w, err := ParseURL(head + "?" + strings.Join(params, "&"))
		if err != nil {
			t.Fatal(err)
		}
		if w.SeenKey() != key {
			t.Fatalf("SeenKey(%q) = %q, of %q it is %q", u, key, w, w.SeenKey())
		}
		slices.Sort(params) // any order will do
		if x, err := ParseURL(head + "?" + strings.Join(params, "&")); err != nil || x.SeenKey() != key {
			t.Fatalf("SeenKey(%q) = %q, %v, want %q", x, x.SeenKey(), err, key)
		}
	})
}

func BenchmarkIdentity(b *testing.B) {
	for _, c := range []struct{ name, url string }{
		{"plain", "https://www.example.org/news/2026/01/title-of-the-story"},
		{"query", "https://www.example.org/search?page=3&q=forage&sort=date"},
		{"tracked", "https://www.example.org/story?utm_source=a&utm_medium=b&id=7"},
	} {
		u := mustParse(b, c.url)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if (Identity{}).Of(u).SeenKey() == "" {
					b.Fatal("no key")
				}
			}
		})
	}
}
