//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/demo"
)

// However often a node is killed while settings are changed, what it has confirmed is kept, what was changed together stays
// together, and what its user wrote into the file by hand is there.
func TestKillNine_SettingsAreKept(t *testing.T) {
	t.Parallel()
	const keys = 2
	kills := sized(4, 12, 12)
	names := [keys]string{"data.day", "data.month"}
	l := newLab(t, demo.Options{Pages: 600})
	for _, name := range names {
		run(t, l.home, "set", name+"=100 MB")
	}
	file := filepath.Join(l.home, "config.toml")
	const note = "# the neighbour's line, do not touch\n"
	if err := appendTo(file, note); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(killSeed, 5))
	confirmed, begun := 100, 100
	for kill := range kills {
		node := startWith(t, exec.Command(program, l.runArgs()...), nobodyTells...)
		node.awaitUp(l.home)
		c := dial(t, l.home)
		end, first := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(end)
			for changed := false; ; {
				begun++
				set := make(map[string]json.RawMessage, keys)
				for _, name := range names {
					set[name] = json.RawMessage(fmt.Sprintf("%q", fmt.Sprintf("%d MB", begun)))
				}
				if _, err := c.ChangeSettings(t.Context(), api.SettingsChange{Set: set}); err != nil {
					return // it was killed
				}
				if confirmed = begun; !changed {
					changed = true
					close(first)
				}
			}
		}()
		waitFor(t, "a change", first, node)
		time.Sleep(time.Duration(random.Int64N(int64(60 * time.Millisecond)))) // any moment will do
		node.signal(syscall.SIGKILL)
		node.killedBy(syscall.SIGKILL)
		<-end
		var is [keys]string
		for i, name := range names {
			is[i] = strings.Trim(strings.TrimSpace(run(t, l.home, "get", name)), `"`)
		}
		if is[0] != is[1] || is[0] != fmt.Sprintf("%d MB", confirmed) && is[0] != fmt.Sprintf("%d MB", begun) {
			t.Errorf("after kill %d the settings are %q; %d MB was confirmed, %d MB begun", kill, is, confirmed, begun)
		}
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), note) {
			t.Errorf("after kill %d the user's own line is gone, %v", kill, err)
		}
	}
	t.Logf("%d changes, %d kills", confirmed-100, kills)
	halves := filepath.Join(l.home, ".forage-*.tmp")
	left, err := filepath.Glob(halves)
	long := time.Now().Add(-2 * time.Hour)
	for _, name := range left {
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	run(t, l.home, "set", "data.day=1 GB")
	if left, again := filepath.Glob(halves); err != nil || again != nil || len(left) > 0 {
		t.Errorf("later %q are still there, %v, %v", left, err, again)
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}
