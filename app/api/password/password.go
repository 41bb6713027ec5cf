// Package password keeps the password by which other computers of the local network are let in: a slow hash of
// it in the state directory. A caller who guesses waits, longer each time.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/forage-net/forage/assets"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
)

const (
	// Min and Max bound a password, in characters and in bytes.
	Min = 10
	Max = 200

	// fileName is that of the file in the state directory.
	fileName = "web-password.json"
	maxSize  = 1024
	version  = 1

	// What one try costs (Argon2id, RFC 9106): a tenth of a second and 32 MB for us, and as much for each
	// guess of somebody who got hold of the file. Doubled, a small computer is held up noticeably.
	argonPasses = 4
	argonKiB    = 32 << 10
	argonLanes  = 1
	minKiB      = 4 << 10
	saltSize    = 16
	hashSize    = 32
)

// fileForm is the content of STATE/web-password.json.
type fileForm struct {
	Version int    `json:"version"`
	Passes  uint32 `json:"passes"`
	KiB     uint32 `json:"kib"`
	Salt    string `json:"salt"`
	Hash    string `json:"hash"`
}

// Set sets the password by which other computers of the local network are let in, and ends the
// sessions that began with another one. Only a slow hash of it is kept. A running node takes note at once.
func Set(stateDir, password string) error {
	if n := utf8.RuneCountInString(password); n < Min || len(password) > Max {
		return words.New("said.cli.a-password-has-characters", words.Args{"least": Min, "most": Max, "count": n})
	}
	if isCommon(password) {
		return errCommon
	}
	return SetAt(stateDir, password, argonPasses, argonKiB)
}

// SetAt is Set for any password: it keeps a hash that takes so many passes over so much memory.
func SetAt(stateDir, password string, passes, kib uint32) error {
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	f := fileForm{
		Version: version, Passes: passes, KiB: kib, Salt: hex.EncodeToString(salt),
		Hash: hex.EncodeToString(hashOf(password, salt, passes, kib)),
	}
	data, err := json.Marshal(f)
	if err == nil {
		err = durable.Change{Fleeting: true}.Write(filepath.Join(stateDir, fileName), append(data, '\n'))
	}
	if err != nil {
		return words.New("said.cli.set-password", words.Args{"error": err})
	}
	return nil
}

// Remove removes the password, and so keeps all other computers out. There need not be one.
func Remove(stateDir string) error {
	if err := os.Remove(filepath.Join(stateDir, fileName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return words.New("said.cli.remove-password", words.Args{"error": err})
	}
	return nil
}

// ID returns which password is set, "" if none is that can be read. A new one has another.
func ID(stateDir string) string {
	p, err := read(filepath.Join(stateDir, fileName))
	if err != nil {
		return ""
	}
	return p.id
}

// IsSet reports whether a password is set that can be read.
func IsSet(stateDir string) (bool, error) {
	_, err := read(filepath.Join(stateDir, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func hashOf(password string, salt []byte, passes, kib uint32) []byte {
	return argon2.IDKey([]byte(password), salt, passes, kib, argonLanes, hashSize)
}

// kept is what is kept of one.
type kept struct {
	salt, hash  []byte
	passes, kib uint32
	// id tells it from others; a new one has another salt.
	id string
}

func read(file string) (*kept, error) {
	data, err := durable.ReadSmall(file, maxSize)
	if err != nil {
		return nil, err
	}
	p, err := parse(data)
	if err != nil {
		return nil, words.New("said.api.read-password-of-the-dashboard", words.Args{"error": err})
	}
	return p, nil
}

func parse(data []byte) (*kept, error) {
	var f fileForm
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Version != version {
		return nil, fmt.Errorf("the file is of version %d, not %d", f.Version, version)
	}
	// A file that asks for more would be a way to stop us, one that asks for nothing no protection.
	if f.Passes < 1 || f.Passes > 16 || f.KiB < minKiB || f.KiB > 256<<10 {
		return nil, errors.New("the cost of a try is out of range")
	}
	salt, err := hex.DecodeString(f.Salt)
	hash, err2 := hex.DecodeString(f.Hash)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	if len(salt) != saltSize || len(hash) != hashSize {
		return nil, errors.New("salt or hash is too short")
	}
	return &kept{salt: salt, hash: hash, passes: f.Passes, kib: f.KiB, id: f.Salt}, nil
}

// File is the password in a file, which may change while the node runs.
type File struct {
	file string
	busy chan struct{} // holds one element while a try is under way

	mu   sync.Mutex
	seen fs.FileInfo // the file as it was when it was read
	is   *kept
}

// Open returns the password in a state directory. There need not be one.
func Open(stateDir string) *File {
	return &File{file: filepath.Join(stateDir, fileName), busy: make(chan struct{}, 1)}
}

// current returns the password of now, nil if there is none.
func (p *File) current() *kept {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, err := os.Stat(p.file)
	if err != nil {
		p.seen, p.is = nil, nil
		return nil
	}
	if p.seen != nil && os.SameFile(info, p.seen) && info.Size() == p.seen.Size() &&
		info.ModTime().Equal(p.seen.ModTime()) {
		return p.is
	}
	if p.is, err = read(p.file); err != nil {
		p.seen, p.is = nil, nil
		return nil
	}
	p.seen = info
	return p.is
}

// ID returns which password is set, "" for none.
func (p *File) ID() string {
	if is := p.current(); is != nil {
		return is.id
	}
	return ""
}

// Check returns the id of the password if the text is it, and "" if it is not. One try is under way at a time.
func (p *File) Check(ctx context.Context, text string) (id string, err error) {
	is := p.current()
	if is == nil || text == "" || len(text) > Max {
		return "", nil
	}
	select {
	case p.busy <- struct{}{}:
		defer func() { <-p.busy }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if subtle.ConstantTimeCompare(hashOf(text, is.salt, is.passes, is.kib), is.hash) == 1 {
		return is.id, nil
	}
	return "", nil
}

// errCommon is returned for a password that is among the first that everybody tries.
var errCommon = words.New("said.api.common-password", nil)

var sortedCommon = sync.OnceValue(func() []string {
	list := strings.Fields(assets.CommonPasswords())
	slices.Sort(list)
	return list
})

// isCommon reports whether a password is among those that are tried first, however it is capitalised: one of the
// commonest, or the name of this computer or of the program, alone or with digits and signs behind it; a piece that
// repeats; characters that follow each other.
func isCommon(password string) bool {
	password = strings.ToLower(strings.TrimSpace(password))
	if repeats(password) || rises(password) {
		return true
	}
	host, _ := os.Hostname()
	host = strings.ToLower(host)
	short, _, _ := strings.Cut(host, ".")
	base := strings.TrimRightFunc(password, func(r rune) bool { return !unicode.IsLetter(r) })
	for _, text := range []string{password, base} {
		if _, found := slices.BinarySearch(sortedCommon(), text); found || text != "" &&
			(text == host || text == short || text == "forage") {
			return true
		}
	}
	return false
}

// repeats reports whether a text is one piece again and again, the last one perhaps cut off.
func repeats(text string) bool {
	for piece := 1; piece <= len(text)/2; piece++ {
		if text[piece:] == text[:len(text)-piece] {
			return true
		}
	}
	return false
}

// rises reports whether each character of a text is the one before it, its neighbour in the alphabet, or, after 9, a 0,
// and the other way.
func rises(text string) bool {
	for i := 1; i < len(text); i++ {
		pair := text[i-1 : i+1]
		if step := int(pair[1]) - int(pair[0]); (step < -1 || step > 1) && pair != "90" && pair != "09" {
			return false
		}
	}
	return true
}
