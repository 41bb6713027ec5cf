package api

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
	"github.com/forage-net/forage/storage/durable"
)

const (
	// MinPassword and MaxPassword bound a password, in characters and in bytes.
	MinPassword = 10
	MaxPassword = 200

	passwordName    = "web-password.json"
	maxPasswordFile = 1024
	passwordVersion = 1

	// What one try costs (Argon2id, RFC 9106): a tenth of a second and 32 MB for us, and as much for each
	// guess of somebody who got hold of the file. Doubled, a small computer is held up noticeably.
	argonPasses = 4
	argonKiB    = 32 << 10
	argonLanes  = 1
	minKiB      = 4 << 10
	saltSize    = 16
	hashSize    = 32
)

// passwordFile is the content of STATE/web-password.json.
type passwordFile struct {
	Version int    `json:"version"`
	Passes  uint32 `json:"passes"`
	KiB     uint32 `json:"kib"`
	Salt    string `json:"salt"`
	Hash    string `json:"hash"`
}

// SetPassword sets the password by which other computers of the local network are let in, and ends the
// sessions that began with another one. Only a slow hash of it is kept. A running node takes note at once.
func SetPassword(stateDir, password string) error {
	if n := utf8.RuneCountInString(password); n < MinPassword || len(password) > MaxPassword {
		return fmt.Errorf("a password has %d to %d characters, not %d", MinPassword, MaxPassword, n)
	}
	if isCommon(password) {
		return errCommon
	}
	return setPassword(stateDir, password, argonPasses, argonKiB)
}

// setPassword keeps a hash that takes so many passes over so much memory.
func setPassword(stateDir, password string, passes, kib uint32) error {
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	f := passwordFile{
		Version: passwordVersion, Passes: passes, KiB: kib, Salt: hex.EncodeToString(salt),
		Hash: hex.EncodeToString(hashPassword(password, salt, passes, kib)),
	}
	data, err := json.Marshal(f)
	if err == nil {
		err = durable.Change{Fleeting: true}.Write(filepath.Join(stateDir, passwordName), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	return nil
}

// RemovePassword removes the password, and so keeps all other computers out. There need not be one.
func RemovePassword(stateDir string) error {
	if err := os.Remove(filepath.Join(stateDir, passwordName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove password: %w", err)
	}
	return nil
}

// PasswordID returns which password is set, "" if none is that can be read. A new one has another.
func PasswordID(stateDir string) string {
	p, err := readPassword(filepath.Join(stateDir, passwordName))
	if err != nil {
		return ""
	}
	return p.id
}

// HasPassword reports whether a password is set that can be read.
func HasPassword(stateDir string) (bool, error) {
	_, err := readPassword(filepath.Join(stateDir, passwordName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func hashPassword(password string, salt []byte, passes, kib uint32) []byte {
	return argon2.IDKey([]byte(password), salt, passes, kib, argonLanes, hashSize)
}

// password is what is kept of one.
type password struct {
	salt, hash  []byte
	passes, kib uint32
	// id tells it from others; a new one has another salt.
	id string
}

func readPassword(file string) (*password, error) {
	data, err := durable.ReadSmall(file, maxPasswordFile)
	if err != nil {
		return nil, err
	}
	p, err := parsePassword(data)
	if err != nil {
		return nil, fmt.Errorf("read password of the dashboard: %w; \"forage password\" sets it anew", err)
	}
	return p, nil
}

func parsePassword(data []byte) (*password, error) {
	var f passwordFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Version != passwordVersion {
		return nil, fmt.Errorf("the file is of version %d, not %d", f.Version, passwordVersion)
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
	return &password{salt: salt, hash: hash, passes: f.Passes, kib: f.KiB, id: f.Salt}, nil
}

// passwords is the password in a file, which may change while the node runs.
type passwords struct {
	file string
	busy chan struct{} // holds one element while a try is under way

	mu   sync.Mutex
	seen fs.FileInfo // the file as it was when it was read
	is   *password
}

func newPasswords(file string) *passwords {
	return &passwords{file: file, busy: make(chan struct{}, 1)}
}

// current returns the password of now, nil if there is none.
func (p *passwords) current() *password {
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
	if p.is, err = readPassword(p.file); err != nil {
		p.seen, p.is = nil, nil
		return nil
	}
	p.seen = info
	return p.is
}

// id returns which password is set, "" for none.
func (p *passwords) id() string {
	if is := p.current(); is != nil {
		return is.id
	}
	return ""
}

// check returns the id of the password if the text is it, and "" if it is not. One try is under way at a time.
func (p *passwords) check(ctx context.Context, text string) (id string, err error) {
	is := p.current()
	if is == nil || text == "" || len(text) > MaxPassword {
		return "", nil
	}
	select {
	case p.busy <- struct{}{}:
		defer func() { <-p.busy }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if subtle.ConstantTimeCompare(hashPassword(text, is.salt, is.passes, is.kib), is.hash) == 1 {
		return is.id, nil
	}
	return "", nil
}

// errCommon is returned for a password that is among the first that everybody tries.
var errCommon = errors.New("this is one of the passwords that everybody tries first; take another")

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
