package doctor

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/storage"
)

// lab returns the options of a node that crawls a small practice web.
func lab(t testing.TB, home string) app.Options {
	t.Helper()
	web, err := demo.Start(demo.Options{Sites: 2, Pages: 60})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	hosts, err := fetch.ParseHosts(strings.NewReader(web.Hosts()))
	if err != nil {
		t.Fatal(err)
	}
	seed, err := crawl.ParseURL(web.StartURL())
	if err != nil {
		t.Fatal(err)
	}
	o := app.Options{
		Paths: pathsOf(t, home), Home: home, Config: config.Defaults(), Seeds: []crawl.URL{seed}, NoSync: true,
		ExitWhenIdle: 200 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
		Lab: &app.Lab{Hosts: hosts, Gap: new(time.Duration), NoLimits: true, RealTimes: true},
	}
	o.Config.Web.Addr = "127.0.0.1:0"
	if err := o.Paths.Create(); err != nil {
		t.Fatal(err)
	}
	if err := config.Consent(o.Paths.Config, time.Now()); err != nil {
		t.Fatal(err)
	}
	return o
}

func pathsOf(t testing.TB, home string) config.Paths {
	t.Helper()
	paths, err := config.Resolve(home, func(string) string { return "" }, runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// crawled returns the home of a node that has crawled its web and ended.
func crawled(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	o := lab(t, home)
	n, err := app.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := n.Serve(ctx); err != nil || ctx.Err() != nil {
		t.Fatalf("Serve: %v, %v", err, ctx.Err())
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	return home
}

// copyOf returns a copy of a home.
func copyOf(t testing.TB, home string) config.Paths {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "home")
	if err := os.CopyFS(dir, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return pathsOf(t, dir)
}

// fingerprint tells whether anything in a home has changed.
func fingerprint(t testing.TB, p config.Paths) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(filepath.Dir(p.Config), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum := [32]byte{}
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum = sha256.Sum256(data)
		}
		_, err = fmt.Fprintf(&b, "%s %v %v %x\n", path, info.Mode(), info.ModTime(), sum)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// inStore changes the store of a home.
func inStore(t testing.TB, p config.Paths, fn func(tx *storage.Tx) error) {
	t.Helper()
	db, err := storage.Open(p.Store(), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
}

// edit changes the bytes of a file.
func edit(t testing.TB, path string, change func(b []byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// only returns the one file of the archive with an ending.
func only(t testing.TB, p config.Paths, ending string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.WARC(), "forage-*"+ending))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d files end with %s, %v", len(found), ending, err)
	}
	return found[0]
}
