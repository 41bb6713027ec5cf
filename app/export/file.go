package export

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/forage-net/forage/assets/words"
)

// outFile is a file of an export that is being written.
type outFile struct {
	*os.File
	path string
	out  *bufio.Writer
}

// writeFiles writes files of an export that belong together. They appear under
// their names only when all are complete.
func writeFiles(paths []string, write func(w []io.Writer) error) (err error) {
	var files []outFile
	defer func() {
		for _, f := range files {
			f.Close()           // fails once it is closed
			os.Remove(f.Name()) // fails once it is renamed
		}
	}()
	var to []io.Writer
	for _, path := range paths {
		f, err := createFile(path)
		if err != nil {
			return words.New("said.trouble.export-2", words.Args{"error": err})
		}
		files, to = append(files, f), append(to, f.out)
	}
	if err := write(to); err != nil {
		return words.New("said.trouble.export", words.Args{"path": paths[0], "error": err})
	}
	for _, f := range files {
		if err := f.finish(); err != nil {
			return words.New("said.trouble.export", words.Args{"path": f.path, "error": err})
		}
	}
	for _, f := range files {
		if err := os.Rename(f.Name(), f.path); err != nil {
			return words.New("said.trouble.export", words.Args{"path": f.path, "error": err})
		}
	}
	return nil
}

// createFile makes a temporary file beside the one that it is to become.
func createFile(path string) (outFile, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return outFile{}, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return outFile{}, err
	}
	return outFile{f, path, bufio.NewWriterSize(f, 1<<16)}, nil
}

// finish brings the file to the disk.
func (f outFile) finish() error {
	err := f.out.Flush() // it is the user's alone, as CreateTemp makes it
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// writeFile writes a file of an export. It appears under its name only when it
// is complete.
func writeFile(path string, write func(w io.Writer) error) error {
	return writeFiles([]string{path}, func(w []io.Writer) error { return write(w[0]) })
}
