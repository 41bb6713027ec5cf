// Package session keeps the browsers that were let in, and the one-time links that let one in. What it keeps, in memory
// and in a file that outlasts the node, are digests: a reader of them gets in nowhere. It is safe for concurrent use.
package session

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/forage-net/forage/app/api/secret"
)

const (
	// KeyLife is how long a one-time link works: long enough to carry it to a browser.
	KeyLife = 10 * time.Minute
	// MaxKeys bounds the links that wait to be used; the oldest goes first.
	MaxKeys = 16
	// sessionLife is how long a session lasts, however much it is used.
	sessionLife = 30 * 24 * time.Hour
	// maxSessions bounds the sessions; the one that was used longest ago goes first.
	maxSessions = 64
	// touchEvery is how often it is written down that a session is in use. The cookie is renewed then.
	touchEvery = 24 * time.Hour
)

// session is a browser that was let in. It shows two secrets: a cookie, which scripts cannot read, and a
// proof, which other programs on this computer do not get, since cookies are not bound to a port.
type session struct {
	cookie, proof secret.Digest
	began, used   time.Time
	// password is the id of the password that let it in, or the session that made its link; "" for a link of this
	// computer. It ends with the password.
	password string
}

// key is a one-time key that was not used yet.
type key struct {
	ends     time.Time
	password string // of the session that it begins
}

// Sessions are the browsers that were let in, and the links that let one in.
type Sessions struct {
	file string // where sessions outlast the node; "" for nowhere
	now  func() time.Time
	// password returns the id of the password of now; nil where nobody is let in by one.
	password func() string

	mu   sync.Mutex
	keys *simplelru.LRU[secret.Digest, key]
	open *simplelru.LRU[secret.Digest, *session] // by cookie
}

// Open reads the sessions of earlier starts from a file, "" for none. Where it cannot be read or understood, the
// error says so and there are none. password returns the id of the password of now; it is nil where nobody is let in by
// one.
func Open(file string, now func() time.Time, password func() string) (*Sessions, error) {
	s := &Sessions{file: file, now: now, password: password}
	s.keys, _ = simplelru.NewLRU[secret.Digest, key](MaxKeys, nil) // fails for no size only
	s.open, _ = simplelru.NewLRU[secret.Digest, *session](maxSessions, nil)
	if file == "" {
		return s, nil
	}
	list, err := read(file) // the one used last is the last
	at := now()
	for _, one := range list {
		if one.used.After(at) {
			one.used = at // the clock was set back
		}
		if one.began.After(at) {
			one.began = at
		}
		if at.Sub(one.began) < sessionLife {
			s.open.Add(one.cookie, one)
		}
	}
	return s, err
}

// NewKey returns a one-time key and when it ends. password is that of the session that it begins.
func (s *Sessions) NewKey(password string) (text string, ends time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ends = secret.New(16), s.now().Add(KeyLife)
	s.keys.Add(secret.Of(text), key{ends, password})
	return text, ends
}

// Redeem uses a one-time key up. It reports whether it was one, and the password of the session that it begins.
func (s *Sessions) Redeem(text string) (password string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := secret.Of(text)
	k, found := s.keys.Peek(d)
	s.keys.Remove(d)
	return k.password, found && s.now().Before(k.ends)
}

// PasswordOf returns the password of the caller's session, "" if it has none.
func (s *Sessions) PasswordOf(c Credentials) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, one := s.find(c); one != nil {
		return one.password
	}
	return ""
}

// Begin makes a session and returns its secrets. It counts even if the error says that it could not be
// written down. password is the id of the one that was given, "" for a link.
func (s *Sessions) Begin(password string) (cookie, proof string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cookie, proof = secret.New(32), secret.New(32)
	at := s.now()
	one := &session{cookie: secret.Of(cookie), proof: secret.Of(proof), began: at, used: at, password: password}
	s.open.Add(one.cookie, one)
	return cookie, proof, s.save()
}

// Credentials are what a caller shows.
type Credentials struct {
	Cookies []string // of our name; others on this computer may have added to them
	Proof   string
	// Alone says that the cookie is enough, Afar that they are shown by another computer.
	Alone, Afar bool
}

// find returns the cookie of the session that the caller may use, "" if none. It looks at all of them:
// what takes how long does not depend on the secrets, of which only digests are compared.
func (s *Sessions) find(c Credentials) (cookie string, one *session) {
	at := s.now()
	proof := secret.Of(c.Proof)
	for _, text := range c.Cookies {
		found, known := s.open.Peek(secret.Of(text))
		if !known || at.Sub(found.began) >= sessionLife || !s.stillGood(found, c.Afar) {
			continue
		}
		if c.Alone || proof.Is(found.proof) {
			cookie, one = text, found
		}
	}
	return cookie, one
}

// stillGood reports whether the password that let a session in is the one of now. One without a password is of this
// computer.
func (s *Sessions) stillGood(one *session, afar bool) bool {
	if one.password == "" {
		return !afar
	}
	return s.password != nil && one.password == s.password()
}

// Admit reports whether the caller has a session. renew is the cookie to set again, "" if that is not due.
func (s *Sessions) Admit(c Credentials) (renew string, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cookie, one := s.find(c)
	if one == nil {
		return "", false, nil
	}
	s.open.Get(one.cookie) // in use: others go first
	at := s.now()
	if since := at.Sub(one.used); since >= 0 && since < touchEvery {
		return "", true, nil
	}
	one.used = at
	return cookie, true, s.save()
}

// End ends the caller's session, and reports whether there was one.
func (s *Sessions) End(c Credentials) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, one := s.find(c)
	if one == nil {
		return false, nil
	}
	s.open.Remove(one.cookie)
	return true, s.save()
}

// EndAll ends all sessions, and links that were not used yet.
func (s *Sessions) EndAll() (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open.Purge()
	s.keys.Purge()
	return true, s.save()
}

// save writes the sessions down. s.mu is held: it is seldom, and small.
func (s *Sessions) save() error {
	if s.file == "" {
		return nil
	}
	return write(s.file, s.open.Values())
}
