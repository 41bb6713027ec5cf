package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/erase"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/nodeapi"
)

// A node that is told to erase ends in order, and nothing is left of what it
// fetched and found, nor of its identity; its settings are.
func TestNode_Erase(t *testing.T) {
	s := newTestSite(t, "a.test", libraryPages)
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	o.ExitWhenIdle = 0
	n := newNode(t, o)
	c, wait := serveUntilStopped(t, n)
	waitCaptures(t, o, 10)
	if _, err := os.Stat(o.Paths.Index()); err != nil {
		t.Errorf("there is no search index to erase: %v", err)
	}
	if err := c.Erase(t.Context(), api.Erasure{}); err != nil {
		t.Fatal(err)
	}
	wait()
	if n.Erased() {
		t.Error("erased before the files were closed")
	}
	closeNode(t, n)
	if !n.Erased() {
		t.Error("not erased")
	}
	checkErased(t, o)

	// It begins again.
	asked := s.times("http://a.test/")
	o.ExitWhenIdle = labOptions(t, t.TempDir(), nil).ExitWhenIdle
	again := newNode(t, o)
	serveUntilIdle(t, again)
	closeNode(t, again)
	if s.times("http://a.test/") != asked+1 {
		t.Error("the page is still known")
	}
}

func checkErased(t *testing.T, o Options) {
	t.Helper()
	for _, path := range []string{o.Paths.Store(), o.Paths.WARC(), o.Paths.Index(), membership.KeyPath(o.Paths.State)} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v)", path, err)
		}
	}
	if _, found, err := erase.Marked(o.Paths); found || err != nil {
		t.Errorf("something is still to be erased: %v, %v", found, err)
	}
}

// Wherever the process was killed, the next start erases the rest.
func TestNode_EraseIsFinishedByTheNextStart(t *testing.T) {
	for _, gone := range []string{"nothing", "store", "archive", "index"} {
		s := newTestSite(t, "a.test", libraryPages)
		o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
		n := newNode(t, o)
		serveUntilIdle(t, n)
		closeNode(t, n)
		if err := erase.Mark(o.Paths, api.Erasure{}); err != nil {
			t.Fatal(err)
		}
		switch gone {
		case "store":
			os.Remove(o.Paths.Store())
		case "archive":
			os.RemoveAll(o.Paths.WARC())
		case "index":
			os.RemoveAll(o.Paths.Index())
		}
		n = newNode(t, o)
		status, err := n.Status(t.Context())
		if status.Index.Pages != 0 {
			t.Errorf("%s gone: after the start %d pages are in the search index", gone, status.Index.Pages)
		}
		if err != nil || status.Known != 0 || status.ArchiveBytes != 0 {
			t.Errorf("%s gone: after the start %d URLs are known, %d bytes archived, %v", gone, status.Known, status.ArchiveBytes, err)
		}
		closeNode(t, n)
		if _, found, err := erase.Marked(o.Paths); found || err != nil {
			t.Errorf("%s gone: something is still to be erased: %v, %v", gone, found, err)
		}
	}
}

// A part is erased by the next start if nothing did so before, as often as it is told to, and takes nothing else along.
func TestErase_APartIsFinishedByTheNextStart(t *testing.T) {
	s := newTestSite(t, "a.test b.test", libraryPages) // what both have was stored once
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/", "http://b.test/")
	n := newNode(t, o)
	serveUntilIdle(t, n)
	closeNode(t, n)
	identity, err := nodeapi.NodeName(o.Paths)
	if err != nil || identity == "" {
		t.Fatal(identity, err)
	}
	before := captured(t, o.Paths)
	for _, bad := range []api.Erasure{{Sites: []string{"not a site"}}, {URLs: []string{"nonsense"}}} {
		var wrong *api.InputError
		if err := erase.Mark(o.Paths, bad); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v, want it refused", bad, err)
		}
	}
	for range 2 {
		for _, what := range []api.Erasure{{Sites: []string{"https://a.test/old"}}, {URLs: []string{"http://b.test/text"}}} { // an address stands for its site
			if err := erase.Mark(o.Paths, what); err != nil {
				t.Fatal(err)
			}
		}
		closeNode(t, newNode(t, o))
		if now, err := nodeapi.NodeName(o.Paths); now != identity {
			t.Errorf("the identity went with a part: %q, %v", now, err)
		}
		if _, found, err := erase.Marked(o.Paths); found || err != nil {
			t.Errorf("it is still marked: %v, %v", found, err)
		}
		after := captured(t, o.Paths)
		for url := range before {
			_, there := after[url]
			if want := strings.HasPrefix(url, "http://b.test/") && url != "http://b.test/text"; there != want {
				t.Errorf("%s is there: %v, want %v", url, there, want)
			}
		}
	}
}

func TestErase_KeepsTheIdentityIfTold(t *testing.T) {
	s := newTestSite(t, "a.test", libraryPages)
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	n := newNode(t, o)
	closeNode(t, n)
	key, err := os.ReadFile(membership.KeyPath(o.Paths.State))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := erase.All(t.Context(), o.Paths, true); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(membership.KeyPath(o.Paths.State)); err != nil || !slices.Equal(key, now) {
		t.Errorf("the key is another one: %v", err)
	}
}

// Where the user has put links, what they lead to is erased, and nothing else that is there.
func TestErase_FollowsTheLinksOfTheUser(t *testing.T) {
	s := newTestSite(t, "a.test", libraryPages)
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	elsewhere := t.TempDir()
	mine := []string{filepath.Join(elsewhere, "warc", "mine.txt"), filepath.Join(elsewhere, "near.txt")}
	for _, path := range []string{o.Paths.WARC(), o.Paths.Index()} {
		to := filepath.Join(elsewhere, filepath.Base(path))
		if err := errors.Join(os.RemoveAll(path), os.Mkdir(to, 0o700), os.Symlink(to, path)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range mine {
		if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n := newNode(t, o)
	serveUntilIdle(t, n)
	closeNode(t, n)
	done, err := erase.All(t.Context(), o.Paths, false)
	if err != nil || done.Files < 3 || done.Bytes == 0 {
		t.Errorf("erased %+v, %v", done, err)
	}
	var left []string
	filepath.WalkDir(elsewhere, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			left = append(left, path)
		}
		return err
	})
	slices.Sort(left)
	if slices.Sort(mine); !slices.Equal(left, mine) {
		t.Errorf("left are %q, want %q", left, mine)
	}
	if info, err := os.Lstat(o.Paths.WARC()); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link to the archive is gone: %v", err)
	}
}
