package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/forage-net/forage/app/config/toml"
	"github.com/forage-net/forage/assets/words"
)

// maxFile bounds a settings file, in bytes.
const maxFile = 1 << 20

// Load reads the settings in a file. Where there is no file, it returns the
// defaults. Everything wrong with the content is returned as *Error, up to 20
// of them joined; then the Config is not to be used.
func Load(path string) (Config, error) {
	c, err := Read(path)
	if err != nil {
		return Config{}, err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return Config{}, words.New("said.settings.find-directory-of", words.Args{"path": path, "error": err})
	}
	for i, seed := range c.Crawl.Seeds {
		if !IsURL(seed) && !filepath.IsAbs(seed) {
			c.Crawl.Seeds[i] = filepath.Join(dir, seed)
		}
	}
	for i, path := range c.Safety.Blocklists {
		if !filepath.IsAbs(path) {
			c.Safety.Blocklists[i] = filepath.Join(dir, path)
		}
	}
	return c, nil
}

// parse reads the text of a settings file.
func parse(text string) *toml.Document { return toml.Parse(text, wrongWord) }

// wrongWord says what is wrong with a setting whose value is a word without quotes, and nil if quotes would help.
func wrongWord(key, word string, line int) *Error {
	f, known := find(key)
	if !known {
		return unknownAt(key, line)
	}
	v := toml.Value{Kind: toml.Text, Text: word}
	if f.Type == "list" {
		v = toml.Texts([]string{word})
	}
	if f.set(f.Key, new(Config), v) != nil {
		return f.wrongAt(line)
	}
	return nil
}

// read returns the settings in the text of a file, or at most toml.MaxErrors
// errors in order of lines.
func read(text string) (Config, []*Error) {
	c := Defaults()
	doc := parse(text)
	fields := map[string]field{}
	for _, f := range schema() {
		fields[f.Name] = f
	}
	var wrong []*Error
	for _, e := range doc.Entries {
		if len(wrong) == toml.MaxErrors {
			break
		}
		f, ok := fields[e.Key]
		if !ok {
			wrong = append(wrong, unknownAt(e.Key, e.Line))
		} else if f.set(f.Key, &c, e.Value) != nil {
			wrong = append(wrong, f.wrongAt(e.Line))
		}
	}
	return c, mergeErrors(doc.Errors, wrong)
}

// mergeErrors puts two lists in order of lines into one of at most toml.MaxErrors.
func mergeErrors(a, b []*Error) []*Error {
	var all []*Error
	for len(all) < toml.MaxErrors && len(a)+len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0].Line <= b[0].Line {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return all
}

// readFile returns the content of a regular file of at most maxFile bytes.
func readFile(path string) (string, error) {
	info, err := os.Stat(path) // before Open, which waits for a pipe's writer
	if err != nil {
		return "", reading(err)
	}
	if !info.Mode().IsRegular() {
		return "", reading(words.New("said.settings.is-no-file", words.Args{"name": path}))
	}
	f, err := os.Open(path)
	if err != nil {
		return "", reading(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return "", reading(err)
	}
	if len(data) > maxFile {
		return "", reading(words.New("said.settings.is-larger-than-bytes", words.Args{"path": path, "most": maxFile}))
	}
	return string(data), nil
}

// reading says that the settings could not be read.
func reading(err error) error {
	return words.New("said.settings.read-settings", words.Args{"error": err})
}

// Read returns the settings in a file as they are written: names of files are not made absolute, and of what is wrong
// the default stands. The error says what is wrong, as that of Load.
func Read(path string) (Config, error) {
	text, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Defaults(), nil
	}
	if err != nil {
		return Defaults(), err
	}
	c, errs := read(text)
	joined := make([]error, len(errs))
	for i, e := range errs {
		e.Path = path
		joined[i] = e
	}
	return c, errors.Join(joined...)
}
