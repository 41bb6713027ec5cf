package api

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api/secret"
)

// testView is a view that keepView makes sure of.
var testView = strings.Repeat("a", viewLength)

func keepView(s *Server, lost bool) {
	s.views.mu.Lock()
	defer s.views.mu.Unlock()
	s.views.list = nil
	if !lost {
		s.views.list = []*view{{key: secret.Of(testView), lang: "de", until: s.views.now().Add(viewTime)}}
	}
}

func (n *testNode) ViewCapture(_ context.Context, id, lang string) (ViewedPage, error) {
	if err := n.called("view %s %s", id, lang); err != nil {
		return ViewedPage{}, err
	}
	if id != testCapture.ID {
		return ViewedPage{}, ErrNoCapture
	}
	return ViewedPage{
		ArchiveView: ArchiveView{ID: id, URL: testCapture.URL,
			Missing: []MissingPart{{URL: "https://a.example/x.css", Kind: "style"}}},
		HTML: []byte("<p>as it looked"), Parts: map[string]string{"k": "v"},
	}, nil
}

func (n *testNode) ViewPart(_ context.Context, id string, parts map[string]string) (ViewedPart, error) {
	if err := n.called("part %s %v", id, parts); err != nil {
		return ViewedPart{}, err
	}
	kind, ok := map[string]string{"sheet": "text/css; charset=utf-8", "picture": "image/svg+xml",
		"font": "font/woff2", "page": "text/html", "odd": "image/png\r\nx: y"}[id]
	if !ok {
		return ViewedPart{}, ErrNoCapture
	}
	return ViewedPart{Kind: kind, Body: []byte("body of " + id)}, nil
}

func (n *testNode) FollowLink(_ context.Context, from, url, lang string) (string, ViewedPage, error) {
	if err := n.called("follow %s %s %s", from, url, lang); err != nil {
		return "", ViewedPage{}, err
	}
	switch url {
	case "https://b.example/?q=1&r=%2F":
		return "forage-y.8", ViewedPage{}, nil
	case "ftp://x":
		return "", ViewedPage{}, &InputError{errors.New("a link must lead to a web page")}
	}
	return "", ViewedPage{ArchiveView: ArchiveView{URL: url}, HTML: []byte("<p>not archived")}, nil
}

func TestArchiveView_Shows(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	ticket, err := postAs[ViewTicket](t.Context(), c, "/api/archive/view", struct{}{})
	shownIn := func(view string) (ArchiveView, error) {
		return getAs[ArchiveView](t.Context(), c, "/api/archive/view?view="+view)
	}
	if err != nil || len(ticket.View) != viewLength || ticket.URL != "/archive/"+ticket.View+"/" {
		t.Fatalf("begun  %+v, %v", ticket, err)
	}
	if shown, err := shownIn(ticket.View); err != nil || shown.ID != "" {
		t.Errorf("a view that shows nothing yet: %+v, %v", shown, err)
	}
	if resp, body := r.ask(t, "GET", ticket.URL+testCapture.ID+"/", "", ""); resp.StatusCode != 200 ||
		body != "<p>as it looked" {
		t.Fatalf("the page: %d %s", resp.StatusCode, body)
	}
	want := ArchiveView{ID: testCapture.ID, URL: testCapture.URL,
		Missing: []MissingPart{{URL: "https://a.example/x.css", Kind: "style"}}}
	if shown, err := shownIn(ticket.View); err != nil || !reflect.DeepEqual(shown, want) {
		t.Errorf("it shows %+v, %v, want %+v", shown, err, want)
	}
	if _, err := shownIn("x"); err == nil {
		t.Error("a view that was not begun says what it shows")
	}
}

