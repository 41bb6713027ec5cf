package autostart

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
)

// Errors of Enable and Disable.
var (
	// ErrForeign is returned where something that we did not write is in the way.
	ErrForeign error = words.New("said.cli.not-written-by-forage", nil)
	// ErrUnsupported is returned for a kind that the system does not have.
	ErrUnsupported error = words.New("said.cli.not-on-this-system", nil)
	// ErrUnwritable is returned for a command that cannot be written down.
	ErrUnwritable error = words.New("said.cli.cannot-be-started", nil)
)

// Kind is how a node is started.
type Kind uint8

const (
	// Off is not at all.
	Off Kind = 0
	// Session is when the user logs in to a desktop.
	Session Kind = 1
	// Service is when the user's service manager starts, and again when it crashed.
	Service Kind = 2
)

var kindNames = [...]string{Off: "off", Session: "session", Service: "service"}

// String returns "off", "session" or "service".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "invalid"
}

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(text []byte) error {
	for i, name := range kindNames {
		if name == string(text) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("%q is none of %q", text, kindNames)
}

// unsupported says that the system does not have a kind.
func unsupported(kind Kind) error {
	if kind == Service {
		return words.New("said.cli.a-service-not-on-this-system", words.Args{"error": ErrUnsupported})
	}
	return words.New("said.cli.kind-not-on-this-system", words.Args{"kind": kind, "error": ErrUnsupported})
}

// State is what the system will do.
type State struct {
	// Kind is what Enable was called with.
	Kind Kind `json:"kind"`
	// Place is the file or the registry value that says so.
	Place string `json:"place,omitempty"`
	// Command is what is started, the program first; nil if the file was edited so that it cannot
	// be read.
	Command []string `json:"command,omitempty"`
	// Disabled is set if Place is ours but was switched off by other means, such as the
	// settings of the desktop.
	Disabled bool `json:"disabled,omitempty"`
	// Foreign are places that we would write to and that hold what is not ours.
	Foreign []string `json:"foreign,omitempty"`
}

// Options say where to write, and what for.
type Options struct {
	// Paths are the node's, where a service may write. They are made if they are missing.
	Paths config.Paths
	// MemoryHigh is above how many bytes a service is slowed and its caches are
	// reclaimed, DefaultMemoryHigh if 0.
	MemoryHigh int64
	// GOOS is a runtime.GOOS value, that of this system if "".
	GOOS string
	// Env finds the user's directories, os.Getenv if nil.
	Env func(string) string
	// Registry is that of the user; nil is the real one on Windows and none elsewhere.
	Registry Registry
}

// DefaultMemoryHigh is four times what ram.max is by default: the files of the store
// that the system caches count too. Less would make the node read them again and again.
const DefaultMemoryHigh = 1 << 30

// Autostart is how this user's system starts a node. It is not for concurrent use.
type Autostart struct {
	o        Options
	entries  []entry
	registry *runKey
}

// New finds the user's places. It touches no file.
func New(o Options) (*Autostart, error) {
	if o.GOOS == "" {
		o.GOOS = runtime.GOOS
	}
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.MemoryHigh <= 0 {
		o.MemoryHigh = DefaultMemoryHigh
	}
	a := &Autostart{o: o}
	switch o.GOOS {
	case "windows":
		if a.o.Registry == nil {
			a.o.Registry = systemRegistry()
		}
		if a.o.Registry == nil {
			return nil, words.New("said.cli.registry-not-on-this-system", words.Args{"error": ErrUnsupported})
		}
		a.registry = &runKey{a.o.Registry}
		return a, nil
	case "darwin":
		home := o.Env("HOME")
		if !isAbs(o.GOOS, home) {
			return nil, words.New("said.cli.home-is-not-known", nil)
		}
		a.entries = launchEntries(home)
		return a, nil
	}
	dir := o.Env("XDG_CONFIG_HOME")
	if !isAbs(o.GOOS, dir) {
		home := o.Env("HOME")
		if !isAbs(o.GOOS, home) {
			return nil, words.New("said.cli.home-is-not-known", nil)
		}
		dir = home + "/.config"
	}
	a.entries = []entry{desktopEntry(dir)}
	if o.GOOS == "linux" {
		a.entries = append(a.entries, unitEntry(dir))
	}
	return a, nil
}

// Status tells what the system will do. If there is something of ours of both kinds, it
// tells of the one that is not disabled.
func (a *Autostart) Status() (State, error) {
	if a.registry != nil {
		return a.registry.status()
	}
	var s State
	for _, e := range a.entries {
		text, whose, err := e.read()
		if err != nil {
			return State{}, err
		}
		switch whose {
		case foreign:
			s.Foreign = append(s.Foreign, e.path)
		case ours:
			disabled := e.disabled(e.path, text)
			if kind := e.kindOf(text); kind != Off && (s.Kind == Off || s.Disabled && !disabled) {
				s.Kind, s.Place, s.Command, s.Disabled = kind, e.path, e.command(text), disabled
			}
		}
	}
	return s, nil
}

// Enable has the system start a command from the next login on, and no longer in the other way that there
// may be. The program, which is the first word, is named by its absolute path. With Off it is
// Disable. It may be called again, with another command too.
func (a *Autostart) Enable(kind Kind, command []string) error {
	if kind == Off {
		return a.Disable()
	}
	if err := check(a.o.GOOS, command); err != nil {
		return err
	}
	if a.registry != nil {
		if kind != Session {
			return unsupported(kind)
		}
		return a.registry.enable(command)
	}
	var chosen *entry
	for i := range a.entries {
		if a.entries[i].has(kind) {
			chosen = &a.entries[i]
		}
	}
	if chosen == nil {
		return unsupported(kind)
	}
	if kind == Service {
		// The service cannot make them: what they are in is read-only for it.
		if err := a.o.Paths.Create(); err != nil {
			return err
		}
	}
	text, err := chosen.text(kind, command, a.o)
	if err != nil {
		return err
	}
	if err := chosen.write(text); err != nil {
		return err
	}
	for _, e := range a.entries {
		if e.path == chosen.path {
			continue
		}
		if err := e.remove(); err != nil && !errors.Is(err, ErrForeign) {
			return err
		}
	}
	return nil
}

// Disable removes what Enable wrote. Where only something else stands in its
// place, it returns ErrForeign; where nothing does, nil. A node that runs is not
// ended.
func (a *Autostart) Disable() error {
	if a.registry != nil {
		return a.registry.disable()
	}
	var errs []error
	for _, e := range a.entries {
		errs = append(errs, e.remove())
	}
	return errors.Join(errs...)
}
