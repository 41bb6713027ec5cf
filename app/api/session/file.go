package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api/secret"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
)

// maxPasswordID bounds the id of a password, in bytes.
const maxPasswordID = 32

// maxSize bounds the file, in bytes: twice what it can be.
const maxSize = maxSessions * 512

// fileForm is the content of STATE/sessions.json. It holds digests alone: a reader of it gets in nowhere.
type fileForm struct {
	Version  int      `json:"version"`
	Sessions []record `json:"sessions"`
}

type record struct {
	Cookie string    `json:"cookie"`
	Proof  string    `json:"proof"`
	Began  time.Time `json:"began"`
	Used   time.Time `json:"used"`
	// Password is the id of the password that let it in.
	Password string `json:"password,omitempty"`
}

// version is that of the file's form. A file of another one is not read.
const version = 1

// read reads the file; without one there are no sessions.
func read(file string) ([]*session, error) {
	data, err := durable.ReadSmall(file, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		var list []*session
		if list, err = parse(data); err == nil {
			return list, nil
		}
	}
	return nil, words.New("said.trouble.read-sessions", words.Args{"error": err})
}

func parse(data []byte) ([]*session, error) {
	var f fileForm
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Version != version {
		return nil, fmt.Errorf("the file is of version %d, not %d", f.Version, version)
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
		if len(r.Password) > maxPasswordID {
			return nil, errors.New("the id of a password is too long")
		}
		list[i] = &session{cookie: cookie, proof: proof, began: r.Began, used: r.Used, password: r.Password}
	}
	return list, nil
}

// write replaces the file in one step.
func write(file string, list []*session) error {
	slices.SortFunc(list, func(a, b *session) int { return a.used.Compare(b.used) })
	f := fileForm{Version: version, Sessions: make([]record, len(list))}
	for i, s := range list {
		f.Sessions[i] = record{s.cookie.String(), s.proof.String(),
			s.began.UTC(), s.used.UTC(), s.password}
	}
	data, err := json.Marshal(f)
	if err == nil {
		err = durable.Change{Fleeting: true}.Write(file, append(data, '\n'))
	}
	if err != nil {
		return words.New("said.trouble.write-sessions", words.Args{"error": err})
	}
	return nil
}