// A frame that has no rights of its own, and no cookie, gets pages and parts by
// the name of its view. Whoever does not know the name gets nothing.
func TestArchived_InAFrame(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	keepView(r.server, false)
	frame := "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe\n"
	font := "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: cors\nOrigin: null\n"
	base := archivePath + testView
	for _, c := range []struct {
		path, headers string
		want          int
		body          string
	}{
		{base + "/forage-x.7/", "Sec-Fetch-Site: same-origin\n", 200, "<p>as it looked"},
		{base + "/forage-x.7/", frame, 200, "<p>as it looked"},
		{base + "/forage-x.7/p/sheet", frame, 200, "body of sheet"},
		{base + "/forage-x.7/p/picture", frame, 200, "body of picture"},
		{base + "/forage-x.7/p/font", font, 200, "body of font"},
		{base + "/forage-x.7/p/page", frame, 404, "{"},
		{base + "/forage-x.7/p/odd", frame, 404, "{"},
		{base + "/forage-x.7/p/", frame, 404, "{"},
		{base + "/forage-x.7/p/none", frame, 404, "{"},
		{base + "/forage-x.7/to?https://b.example/?q=1&r=%252F", frame, 303, ""},
		{base + "/forage-x.7/to?https://c.example/", frame, 200, "<p>not archived"},
		{base + "/forage-x.7/to?ftp://x", frame, 400, "{"},
		{base + "/forage-x.7/to", frame, 400, "{"},
		{base + "/forage-x.7/to?http://x/%", frame, 400, "{"},
		{base + "/forage-x.7/to?" + strings.Repeat("x", maxLookup+1), frame, 400, "{"},
		{base + "/forage-x.7/other", frame, 404, "{"},
		{base + "/forage-x.7/?x=1", frame, 400, "{"},
		{base + "/gone/", frame, 404, "{"},
		{base + "/" + strings.Repeat("x", maxArchiveID+1) + "/", frame, 404, "{"},
		{base + "/", frame, 404, "{"},
		{base, frame, 404, "{"},
		{archivePath + strings.Repeat("b", viewLength) + "/forage-x.7/", "", 404, "{"},
		{archivePath + strings.Repeat("b", viewLength) + "/forage-x.7/", frame, 403, "{"},
		{archivePath + strings.Repeat("b", viewLength) + "/forage-x.7/p/font", font, 403, "{"},
		{base + "/forage-x.7/", "Origin: http://evil.example\n", 403, "{"},
		{base + "/forage-x.7/", "Host: evil.example\n", 421, "{"},
		{"/api/status", frame + "Authorization: Bearer TOKEN\n", 403, "{"},
		{"/api/archive/view?view=" + testView, font, 403, "{"},
		{"/api/archive/page?id=forage-x.7", "", 401, "{"},
	} {
		resp, body := r.ask(t, "GET", c.path, c.headers, "")
		if resp.StatusCode != c.want || !strings.HasPrefix(body, c.body) {
			t.Errorf("%s with %q: %d %.100s, want %d %s", c.path, c.headers, resp.StatusCode, body, c.want, c.body)
		}
		if c.want == 303 && resp.Header.Get("Location") != base+"/forage-y.8/" {
			t.Errorf("%s leads to %q", c.path, resp.Header.Get("Location"))
		}
	}
	if resp, body := r.ask(t, "POST", base+"/forage-x.7/", "Content-Type: application/json\n",
		"{}"); resp.StatusCode != 405 {
		t.Errorf("POST: %d %s", resp.StatusCode, body)
	}
	calls := strings.Join(r.node.calls, ", ")
	for _, want := range []string{"view forage-x.7 de", "part sheet map[k:v]",
		"follow forage-x.7 https://b.example/?q=1&r=%2F de"} {
		if !strings.Contains(calls, want) {
			t.Errorf("the node was told %s, without %s", calls, want)
		}
	}
}

