package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api/secret"
	"github.com/forage-net/forage/storage/durable"
)

// maxSessionFile bounds the file, in bytes: twice what it can be.
const maxSessionFile = maxSessions * 512

// sessionFile is the content of STATE/sessions.json. It holds digests alone: who reads it gets in nowhere.
type sessionFile struct {
	Version  int             `json:"version"`
	Sessions []sessionRecord `json:"sessions"`
}

type sessionRecord struct {
	Cookie string    `json:"cookie"`
	Proof  string    `json:"proof"`
	Began  time.Time `json:"began"`
	Used   time.Time `json:"used"`
	// Password is the id of the password that let it in.
	Password string `json:"password,omitempty"`
}

// sessionVersion is that of the file's form. A file of another one is not read.
const sessionVersion = 1

// readSessions reads the file; without one there are no sessions.
func readSessions(file string) ([]*session, error) {
	data, err := durable.ReadSmall(file, maxSessionFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		var list []*session
		if list, err = parseSessions(data); err == nil {
			return list, nil
		}
	}
	return nil, fmt.Errorf("read sessions: %w", err)
}

func parseSessions(data []byte) ([]*session, error) {
	var f sessionFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Version != sessionVersion {
		return nil, fmt.Errorf("the file is of version %d, not %d", f.Version, sessionVersion)
	}
	if len(f.Sessions) > maxSessions {
		return nil, fmt.Errorf("there are more than %d", maxSessions)
	}
	list := make([]*session, len(f.Sessions))
	for i, r := range f.Sessions {
		cookie, err := secret.Parse(r.Cookie)
		proof, err2 := secret.Parse(r.Proof)
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		if len(r.Password) > 2*saltSize {
			return nil, errors.New("the id of a password is too long")
		}
		list[i] = &session{cookie: cookie, proof: proof, began: r.Began, used: r.Used, password: r.Password}
	}
	return list, nil
}

// writeSessions replaces the file in one step.
func writeSessions(file string, list []*session) error {
	slices.SortFunc(list, func(a, b *session) int { return a.used.Compare(b.used) })
	f := sessionFile{Version: sessionVersion, Sessions: make([]sessionRecord, len(list))}
	for i, s := range list {
		f.Sessions[i] = sessionRecord{s.cookie.String(), s.proof.String(),
			s.began.UTC(), s.used.UTC(), s.password}
	}
	data, err := json.Marshal(f)
	if err == nil {
		err = durable.Change{Fleeting: true}.Write(file, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write sessions: %w", err)
	}
	return nil
}
