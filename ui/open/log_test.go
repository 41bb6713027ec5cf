package open

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestLog_IsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	l, err := openLog(path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 100 {
				if _, err := fmt.Fprintf(l, "line %04d\n", i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, name := range []string{path, path + oldLog} {
		info, err := os.Stat(name)
		if err != nil || info.Size() == 0 || info.Size() > 1000 || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s: %v bytes, mode %v, %v", name, info.Size(), info.Mode(), err)
		}
		text, err := os.ReadFile(name)
		for line := range strings.Lines(string(text)) {
			if len(line) != 10 || err != nil {
				t.Errorf("%s has a line %q, %v", name, line, err)
			}
		}
	}
}

// Others write to the file as well, as a crash does: that is neither lost nor overwritten, and counted.
func TestLog_OthersWriteToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	l, err := openLog(path, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	other, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	say := func(text string) {
		if _, err := l.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	say("ours\n")
	fmt.Fprintln(other, "panic: ", strings.Repeat("x", 80))
	say(strings.Repeat("y", 90) + "\n") // seems to fit, and does not
	fmt.Fprintln(other, "after")
	now, _ := os.ReadFile(path)
	before, _ := os.ReadFile(path + oldLog)
	if !strings.HasPrefix(string(before), "ours\npanic: ") || string(now) != strings.Repeat("y", 90)+"\nafter\n" {
		t.Errorf("the files hold %q and before %q", now, before)
	}
	if err := EraseLogs(t.TempDir()); err != nil {
		t.Errorf("erase nothing: %v", err)
	}
}

// One that was left full is emptied at the start, and what came before that is kept.
func TestLog_MakesRoomAtTheStart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, NodeLog)
	if err := os.WriteFile(path, []byte(strings.Repeat("z", 3*maxLog)+"the end"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	now, _ := os.Stat(path)
	before, err := os.ReadFile(path + oldLog)
	if err != nil || now.Size() != 0 || len(before) != maxLog || !strings.HasSuffix(string(before), "the end") {
		t.Errorf("%d bytes now, %d before, %v", now.Size(), len(before), err)
	}
	fmt.Fprint(l, "new")
	if err := EraseLogs(dir); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(l, "newer")
	if text, err := os.ReadFile(path); err != nil || string(text) != "newer" {
		t.Errorf("after erasing: %q, %v", text, err)
	}
	if _, err := os.Stat(path + oldLog); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was before is still there: %v", err)
	}
}

func TestReasonIn(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"\n \n", ""},
		{"time=x level=INFO msg=begin\n", "time=x level=INFO msg=begin"},
		{"time=x\nforage: config.toml:3: disk.max is wrong\n", "config.toml:3: disk.max is wrong"},
		{"forage: first\nforage: last\ntime=y\n", "last"},
		{"forage-window: there is no display", "there is no display"},
		{"time=x\npanic: oh\n\ngoroutine 1 [running]:\nforage: no\n", "panic: oh"},
		{"fatal error: out of memory\n", "fatal error: out of memory"},
	} {
		if got := reasonIn(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// Only what the program that was started has said counts, even if the log was emptied meanwhile.
func TestReason_BeginsWhereTheProgramDid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	if err := os.WriteFile(path, []byte("forage: before\nforage: now\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for from, want := range map[int64]string{0: "now", 15: "now", 27: "", 500: "now"} {
		if got := reason(f, from); got != want {
			t.Errorf("from %d: %q, want %q", from, got, want)
		}
	}
}

// A log goes to no file that a link leads to, whether there is one or not.
func TestOpenLog_FollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	precious, link := filepath.Join(dir, "precious"), filepath.Join(dir, "forage.log")
	for _, there := range []bool{false, true} {
		if there {
			if err := os.WriteFile(precious, []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		os.Remove(link)
		if err := os.Symlink(precious, link); err != nil {
			t.Skip("there are no links here")
		}
		if l, err := OpenLog(link); err == nil {
			l.Close()
			t.Error("a link was followed")
		}
		if text, err := os.ReadFile(precious); there != (err == nil) || there && string(text) != "mine" {
			t.Errorf("the file is %q, %v", text, err)
		}
	}
}
