package config

import (
	"os"
	"path/filepath"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
)

// replaceFile writes a file that is there in full or not at all, also after a
// power loss, for the user alone. A symbolic link stays one: people keep their
// settings elsewhere. If may is not nil it is asked when all is ready; after
// an error of it the file is as it was.
func replaceFile(fs durable.FS, path, text string, may func() error) error {
	if err := (durable.Change{FS: fs, May: may}).Write(target(path), []byte(text)); err != nil {
		return writing(err)
	}
	return nil
}

// writing says that the settings could not be written.
func writing(err error) error {
	return words.New("said.settings.write-settings", words.Args{"error": err})
}

// maxLinks is how many symbolic links one path leads through at most.
const maxLinks = 40

// target returns where the symbolic link at a path leads, the path itself if there is none. What it leads to
// need not exist yet.
func target(path string) string {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			dir := filepath.Dir(path)
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				dir = real // ".." leads up from there
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return path
}
