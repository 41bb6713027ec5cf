package config

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/forage-net/forage/app/config/toml"
	"github.com/forage-net/forage/storage/durable"
)

// WriteDefault writes a file with every setting, its meaning and its default,
// all commented out, so that nothing in it changes anything. A file that
// exists stays as it is.
func WriteDefault(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return writing(err)
	}
	return replaceFile(durable.Disk{}, path, defaultFile(), nil)
}

// defaultFile returns the text of the file for a user who has set nothing.
func defaultFile() string {
	var b strings.Builder
	b.WriteString(wrap("# ", "The settings of forage. Each is shown with its default; to change one, take away the # "+
		"before it. "+
		"\"forage set KEY=VALUE\" does the same. Sizes are a number and a unit: kB, MB, GB and TB are powers of 1000, "+
		"KiB, MiB, GiB and TiB powers of 1024.") + "\n")
	group := ""
	for _, f := range schema() {
		g, name := toml.Group(f.Name)
		if g != group {
			group = g
			b.WriteString("\n[" + g + "]\n")
		}
		b.WriteString(wrap("# ", f.Meaning()+" Allowed: "+f.Range()+"."))
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
