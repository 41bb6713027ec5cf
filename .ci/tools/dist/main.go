// Command dist makes the packages of a release from a checkout: for Linux a .deb and a .tar.xz, for Windows a .zip,
// and the SHA-256 sums of all; FORAGE_RELEASE_KEY may name a key of minisign to sign them with, and FORAGE_RELEASE_PASSWORD be its password. The same commit gives the same bytes with the same compilers, wherever the checkout
// is: nothing in a package is newer than the commit, or in an order of chance. What cannot be built on this machine is
// left out, and said.
//
// Usage:
//
//	dist [-root DIR] [-out DIR]
//
// The dashboard must be built before (make dashboard). GO may name another go command, SOURCE_DATE_EPOCH another date.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root := flag.String("root", ".", "the `DIR`ectory of the checkout")
	out := flag.String("out", "", "the `DIR`ectory to write to (default ROOT/dist)")
	flag.Parse()
	if err := run(ctx, *root, *out, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// leftOut is why something is not built.
type leftOut struct{ what, why string }

func (e leftOut) Error() string { return fmt.Sprintf("%s left out: %s", e.what, e.why) }

// run builds everything. What was in out before is gone.
func run(ctx context.Context, root, out string, say io.Writer) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(cmp.Or(out, filepath.Join(root, "dist"))); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "forage-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := &builder{root: root, work: work, goTool: cmp.Or(os.Getenv("GO"), "go"), say: say}
	f, err := readFacts(ctx, b)
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil {
		return err
	}
	var missing []leftOut
	for _, system := range []func(context.Context, *builder, facts, string) error{linux, windows} {
		err := system(ctx, b, f, out)
		var left leftOut
		switch {
		case errors.As(err, &left):
			missing = append(missing, left)
		case err != nil:
			return err
		}
	}
	return finish(root, out, f.date, missing, say)
}

// finish writes the sums and, with a key, the signatures, and says what there is and what not.
func finish(root, out string, date time.Time, missing []leftOut, say io.Writer) error {
	sums, err := writeSums(out)
	if err != nil {
		return err
	}
	fmt.Fprint(say, sums)
	for _, m := range missing {
		fmt.Fprintln(say, "LEFT OUT:", m.what+":", m.why)
	}
	if sums == "" {
		return errors.New("nothing could be built")
	}
	if key := os.Getenv("FORAGE_RELEASE_KEY"); key != "" {
		return signAll(root, out, key, os.Getenv("FORAGE_RELEASE_PASSWORD"), date)
	}
	fmt.Fprintln(say, "NOT SIGNED: FORAGE_RELEASE_KEY names no key")
	return nil
}
