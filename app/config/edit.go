package config

import (
	"errors"
	"io/fs"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
)

// changeTries is how often a change begins again because somebody else changed the file meanwhile.
const changeTries = 8

// errChanged says that a file is no longer as it was read.
var errChanged = words.New("said.settings.somebody-else-is-changing-the-settings", nil)

// edit replaces the text of a file by what change makes of it. It begins again if the file is another by then, so
// change may be called several times. A missing file is that of a user who has set nothing.
func edit(d durable.FS, path string, write bool, change func(text string) (string, error)) error {
	if write {
		defer lock(path)()
	}
	for range changeTries {
		before, err := readFile(path)
		missing := errors.Is(err, fs.ErrNotExist)
		if err != nil && !missing {
			return err
		}
		text := before
		if missing {
			text = defaultFile()
		}
		after, err := change(text)
		if e, ok := errors.AsType[*Error](err); ok && e.Line > 0 {
			e.Path = path
		}
		if err != nil || !write || after == text {
			return err
		}
		err = replaceFile(d, path, after, func() error {
			if now, err := readFile(path); missing != errors.Is(err, fs.ErrNotExist) || now != before {
				return errChanged
			}
			return nil
		})
		if !errors.Is(err, errChanged) {
			return err
		}
	}
	return writing(errChanged)
}
