package driver

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// childStore is where a process that is to be killed keeps its store.
const childStore = "FORAGE_TEST_DRIVER_STORE"

// child puts items for ever, and says which ones count.
func child(path string) {
	db, err := storage.Open(path, storage.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	d := New(testConfig("lone", db))
	var mu sync.Mutex
	for i := range 32 {
		go func() {
			for k := 0; ; k++ {
				if dom := crawl.Domain(fmt.Sprintf("site%d-%d.example", i, k)); put(d, dom) {
					mu.Lock()
					fmt.Println(dom)
					mu.Unlock()
				}
			}
		}()
	}
	_ = d.Serve(context.Background())
}

func TestDriver_KilledProcessKeepsWhatCounts(t *testing.T) {
	t.Parallel()
	for round := range 3 {
		path := filepath.Join(t.TempDir(), "store")
		cmd := exec.Command(os.Args[0])
		cmd.Env, cmd.Stderr = append(os.Environ(), childStore+"="+path), os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var acked []crawl.Domain
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadString('\n')
			if err != nil { // a line that was cut off said nothing
				break
			}
			if acked = append(acked, crawl.Domain(strings.TrimSpace(line))); len(acked) == 100+77*round {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
		if len(acked) < 100 {
			t.Fatalf("%d items were acknowledged", len(acked))
		}
		db := openStore(t, path)
		for _, dom := range acked {
			if !has(db, dom) {
				t.Errorf("round %d: %s was acknowledged and is not there after a kill", round, dom)
			}
		}
		d := New(testConfig("lone", db))
		serve(t, d)
		await(t, "something can be put after a kill", func() bool { return put(d, "after.example") })
	}
}
