package open

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
)

// Where says which node it is about.
type Where struct {
	// StateDir is the node's, absolute.
	StateDir string
	// Home is given to programs as --home, so it is absolute too; "" if they find the node without.
	Home string
	// Program is that of the node; "" finds it.
	Program string
	// Start starts a program, with another priority than ours maybe; nil is exec.Cmd.Start.
	Start func(*exec.Cmd) error
}

func (w Where) start(cmd *exec.Cmd) error {
	if w.Start != nil {
		return w.Start(cmd)
	}
	return cmd.Start()
}

// args are a program's, after those that come first.
func (w Where) args(first ...string) []string {
	if w.Home != "" {
		return append(first, "--home", w.Home)
	}
	return first
}

// The programs, and what names another one in the place of each: for tests, and for who keeps them apart.
const (
	nodeProgram   = "forage"
	windowProgram = "forage-window"
	nodeVariable  = "FORAGE_PROGRAM"
	winVariable   = "FORAGE_WINDOW"
)

// find returns the path of one of our programs: beside the one that runs, else as PATH has it. A program in
// the working directory is not taken.
func find(name, variable string) (string, error) {
	if path := os.Getenv(variable); path != "" {
		return filepath.Abs(path)
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if path, err := beside(name); err == nil {
		return path, nil
	}
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) || err == nil && !filepath.IsAbs(path) {
		err = exec.ErrNotFound
	}
	if err != nil {
		return "", words.New("said.open.find", words.Args{"name": name, "error": exec.ErrNotFound})
	}
	return path, nil
}

// beside returns the path of a program in the directory of the one that runs, where that really is.
func beside(name string) (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", err
	}
	return exec.LookPath(filepath.Join(filepath.Dir(self), name)) // that it can be run
}

// At returns where the node is that --home names, or the environment, with all places absolute.
func At(home string) (Where, error) {
	if home == "" {
		home = os.Getenv("FORAGE_HOME")
	}
	paths, err := config.Resolve(home, os.Getenv, runtime.GOOS)
	if err != nil {
		return Where{}, err
	}
	w := Where{StateDir: paths.State}
	if home != "" {
		w.Home, err = filepath.Abs(home)
	}
	return w, err
}
