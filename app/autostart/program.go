package autostart

import (
	"os"
	"path/filepath"

	"github.com/forage-net/forage/assets/words"
)

// Program is a node that the system may start: this program, with one home.
type Program struct {
	Options Options
	// Home is what the node is started with as --home, "" for where the system wants the files.
	Home string
}

// Command returns what the system is to start. A service has no desktop to show an icon on.
func (p Program) Command(program string, kind Kind) []string {
	command := []string{program, "run"}
	if kind == Service {
		command = append(command, "--no-tray")
	}
	if p.Home == "" {
		return command
	}
	home := p.Home
	if abs, err := filepath.Abs(home); err == nil {
		home = abs
	}
	return append(command, "--home", home)
}

// Enable has the system start this program.
func (p Program) Enable(kind Kind) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if _, err := os.Stat(program); err != nil {
		return words.New("said.cli.program-no-longer", words.Args{"error": err})
	}
	a, err := New(p.Options)
	if err != nil {
		return err
	}
	return a.Enable(kind, p.Command(program, kind))
}

// Starts reports whether the system starts a node.
func (p Program) Starts() (bool, error) {
	a, err := New(p.Options)
	if err != nil {
		return false, err
	}
	s, err := a.Status()
	return s.Kind != Off && !s.Disabled, err
}

// Start has the system start this program when its user logs in, or nothing. What is so already stays as it is: a
// service remains one.
func (p Program) Start(on bool) error {
	a, err := New(p.Options)
	if err != nil {
		return err
	}
	switch s, err := a.Status(); {
	case err != nil:
		return err
	case on && s.Kind != Off && !s.Disabled:
		return nil
	case on:
		return p.Enable(Session)
	}
	return a.Disable()
}
