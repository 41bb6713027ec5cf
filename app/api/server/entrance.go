package server

import (
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/conns"
	"github.com/forage-net/forage/app/api/password"
	"github.com/forage-net/forage/app/api/secret"
	"github.com/forage-net/forage/app/api/session"
	"github.com/forage-net/forage/assets/words"
)

// proofHeader carries the half of a session's secret that is not in the cookie.
const proofHeader = "X-Forage-Proof"

const (
	// cookieLife is longer than a session may rest, so that the node alone decides when one ends.
	cookieLife = 400 * 24 * time.Hour // the most that browsers keep one
	// maxCookies bounds the cookies of our name that are looked at.
	maxCookies = 8
)

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

// exit is the body of POST /api/session/end.
type exit struct {
	// Everywhere ends all sessions, and links that were not used yet.
	Everywhere bool `json:"everywhere"`
}

// entrance decides which callers are let in, those with the token or a session, and how a session begins and ends.
type entrance struct {
	token    secret.Digest
	sessions *session.Sessions
	guesses  *password.Guesses
	password *password.File // nil where nobody is let in by one
	log      *slog.Logger
	left     func() // is called when a session ends
}

func (e *entrance) link(w http.ResponseWriter, r *http.Request) error {
	if err := readBody(w, r, &struct{}{}); err != nil {
		return err
	}
	if isAfar(r) {
		return refuse(http.StatusForbidden, "said.api.links-are-made-on", nil)
	}
	key, ends := e.sessions.NewKey(e.sessions.PasswordOf(shown(r, false)))
	return writeJSON(w, api.Link{URL: scheme(r) + "://" + r.Host + "/#key=" + key, Expires: ends.UTC()})
}

// howToEnter says what a page may ask its user for. It tells strangers nothing else.
func (e *entrance) howToEnter(w http.ResponseWriter, r *http.Request) error {
	if err := query(r).err; err != nil {
		return err
	}
	return writeJSON(w, entries{Password: e.password != nil && e.password.ID() != ""})
}

// beginSession lets a browser in that has a one-time key, or whose user knows the password. Keys are not guessed, so
// that nobody has to wait who has one.
func (e *entrance) beginSession(w http.ResponseWriter, r *http.Request) error {
	var body entry
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	enter := e.enterByKey
	if body.Password != "" {
		enter = e.enterByPassword
	}
	password, err := enter(w, r, body)
	if err != nil {
		return err
	}
	cookie, proof, err := e.sessions.Begin(password)
	if err != nil {
		e.log.Warn("Dashboard will ask for a link again after the next start", "error", err)
	}
	e.log.Info("Dashboard opened", "caller", r.RemoteAddr)
	http.SetCookie(w, sessionCookie(r, cookie, cookieLife))
	return writeJSON(w, pass{Proof: proof})
}

// enterByKey returns the password of the session that made the link, "" for none. Links are of this computer: who is
// let in elsewhere knows the password, and goes with it.
func (e *entrance) enterByKey(_ http.ResponseWriter, r *http.Request, body entry) (password string, err error) {
	if !isAfar(r) {
		if password, ok := e.sessions.Redeem(body.Key); ok {
			return password, nil
		}
	}
	e.log.Warn("Dashboard refused: the link was used, is too old or wrong", "caller", r.RemoteAddr)
	return "", refuse(http.StatusUnauthorized, "said.api.this-link-was-used-already-or", nil)
}

// enterByPassword returns the id of the password, if the caller knows it.
func (e *entrance) enterByPassword(w http.ResponseWriter, r *http.Request, body entry) (password string, err error) {
	if e.password == nil {
		return "", refuse(http.StatusUnauthorized, "said.api.there-is-no-password-here-forage", nil)
	}
	if wait := e.guesses.Begin(r.RemoteAddr); wait > 0 {
		seconds := int64((wait + time.Second - 1) / time.Second)
		w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
		return "", refuse(http.StatusTooManyRequests, "said.api.too-many-wrong-passwords",
			words.Args{"seconds": seconds})
	}
	if password, err = e.password.Check(r.Context(), body.Password); err != nil {
		return "", err
	}
	if password == "" {
		e.log.Warn("Dashboard refused: the password is wrong", "caller", r.RemoteAddr)
		return "", refuse(http.StatusUnauthorized, "said.api.the-password-is-wrong", nil)
	}
	e.guesses.Right(r.RemoteAddr)
	return password, nil
}

// endSession ends the session of the caller, if it has one, or all of them.
func (e *entrance) endSession(w http.ResponseWriter, r *http.Request) error {
	var body exit
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	e.left()
	end := func() (bool, error) { return e.sessions.End(shown(r, false)) }
	if body.Everywhere {
		end = e.sessions.EndAll
	}
	if ended, err := end(); err != nil {
		return err // it is over, but only until the next start
	} else if ended {
		e.log.Info("Dashboard closed", "caller", r.RemoteAddr)
	}
	http.SetCookie(w, sessionCookie(r, "", -time.Second))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// mayEnter reports whether the caller is known, by the token or by a session, and gives the session's
// cookie a new lease of life when that is due.
func (e *entrance) mayEnter(w http.ResponseWriter, r *http.Request, rt route) bool {
	if rt.open {
		return true
	}
	if len(r.Header.Values("Authorization")) > 0 {
		ok := e.knows(r)
		if ok {
			conns.Greet(r.Context())
		}
		return ok
	}
	renew, ok, err := e.sessions.Admit(shown(r, rt.browsed))
	if err != nil {
		e.log.Warn("Dashboard sessions are not written down", "error", err)
	}
	if renew != "" {
		http.SetCookie(w, sessionCookie(r, renew, cookieLife))
	}
	if ok {
		conns.Greet(r.Context())
	}
	return ok
}

// knows reports whether the caller knows the token. The comparison takes the same time whatever it sent.
func (e *entrance) knows(r *http.Request) bool {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	return secret.Of(token).Is(e.token) && token != "" && strings.EqualFold(scheme, "Bearer")
}

// shown returns the credentials of a call. Where the cookie is enough, alone is true.
func shown(r *http.Request, alone bool) session.Credentials {
	c := session.Credentials{Alone: alone, Afar: isAfar(r)}
	for _, one := range r.CookiesNamed(cookieName(r)) {
		if len(c.Cookies) < maxCookies && len(one.Value) == 64 {
			c.Cookies = append(c.Cookies, one.Value)
		}
	}
	if proofs := r.Header.Values(proofHeader); len(proofs) == 1 {
		c.Proof = proofs[0]
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
