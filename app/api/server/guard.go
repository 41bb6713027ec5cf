package server

import (
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/hosts"
	"github.com/forage-net/forage/assets/words"
)

// handlerFunc answers a call or returns an error, before it writes anything.
type handlerFunc func(w http.ResponseWriter, r *http.Request) error

// route is what one path takes.
type route struct {
	get, post handlerFunc // nil if the method is not taken
	// open routes need no token.
	open bool
	// visit lets a link on another site lead here: a page that shows nothing until it has asked for it.
	visit bool
	// browsed routes are content with the cookie of a session: browsers go there themselves.
	browsed bool
	// deep routes, whose names are of one step and end with a slash, take any number of steps below them.
	deep bool
	// named reports whether a call has a secret in its path. Frames without rights of their own may make it then.
	named func(r *http.Request) bool
}

// handler returns what serves a method, nil if none does.
func (rt route) handler(method string) handlerFunc {
	switch method {
	case http.MethodGet:
		return rt.get
	case http.MethodPost:
		return rt.post
	}
	return nil
}

// methods returns the methods it takes.
func (rt route) methods() []string {
	var list []string
	for _, m := range []string{http.MethodGet, http.MethodPost} {
		if rt.handler(m) != nil {
			list = append(list, m)
		}
	}
	return list
}

// handler returns the dashboard and all of the API as it is served on a port.
func (s *Server) handler(port string) http.Handler {
	routes := s.table()
	var names []string
	if s.lan != nil {
		names = s.lan.Hosts
	}
	gate, in := hosts.New(port, names), s.entrance()
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w := &response{ResponseWriter: rw}
		r = r.WithContext(api.WithLang(r.Context(), spoken(r)))
		defer s.survive(w, r)
		secure(w.Header())
		rt, err := in.admit(w, routes, gate, r)
		if err != nil {
			w.Header().Set("Connection", "close") // strangers hold no connection
		} else if serve := rt.handler(r.Method); serve == nil {
			w.Header().Set("Allow", strings.Join(rt.methods(), ", "))
			err = refuse(http.StatusMethodNotAllowed, "said.api.takes-alone",
				words.Args{"path": r.URL.Path, "methods": strings.Join(rt.methods(), " and ")})
		} else {
			err = serve(w, r)
			if r.Method == http.MethodPost {
				s.shared.Forget() // before the caller has the answer
			}
		}
		if err != nil {
			writeError(w, r, err)
		}
	})
}

// table returns all routes. Those of the API come before files of the same name.
func (s *Server) table() map[string]route {
	routes := s.routes()
	for path, f := range s.files {
		if _, ours := routes[path]; !ours {
			serve := func(w http.ResponseWriter, r *http.Request) error { f.ServeHTTP(w, r); return nil }
			routes[path] = route{get: serve, open: true, visit: path == "/"}
		}
	}
	return routes
}

// lookUp returns the route of a path. One whose name ends with a slash takes one more step below it, or any number if
// it is deep.
func lookUp(routes map[string]route, path string) (route, bool) {
	if rt, found := routes[path]; found {
		return rt, true
	}
	if first, _, more := strings.Cut(strings.TrimPrefix(path, "/"), "/"); more {
		if rt := routes["/"+first+"/"]; rt.deep {
			return rt, true
		}
	}
	i := strings.LastIndexByte(path, '/')
	if i < 1 || i == len(path)-1 {
		return route{}, false // nothing is below "/" itself
	}
	rt, found := routes[path[:i+1]]
	return rt, found
}

// admit decides who may call what. What a stranger learns does not depend on the path, except for the open routes.
func (e *entrance) admit(
	w http.ResponseWriter, routes map[string]route, gate hosts.Gate, r *http.Request,
) (route, error) {
	host := strings.ToLower(r.Host)
	if !gate.Knows(r, host) {
		return route{}, refuse(http.StatusMisdirectedRequest, "said.api.this-is-not-the-host-that", nil)
	}
	rt, found := lookUp(routes, r.URL.Path)
	named := rt.named != nil && rt.named(r)
	for _, origin := range r.Header.Values("Origin") {
		if strings.ToLower(origin) != scheme(r)+"://"+host && !(named && origin == "null") {
			return route{}, refuse(http.StatusForbidden, "said.api.calls-from-other-sites-are-not", nil)
		}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" && !named && !(rt.visit && isVisit(r)) {
			return route{}, refuse(http.StatusForbidden, "said.api.calls-from-other-sites-are-not", nil)
		}
	}
	if !e.mayEnter(w, r, rt) {
		return route{}, refuse(http.StatusUnauthorized, "said.api.the-token-or-the-session-is", nil)
	}
	if !found {
		return route{}, refuse(http.StatusNotFound, "said.api.there-is-no-such-path", nil)
	}
	return rt, nil
}

// isVisit reports whether a browser goes to a page because its user followed a link, and shows it by itself.
func isVisit(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// secure sets what every answer carries. There are no CORS headers: no other site is to read anything.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// response remembers whether an answer has begun.
type response struct {
	http.ResponseWriter
	begun bool
}

func (w *response) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController find the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// survive turns a panic into an answer: a bug in what is shown must not stop
// the crawl.
func (s *Server) survive(w *response, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	s.log.Error("Panic in API call", "method", r.Method, "path", loggable(r.URL.Path), "cause", cause, "stack",
		string(debug.Stack()))
	if w.begun {
		panic(http.ErrAbortHandler) // cut the connection: half an answer must not look whole
	}
	writeError(w, r, refuse(http.StatusInternalServerError, "said.api.a-bug-in-forage-the-log", nil))
}

// loggable returns what of a path may be in the log: the last part may be a ticket, or the second the name of a view.
func loggable(path string) string {
	if strings.HasPrefix(path, "/api/") {
		return path
	}
	if strings.HasPrefix(path, archivePath) {
		return archivePath
	}
	return path[:strings.LastIndexByte(path, '/')+1]
}
