package worker

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
)

// wall answers with a page to those that bring a cookie.
func wall(name string, others http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie(name); err == nil && c.Value == "yes" {
			html("<title>inside</title>")(w, r)
			return
		}
		others(w, r)
	}
}

// setAndGo sets a cookie and leads on.
func setAndGo(cookie, to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if cookie != "" {
			w.Header().Add("Set-Cookie", cookie)
		}
		http.Redirect(w, r, to, http.StatusFound)
	}
}

func TestPool_CookieWalls(t *testing.T) {
	at := func(path string, here, elsewhere http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == path {
				here(w, r)
			} else {
				elsewhere(w, r)
			}
		}
	}
	for _, c := range []struct {
		name   string
		handle http.HandlerFunc
		want   crawl.Result
		paths  []string
	}{
		{"to itself", wall("ok", setAndGo("ok=yes; path=/", "/")), crawl.Fetched, []string{"/", "/"}},
		{"to itself, with attributes", wall("ok", setAndGo("ok=yes; HttpOnly; SameSite=Lax; Max-Age=60", "")), crawl.Fetched, []string{"/", "/"}},
		{"by an address that names it", at("/set", setAndGo("ok=yes; path=/", "/"), wall("ok", setAndGo("seen=1", "/set?back=%2F"))), crawl.Fetched, []string{"/", "/set?back=%2F", "/"}},
		{"by a query of its own", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery == "" {
				wall("ok", setAndGo("ok=yes; path=/", "/?check=1"))(w, r)
				return
			}
			setAndGo("", "/")(w, r)
		}, crawl.Fetched, []string{"/", "/?check=1", "/"}},
		{"two cookies", wall("b", wall2("a", setAndGo("b=yes", "/"), setAndGo("a=yes", "/"))), crawl.Fetched, []string{"/", "/", "/"}},
		{"none comes", wall("ok", setAndGo("", "/")), crawl.Redirected, []string{"/"}},
		{"another that does not help", wall("ok", setAndGo("no=1", "/")), crawl.Redirected, []string{"/", "/"}},
		{"one of another path", wall("ok", setAndGo("ok=yes; path=/elsewhere", "/")), crawl.Redirected, []string{"/"}},
		{"one that is over", wall("ok", setAndGo("ok=yes; Max-Age=0", "/")), crawl.Redirected, []string{"/"}},
		{"one for another site", wall("ok", setAndGo("ok=yes; domain=other.test", "/")), crawl.Redirected, []string{"/"}},
		{"an ordinary redirect with a cookie", setAndGo("ok=yes; path=/", "/next"), crawl.Redirected, []string{"/"}},
		{"one that asks not to be followed", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Robots-Tag", "nofollow")
			setAndGo("ok=yes", "/")(w, r)
		}, crawl.Redirected, []string{"/"}},
		{"a new cookie each time", endless(), crawl.Redirected, slices.Repeat([]string{"/"}, answer.MaxRedirects)},
	} {
		s := serveSite(t, true, c.handle)
		r := newRig(t, setup{})
		base := "http://" + s.addr.String()
		r.allow(base + "/")
		r.work()
		r.Take(r.lease(base+"/"), time.Now())
		r.await(1)
		if o := r.last(); o.Result != c.want || o.Task.URL.String() != base+"/" || (c.want == crawl.Fetched) != (o.Title == "inside") {
			t.Errorf("%s: %v, title %q", c.name, o.Result, o.Title)
		}
		if got := s.paths(); !slices.Equal(got, c.paths) {
			t.Errorf("%s: requested %q, want %q", c.name, got, c.paths)
		}
		if n := len(r.shelf.pages) + len(r.shelf.robots); n != len(c.paths) {
			t.Errorf("%s: %d answers archived, want %d", c.name, n, len(c.paths))
		}
	}
}

// wall2 is one of two answers, by whether there is a cookie.
func wall2(name string, with, without http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie(name); err == nil {
			with(w, r)
			return
		}
		without(w, r)
	}
}

// endless sets another cookie with each redirect.
func endless() http.HandlerFunc {
	n := 0
	return func(w http.ResponseWriter, r *http.Request) {
		n++
		setAndGo(fmt.Sprintf("c%d=x", n), "/")(w, r)
	}
}

// Cookies end with the chain that they came in: no later task has them, and none is sent where none was set.
func TestPool_CookiesEndWithTheirChain(t *testing.T) {
	var brought []string
	s := serveSite(t, true, func(w http.ResponseWriter, r *http.Request) {
		brought = append(brought, r.URL.Path+" "+r.Header.Get("Cookie"))
		wall("ok", setAndGo("ok=yes; path=/", r.URL.Path))(w, r)
	})
	r := newRig(t, setup{})
	base := "http://" + s.addr.String()
	r.allow(base + "/")
	r.work()
	r.Take(r.lease(base+"/1", base+"/2"), time.Now())
	r.await(1)
	if want := []string{"/1 ", "/1 ok=yes", "/2 ", "/2 ok=yes"}; !slices.Equal(brought, want) {
		t.Errorf("requests %q, want %q", brought, want)
	}
	if got, want := results(r.books.outcomes()), []crawl.Result{crawl.Fetched, crawl.Fetched}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
