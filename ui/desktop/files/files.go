// Package files writes what the user saves, among their own files.
package files

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// mostSame is how many files of one name are kept apart by numbers.
const mostSame = 1000

// New writes a file that was not there, and returns its path. It is there whole, or not at all.
func New(dir, name, ending string, write func(io.Writer) error) (string, error) {
	f, err := os.CreateTemp(dir, ".forage-*.tmp")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if err = errors.Join(write(f), f.Chmod(0o644), f.Close()); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name+ending)
	for n := 2; ; n++ {
		err = place(f.Name(), path)
		if !errors.Is(err, fs.ErrExist) || n > mostSame {
			return path, err
		}
		path = filepath.Join(dir, name+"-"+strconv.Itoa(n)+ending)
	}
}

// place gives a file its name, unless that is taken. Where files cannot have two names, the name is taken first.
func place(file, path string) error {
	err := os.Link(file, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	taken, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err = errors.Join(taken.Close(), os.Rename(file, path)); err != nil {
		os.Remove(path)
	}
	return err
}

// Pictures is where the user has pictures, or their home if they have no such place.
func Pictures() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return "."
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	named := namedDir(filepath.Join(config, "user-dirs.dirs"), home)
	for _, dir := range []string{named, filepath.Join(home, "Pictures")} {
		if is, err := os.Stat(dir); err == nil && is.IsDir() {
			return dir
		}
	}
	return home
}

// mostNamed bounds the file of the user's directories.
const mostNamed = 64 << 10

// namedDir reads the place of pictures from the file in which desktops keep the names of such places; "" if it does
// not say.
func namedDir(file, home string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, mostNamed))
	for lines.Scan() {
		value, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "XDG_PICTURES_DIR=")
		if !ok {
			continue
		}
		value = strings.Trim(value, `"`)
		if rest, ok := strings.CutPrefix(value, "$HOME"); ok {
			value = home + rest
		}
		if filepath.IsAbs(value) {
			return filepath.Clean(value)
		}
	}
	return ""
}
