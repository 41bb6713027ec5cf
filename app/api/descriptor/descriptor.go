// Package descriptor keeps the file that says where a running node can be reached, and by which token: a front end that
// can read the state directory of a node can call it.
package descriptor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/app/api/conns"
	"github.com/forage-net/forage/app/api/secret"
	"github.com/forage-net/forage/storage/durable"
)

// Descriptor says where a running node can be reached. It is the content of
// STATE/api.json, which only the node's user can read.
type Descriptor struct {
	// Addr is the loopback address the server listens on.
	Addr string `json:"addr"`
	// Token is the secret every call carries.
	Token string `json:"token"`
	PID   int    `json:"pid"`
	// BootID is new at each start of the node.
	BootID  string    `json:"boot_id"`
	Started time.Time `json:"started"`
}

// NewToken returns 256 random bits in hexadecimal. A node makes one at each start: who finds an old one has nothing.
func NewToken() string { return secret.New(32) }

// NewBootID returns 128 random bits in hexadecimal.
func NewBootID() string { return secret.New(16) }

const name = "api.json"

// maxSize bounds the file, in bytes: five times an ordinary one.
const maxSize = 2048

// Write puts the descriptor of a node that now serves into its state directory, in one step.
func Write(stateDir string, d Descriptor) error {
	if err := d.check(); err != nil {
		return fmt.Errorf("write API descriptor: %w", err)
	}
	data, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("write API descriptor: %w", err)
	}
	change := durable.Change{Fleeting: true} // after a power cut the node does not run
	if err := change.Write(filepath.Join(stateDir, name), append(data, '\n')); err != nil {
		return fmt.Errorf("write API descriptor: %w", err)
	}
	return nil
}

// Read returns the descriptor in a state directory. The error is
// fs.ErrNotExist where no node runs or ever ran; a node that crashed leaves
// one behind.
func Read(stateDir string) (Descriptor, error) {
	path := filepath.Join(stateDir, name)
	d, err := read(path)
	if err != nil {
		return Descriptor{}, fmt.Errorf("read API descriptor: %w", err)
	}
	return d, nil
}

// Stat returns what the system says of the descriptor in a state directory: it has not changed since if that
// has not. The error is fs.ErrNotExist where there is none.
func Stat(stateDir string) (fs.FileInfo, error) {
	info, err := os.Lstat(filepath.Join(stateDir, name))
	if err != nil {
		return nil, fmt.Errorf("look at the API descriptor: %w", err)
	}
	return info, nil
}

func read(path string) (Descriptor, error) {
	data, err := durable.ReadSmall(path, maxSize)
	if err != nil {
		return Descriptor{}, err
	}
	return parse(data)
}

func parse(data []byte) (Descriptor, error) {
	if len(data) > maxSize {
		return Descriptor{}, errors.New("it is too long")
	}
	var d Descriptor
	if err := json.Unmarshal(data, &d); err != nil {
		return Descriptor{}, err
	}
	if err := d.check(); err != nil {
		return Descriptor{}, err
	}
	return d, nil
}

// check makes sure that a descriptor leads nowhere but to this computer, and that its texts can be put into a request.
func (d Descriptor) check() error {
	if _, port, err := conns.Loopback(d.Addr); err != nil {
		return err
	} else if port == "0" {
		return errors.New("the port is 0")
	}
	if len(d.Token) != 64 || !secret.IsHex(d.Token) {
		return errors.New("the token is not 64 hexadecimal digits")
	}
	if !IsBootID(d.BootID) {
		return fmt.Errorf("the boot ID is not 1 to %d hexadecimal digits", maxBootID)
	}
	if d.PID <= 0 {
		return errors.New("the process ID is not positive")
	}
	return nil
}

// maxBootID is the longest boot ID, in hexadecimal digits.
const maxBootID = 64

// IsBootID reports whether a text may name a start of a node.
func IsBootID(text string) bool { return len(text) <= maxBootID && secret.IsHex(text) }

// Remove removes the descriptor if it is still that of the given boot: another node may have started since.
func Remove(stateDir, bootID string) error {
	d, err := Read(stateDir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && d.BootID != bootID {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(stateDir, name)); err != nil {
		return fmt.Errorf("remove API descriptor: %w", err)
	}
	return nil
}