// What strangers wrote comes with a policy that lets it do nothing.
func TestArchived_Headers(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	keepView(r.server, false)
	base := archivePath + testView
	from := "http://" + r.desc.Addr + base + "/"
	page := "default-src 'none'; style-src " + from + " 'unsafe-inline'; " +
		"img-src " + from + " data:; font-src " + from + " data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"
	for _, c := range []struct{ path, kind, policy, disposition, resource, cors string }{
		{"/forage-x.7/", "text/html; charset=utf-8", page, "", "same-origin", ""},
		{"/forage-x.7/to?https://c.example/", "text/html; charset=utf-8", page, "", "same-origin", ""},
		{"/forage-x.7/p/sheet", "text/css; charset=utf-8", "default-src 'none'; sandbox", "inline", "cross-origin",
			"null"},
		{"/forage-x.7/p/picture", "image/svg+xml", "default-src 'none'; sandbox", "inline", "cross-origin", "null"},
		{"/forage-x.7/p/font", "font/woff2", "default-src 'none'; sandbox", "inline", "cross-origin", "null"},
	} {
		resp, _ := r.ask(t, "GET", base+c.path, "Sec-Fetch-Site: cross-site\nOrigin: null\n", "")
		for name, want := range map[string]string{
			"Content-Type": c.kind, "Content-Security-Policy": c.policy, "Content-Disposition": c.disposition,
			"Cross-Origin-Resource-Policy": c.resource,
			"Access-Control-Allow-Origin":  c.cors, "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Set-Cookie": "",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", c.path, name, got, want)
			}
		}
	}
	if resp, _ := r.ask(t, "GET", base+"/forage-x.7/p/font", "",
		""); resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("whoever does not ask gets a CORS header")
	}
}

// A view ends an hour after its last use, and there are only so many.
func TestViews_End(t *testing.T) {
	now := time.Unix(1000, 0)
	v := views{clock: func() time.Time { return now }}
	first := v.begin("en")
	now = now.Add(viewTime - 1)
	if lang, ok := v.lang(first); !ok || lang != "en" {
		t.Errorf("the view is %q, %v", lang, ok)
	}
	now = now.Add(viewTime - 1)
	if _, ok := v.shown(first); !ok {
		t.Error("a view that was used is over")
	}
	v.show(first, ViewedPage{ArchiveView: ArchiveView{ID: "x"}, HTML: []byte("large"),
		Parts: map[string]string{"k": "v"}})
	if v.list[0].page.HTML != nil {
		t.Error("the page is kept")
	}
	if v.parts(first, "x")["k"] != "v" || v.parts(first, "y") != nil {
		t.Error("parts of another page, or none")
	}
	now = now.Add(viewTime)
	if _, ok := v.lang(first); ok || len(v.list) != 0 {
		t.Error("the view has no end")
	}
	if v.parts(first, "x") != nil {
		t.Error("the parts of a view that is over")
	}
	v.show(first, ViewedPage{})
	names := []string{v.begin("en"), v.begin("de")}
	v.lang(names[0])
	for range maxViews - 1 {
		v.begin("en")
	}
	if _, ok := v.lang(names[0]); !ok || len(v.list) != maxViews {
		t.Errorf("%d views, with the one that is in use: %v", len(v.list), ok)
	}
	if _, ok := v.lang(names[1]); ok {
		t.Error("the view that was used least is kept")
	}
}

// Whoever leaves takes the way into the archive along.
func TestViews_EndWithASession(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	b := r.enter(t)
	keepView(r.server, false)
	if resp, body := r.ask(t, "POST", "/api/session/end", b.headers()+"Content-Type: application/json\n",
		"{}"); resp.StatusCode != 204 {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	if resp, _ := r.ask(t, "GET", archivePath+testView+"/forage-x.7/", "", ""); resp.StatusCode != 404 {
		t.Errorf("after the end of the session: %d", resp.StatusCode)
	}
}

func TestLoggable_HidesViews(t *testing.T) {
	if got := loggable("/archive/" + testView + "/id/p/x"); got != "/archive/" {
		t.Errorf("the log says %s", got)
	}
}

func TestTypes_ViewKeys(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{ArchiveView{}, `{"id":"","url":"","time":"0001-01-01T00:00:00Z","title":"","status":0,"missing":null,"more":0,"hurried":false,"cut":false}`},
		{MissingPart{}, `{"url":"","kind":""}`}, {ViewTicket{}, `{"view":"","url":""}`},
	} {
		if got, err := json.Marshal(c.v); err != nil || string(got) != c.want {
			t.Errorf("%T is %s, want %s (%v)", c.v, got, c.want, err)
		}
	}
}
