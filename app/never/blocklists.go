package never

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/p2p/pulse"
)

const (
	// blocklistsEvery is how often it is looked whether a file of safety.blocklists has changed.
	blocklistsEvery = 30 * time.Second
	// blocklistsRest is how long a file must be left alone before it is read: half a list is one with less in it.
	blocklistsRest = 2 * time.Second
)

// blocklists are the files of the setting safety.blocklists, as they were read last.
type blocklists struct {
	files  []string
	stamps []fileStamp
	list   *scope.Blocklist
}

// fileStamp changes with the content of a file.
type fileStamp struct {
	size int64
	at   time.Time
}

func stampOf(info fs.FileInfo) fileStamp { return fileStamp{info.Size(), info.ModTime()} }

// readBlocklists reads files. If one cannot be read, none counts as read: what is asked for is all or nothing.
func readBlocklists(files []string) (blocklists, error) {
	b := blocklists{files: slices.Clone(files)}
	if len(files) == 0 {
		return b, nil
	}
	b.list = new(scope.Blocklist)
	for _, path := range files {
		stamp, err := readBlocklist(b.list, path)
		if err != nil {
			return blocklists{}, words.New("said.settings.read-blocklist", words.Args{"path": path, "error": err})
		}
		b.stamps = append(b.stamps, stamp)
	}
	b.list.Done()
	return b, nil
}

func readBlocklist(list *scope.Blocklist, path string) (fileStamp, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // opening a pipe may wait for ever
		err = words.New("said.settings.it-is-no-file", nil)
	}
	if err != nil {
		return fileStamp{}, bare(err)
	}
	f, err := os.Open(path)
	if err != nil {
		return fileStamp{}, bare(err)
	}
	defer f.Close()
	_, err = list.Read(f)
	return stampOf(info), bare(err)
}

// bare returns what is wrong without the path, which is said already.
func bare(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err
	}
	return err
}

// changed reports whether a file is another than the one that was read, and has been left alone since. One that is
// missing has not changed: what was read of it stays in force.
func (b *blocklists) changed(now time.Time) bool {
	changed := false
	for i, path := range b.files {
		info, err := os.Stat(path)
		if err != nil || stampOf(info) == b.stamps[i] {
			continue
		}
		if age := now.Sub(info.ModTime()); age >= 0 && age < blocklistsRest {
			return false
		}
		changed = true
	}
	return changed
}

// Refresh reads the lists again if a file has changed. It reports whether it did.
func (r *Refuser) Refresh() (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.lists.changed(time.Now()) {
		return false, nil
	}
	lists, err := readBlocklists(r.lists.files)
	if err != nil {
		return false, err
	}
	r.lists = lists
	return true, r.use(r.sites)
}

// Serve reads the files of safety.blocklists again when they have changed, until ctx is done. What cannot be read
// leaves in force what was.
func (r *Refuser) Serve(ctx context.Context) error {
	said := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pulse.Until(blocklistsEvery)):
		}
		read, err := r.Refresh()
		switch {
		case err != nil && err.Error() != said:
			said = err.Error()
			r.log.Warn("A blocklist cannot be read anew; what was read before stays in force", "error", err)
		case read:
			said = ""
			r.log.Info("Blocklists read anew", "names", r.listed())
		}
	}
}

// listed returns how many names the lists have.
func (r *Refuser) listed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lists.list.Len()
}

// CheckBlocklists returns what is wrong with the files of safety.blocklists. Relative names begin at dir.
func CheckBlocklists(files []string, dir string) error {
	paths := slices.Clone(files)
	for i, path := range paths {
		if !filepath.IsAbs(path) {
			paths[i] = filepath.Join(dir, path)
		}
	}
	_, err := readBlocklists(paths)
	return err
}
