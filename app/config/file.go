package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// WriteDefault writes a file with every setting, its meaning and its default,
// all commented out, so that nothing in it changes anything. A file that
// exists stays as it is.
func WriteDefault(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write settings: %w", err)
	}
	return replaceFile(path, defaultFile())
}

// defaultFile returns the text of the file for a user who has set nothing.
func defaultFile() string {
	var b strings.Builder
	b.WriteString(wrap("# ", "The settings of forage. Each is shown with its default; to change one, take away the # before it. "+
		"\"forage set KEY=VALUE\" does the same. Sizes are a number and a unit: kB, MB, GB and TB are powers of 1000, "+
		"KiB, MiB, GiB and TiB powers of 1024."))
	group := ""
	for _, f := range schema() {
		g, name := groupOf(f.Name)
		if g != group {
			group = g
			b.WriteString("\n[" + g + "]\n")
		}
		b.WriteString(wrap("# ", f.Meaning+" Allowed: "+f.Range+"."))
		b.WriteString("#" + name + " = " + f.Default + "\n")
	}
	return b.String()
}

// wrap breaks text into lines of at most 76 columns, each beginning with prefix and
// ending with a line break. Words longer than a line stay whole.
func wrap(prefix, text string) string {
	const columns = 76
	var b strings.Builder
	used := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case used == 0:
			b.WriteString(prefix)
			used = len(prefix)
		case used+1+n > columns:
			b.WriteString("\n" + prefix)
			used = len(prefix)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	b.WriteByte('\n')
	return b.String()
}

// replaceFile writes a file that is there in full or not at all, for the user alone. A
// symbolic link stays one: people keep their settings elsewhere.
func replaceFile(path, text string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := writeAndRename(path, text); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

func writeAndRename(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".config-*.tmp") // 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a rename last. Windows does so by itself and has no such call.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
