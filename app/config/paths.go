package config

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/forage-net/forage/assets/words"
)

// Paths are the places of one node. All are absolute.
type Paths struct {
	// Config is the file with the settings.
	Config string
	// State is the directory of what the node knows: identity, database, log, API descriptor.
	State string
	// Data is the directory of what the node fetched. It may be large.
	Data string
	// Archive is the directory of the archive files where the user has chosen one (Config.Archive), else "". It is the
	// user's: it is not made, and not removed.
	Archive string
}

// WARC returns the directory of the archive files.
func (p Paths) WARC() string {
	if p.Archive != "" {
		return p.Archive
	}
	return filepath.Join(p.Data, "warc")
}

// Chosen returns the places with what the settings say of them. Settings that are wrong say nothing.
func (p Paths) Chosen() Paths {
	cfg, _ := Read(p.Config)
	p.Archive = cfg.Archive.Dir
	return p
}

// CheckArchive returns an error if the directory that the user has chosen for the archive is not there: its
// disk may not be connected, and nothing is to be written to another one meanwhile.
func (p Paths) CheckArchive() error {
	if p.Archive == "" {
		return nil
	}
	info, err := os.Stat(p.Archive)
	if err == nil && !info.IsDir() {
		err = words.New("said.settings.it-is-no-directory", nil)
	}
	if err != nil {
		return &Error{Key: "archive.dir", Reason: words.New("said.settings.connect-the-disk", words.Args{"error": err})}
	}
	return nil
}

// Index returns where the search index is, Store where the store of a node is.
func (p Paths) Index() string { return filepath.Join(p.Data, "index") }
func (p Paths) Store() string { return filepath.Join(p.State, "forage.db") }

// Create makes the directories that are missing, for the user alone (0700). Directories that exist keep their
// permissions; one that belongs to another user, or that others can write to, is refused: they could put
// settings and pages there.
func (p Paths) Create() error {
	dirs := []string{filepath.Dir(p.Config), p.State, p.Data}
	if p.Archive == "" {
		dirs = append(dirs, p.WARC())
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return words.New("said.settings.create-directory", words.Args{"error": err})
		}
		if err := checkOwner(dir); err != nil {
			return err
		}
	}
	return nil
}

// Resolve returns the places of a node for the operating system goos (a
// runtime.GOOS value). With home, or else with FORAGE_HOME in env, everything
// is in that directory; a relative one is taken from the working directory.
// Otherwise the places are those of the XDG base directory specification,
// whose variables count only where they hold absolute paths; on macOS
// ~/Library/Application Support/forage, on Windows %LOCALAPPDATA%\forage. It
// fails if env does not say where the user's files are. It touches no file.
func Resolve(home string, env func(string) string, goos string) (Paths, error) {
	if home == "" {
		home = env("FORAGE_HOME")
	}
	if home != "" {
		dir, err := filepath.Abs(home)
		if err != nil {
			return Paths{}, words.New("said.cli.find-home", words.Args{"path": home, "error": err})
		}
		return under(goos, dir), nil
	}
	switch goos {
	case "windows":
		if dir := env("LOCALAPPDATA"); isAbs(goos, dir) {
			return under(goos, join(goos, dir, "forage")), nil
		}
		return Paths{}, words.New("said.cli.localappdata-is-not-set", nil)
	case "darwin":
		if dir := env("HOME"); isAbs(goos, dir) {
			return under(goos, join(goos, dir, "Library", "Application Support", "forage")), nil
		}
		return Paths{}, errNoHome
	}
	return xdg(env, goos)
}

var errNoHome = words.New("said.cli.home-is-not-set", nil)

func under(goos, dir string) Paths {
	return Paths{Config: join(goos, dir, "config.toml"), State: join(goos, dir, "state"), Data: join(goos, dir, "data")}
}

func xdg(env func(string) string, goos string) (Paths, error) {
	home := env("HOME")
	missing := false
	place := func(name string, byDefault ...string) string {
		dir := env(name)
		if !isAbs(goos, dir) {
			missing = missing || !isAbs(goos, home)
			dir = join(goos, append([]string{home}, byDefault...)...)
		}
		return join(goos, dir, "forage")
	}
	p := Paths{
		Config: join(goos, place("XDG_CONFIG_HOME", ".config"), "config.toml"),
		State:  place("XDG_STATE_HOME", ".local", "state"),
		Data:   place("XDG_DATA_HOME", ".local", "share"),
	}
	if missing {
		return Paths{}, errNoHome
	}
	return p, nil
}

// isAbs and join go by goos, not by the system the program runs on, so that
// each system's rules can be tested on every other.

func isAbs(goos, path string) bool {
	if goos != "windows" {
		return strings.HasPrefix(path, "/")
	}
	drive := len(path) >= 3 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	return drive || strings.HasPrefix(path, `\\`)
}

func join(goos string, parts ...string) string {
	separator := "/"
	if goos == "windows" {
		separator = `\`
	}
	for i := range len(parts) - 1 {
		parts[i] = strings.TrimRight(parts[i], separator)
	}
	return strings.Join(parts, separator)
}
