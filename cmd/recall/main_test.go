package main

import (
	"bytes"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/recall"
)

func TestRun_MakesNotesThatNodesBelieve(t *testing.T) {
	now := time.Now()
	file := filepath.Join(t.TempDir(), "release.key")
	say := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if err := run(args, &out, now); err != nil {
			t.Fatalf("recall %q: %v", args, err)
		}
		return strings.TrimSpace(out.String())
	}
	public, err := recall.ParseKey(say("key", file))
	if err != nil {
		t.Fatal(err)
	}
	if at, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && at.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v", at.Mode(), err)
	}
	n, err := recall.Parse(say("note", "--key", file, "--below", "0.2.0", "--fault", "robots", "--days", "7"), []ed25519.PublicKey{public}, now)
	if err != nil || n.Fault != recall.Robots || !n.Asks("0.1.9", now) || n.Asks("0.2.0", now) || n.Until.Sub(n.Issued) != 7*24*time.Hour {
		t.Errorf("the note is %+v, %v", n, err)
	}
	if n, err = recall.Parse(say("withdraw", "--key", file), []ed25519.PublicKey{public}, now); err != nil || n.Asks("0.1.0", now) {
		t.Errorf("the note is %+v, %v", n, err)
	}
	for _, args := range [][]string{
		nil, {"key"}, {"key", file}, {"note", "--key", file}, {"note", "--key", file, "--below", "0.2.0"}, {"note", "--key", file, "--below", "2", "--fault", "often"},
		{"note", "--key", file, "--below", "0.2.0", "--fault", "boredom"}, {"note", "--key", file, "--below", "0.2.0", "--fault", "often", "--days", "31"},
		{"note", "--key", file + "x", "--below", "0.2.0", "--fault", "often"}, {"withdraw"}, {"withdraw", "--key", file, "--below", "0.2.0"},
	} {
		var out bytes.Buffer
		if err := run(args, &out, now); err == nil || out.Len() > 0 {
			t.Errorf("recall %q says %q, %v", args, out.String(), err)
		}
	}
}
