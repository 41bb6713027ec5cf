package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

// proofHeader carries the half of a session's secret that is not in the cookie.
const proofHeader = "X-Forage-Proof"

const (
	// cookieLife is longer than a session may rest, so that the node alone decides when one ends.
	cookieLife = 400 * 24 * time.Hour // the most that browsers keep one
	// maxCookies bounds the cookies of our name that are looked at.
	maxCookies = 8
)

// Link lets a browser in, once.
type Link struct {
	// URL has the key in its fragment, which browsers send to nobody.
	URL string `json:"url"`
	// Expires is when it no longer works.
	Expires time.Time `json:"expires"`
}

// To returns the address that leads to a page of the dashboard, named as in its own addresses: "settings" or
// "mine?q=words"; "" is the first.
func (l Link) To(route string) string {
	if route == "" {
		return l.URL
	}
	return l.URL + "&to=" + url.QueryEscape(route)
}

// entry is the body of POST /api/session.
type entry struct {
	// Key is that of a link.
	Key string `json:"key"`
	// Password is taken where other computers are let in.
	Password string `json:"password"`
}

// entries is the answer of GET /api/session: how one can get in.
type entries struct {
	// Password says that there is one.
	Password bool `json:"password"`
}

// pass is the answer of POST /api/session.
type pass struct {
	// Proof is the header X-Forage-Proof of all further calls; the cookie comes along with it.
	Proof string `json:"proof"`
}

func (s *Server) link(w http.ResponseWriter, r *http.Request) error {
	if err := readBody(w, r, &struct{}{}); err != nil {
		return err
	}
	key, ends := s.sessions.newKey()
	return writeJSON(w, Link{URL: scheme(r) + "://" + r.Host + "/#key=" + key, Expires: ends.UTC()})
}

// howToEnter says what a page may ask its user for. It tells strangers nothing else.
func (s *Server) howToEnter(w http.ResponseWriter, r *http.Request) error {
	if _, err := query(r); err != nil {
		return err
	}
	return writeJSON(w, entries{Password: s.password != nil && s.password.id() != ""})
}

// beginSession lets a browser in that has a one-time key, or whose user knows the password.
func (s *Server) beginSession(w http.ResponseWriter, r *http.Request) error {
	if !s.guesses.allow(r.RemoteAddr) {
		return tooMany(w)
	}
	var body entry
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	password, err := s.checkEntry(r, body)
	if errors.Is(err, errTooMany) {
		return tooMany(w)
	} else if err != nil {
		return err
	}
	cookie, proof, err := s.sessions.begin(password)
	if err != nil {
		s.log.Warn("Dashboard will ask for a link again after the next start", "error", err)
	}
	s.log.Info("Dashboard opened", "caller", r.RemoteAddr)
	http.SetCookie(w, sessionCookie(r, cookie, cookieLife))
	return writeJSON(w, pass{Proof: proof})
}

func tooMany(w http.ResponseWriter) error {
	w.Header().Set("Retry-After", "60")
	return refuse(http.StatusTooManyRequests, "too many tries; wait a minute")
}

// checkEntry returns the id of the password that lets the caller in, "" for a link, or why it stays out.
func (s *Server) checkEntry(r *http.Request, body entry) (password string, err error) {
	if body.Password == "" {
		if s.sessions.redeem(body.Key) {
			return "", nil
		}
		s.log.Warn("Dashboard refused: the link was used, is too old or wrong", "caller", r.RemoteAddr)
		return "", refuse(http.StatusUnauthorized, "this link was used already, or is too old; \"forage dashboard\" makes another one")
	}
	if s.password == nil {
		return "", refuse(http.StatusUnauthorized, "there is no password here; \"forage dashboard\" makes a link")
	}
	if password, err = s.password.check(r.Context(), body.Password); err == nil && password == "" {
		s.log.Warn("Dashboard refused: the password is wrong", "caller", r.RemoteAddr)
		err = refuse(http.StatusUnauthorized, "the password is wrong")
	}
	return password, err
}

// endSession ends the session of the caller, if it has one.
func (s *Server) endSession(w http.ResponseWriter, r *http.Request) error {
	if err := readBody(w, r, &struct{}{}); err != nil {
		return err
	}
	s.views.endAll()
	if ended, err := s.sessions.end(shown(r, false)); err != nil {
		return err // it is over, but only until the next start
	} else if ended {
		s.log.Info("Dashboard closed", "caller", r.RemoteAddr)
	}
	http.SetCookie(w, sessionCookie(r, "", -time.Second))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// mayEnter reports whether the caller is known, by the token or by a session, and gives the session's
// cookie a new lease of life when that is due.
func (s *Server) mayEnter(w http.ResponseWriter, r *http.Request, rt route) bool {
	if rt.open {
		return true
	}
	if len(r.Header.Values("Authorization")) > 0 {
		return s.knows(r)
	}
	renew, ok, err := s.sessions.admit(shown(r, rt.browsed))
	if err != nil {
		s.log.Warn("Dashboard sessions are not written down", "error", err)
	}
	if renew != "" {
		http.SetCookie(w, sessionCookie(r, renew, cookieLife))
	}
	return ok
}

// shown returns the credentials of a call. Where the cookie is enough, alone is true.
func shown(r *http.Request, alone bool) credentials {
	c := credentials{alone: alone}
	for _, one := range r.CookiesNamed(cookieName(r)) {
		if len(c.cookies) < maxCookies && len(one.Value) == 64 {
			c.cookies = append(c.cookies, one.Value)
		}
	}
	if proofs := r.Header.Values(proofHeader); len(proofs) == 1 {
		c.proof = proofs[0]
	}
	return c
}

// sessionCookie returns the cookie of a session; one with a life below 0 removes it.
func sessionCookie(r *http.Request, value string, life time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: int(life / time.Second),
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	}
}

// cookieName tells nodes on one computer apart, whose cookies go to all of them.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = map[string]string{"http": "80", "https": "443"}[scheme(r)]
	}
	return "forage-" + port
}

func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// Link returns a link that lets a browser in, once and soon.
func (c *Client) Link(ctx context.Context) (Link, error) {
	var l Link
	err := c.call(ctx, http.MethodPost, "/api/link", struct{}{}, &l)
	return l, err
}
