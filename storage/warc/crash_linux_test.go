package warc

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

// childEnv names what a copy of the test binary does in place of the tests;
// childDir is the archive it works on.
const (
	childEnv = "FORAGE_WARC_CHILD"
	childDir = "FORAGE_WARC_DIR"
)

func TestMain(m *testing.M) {
	var err error
	switch dir := os.Getenv(childDir); os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "append":
		err = childAppend(dir)
	case "full":
		err = childFull(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(what, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+what, childDir+"="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

// childAppend appends captures until it is killed, and tells of each that it
// has appended.
func childAppend(dir string) error {
	a, err := Open(Config{Dir: dir, MaxSize: 64 << 10})
	if err != nil {
		return err
	}
	first := 0
	if err := warcfile.Scan(dir, capture.Position{}, func(capture.Stored) error { first++; return nil }); err != nil {
		return err
	}
	var next atomic.Int64
	next.Store(int64(first) * 1000) // numbers no earlier child has used
	failed := make(chan error)
	for range 3 {
		go func() {
			for {
				n := int(next.Add(1))
				c := warctest.Page(n)
				if n%10 == 0 { // takes longer to write
					c.Response = append(c.Response, make([]byte, 200_000)...)
				}
				if _, err := a.Append(c); err != nil {
					failed <- err
				}
				if _, err := fmt.Println(n); err != nil {
					failed <- err
				}
			}
		}()
	}
	return <-failed
}

func TestOpen_AfterKill(t *testing.T) {
	dir := t.TempDir()
	appended := map[string]bool{}
	for round := range 6 {
		cmd := child("append", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		told := bufio.NewScanner(out)
		for n := 0; told.Scan(); n++ {
			number, err := strconv.Atoi(told.Text())
			if err != nil {
				t.Fatal(err)
			}
			appended[warctest.Page(number).URL] = true
			if n == 40+17*round {
				cmd.Process.Kill() // what it told before still comes
			}
		}
		cmd.Wait() // returns that it was killed

		a := mustOpen(t, Config{Dir: dir})
		if r := a.Recovered(); len(r) > 1 || len(r) == 1 && (r[0].Err != nil || r[0].Aside != "") {
			t.Fatalf("recovered %+v", r)
		}
		if round%2 == 1 {
			warctest.Close(t, a) // else the next child goes on with the file
		} else {
			abandon(a)
		}
		checkFiles(t, dir)
		found := map[string]bool{}
		for _, c := range warctest.Captures(t, dir, capture.Position{}) {
			if c.Metadata == nil {
				t.Logf("%s lost its metadata", c.URL)
			}
			found[c.URL] = true
		}
		for url := range appended {
			if !found[url] {
				t.Errorf("round %d: %s was appended and is lost", round, url)
			}
		}
	}
}

// childFull fills the archive up to a file size limit, which is what a full
// disk looks like to the process, then raises the limit and goes on.
func childFull(dir string) error {
	a, err := Open(Config{Dir: dir})
	if err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	n, refused := 0, 0
	for _, room := range []uint64{300, 20_000, 20_500, 50_000} {
		soft := syscall.Rlimit{Cur: room, Max: limit.Max}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &soft); err != nil {
			return err
		}
		for {
			_, err := a.Append(warctest.Page(n))
			if errors.Is(err, syscall.EFBIG) {
				refused++
				break
			}
			if err != nil {
				return fmt.Errorf("append %d: %w", n, err)
			}
			n++
		}
		if err := sameSize(a, dir); err != nil {
			return fmt.Errorf("with room for %d: %w", room, err)
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if _, err := a.Append(warctest.Page(n)); err != nil {
		return fmt.Errorf("append with room again: %w", err)
	}
	if err := a.Sync(); err != nil {
		return err
	}
	if err := a.Close(); err != nil {
		return err
	}
	fmt.Println(n+1, refused)
	return sameSize(a, dir)
}

// sameSize returns an error if an archive is not as large as it says.
func sameSize(a *Archive, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	n := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		n += info.Size()
	}
	if n != a.Size() {
		return fmt.Errorf("%d bytes on disk, Size is %d", n, a.Size())
	}
	return nil
}

func TestAppend_DiskFull(t *testing.T) {
	dir := t.TempDir()
	out, err := child("full", dir).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var appended, refused int
	if _, err := fmt.Sscan(string(out), &appended, &refused); err != nil {
		t.Fatalf("child said %q: %v", out, err)
	}
	checkFiles(t, dir)
	found := warctest.URLs(warctest.Captures(t, dir, capture.Position{}))
	if len(found) != appended || refused != 4 {
		t.Errorf("Scan found %d captures, want %d; %d refused, want 4", len(found), appended, refused)
	}
	for n, url := range found {
		if url != warctest.Page(n).URL {
			t.Errorf("capture %d is %s, want %s", n, url, warctest.Page(n).URL)
		}
	}
}
