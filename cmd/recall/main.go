// Command recall makes the notes by which the makers of forage ask versions of it to pause (docs/recall.md).
//
//	recall key FILE    draws a release key into FILE, and prints the public one
//	recall note --key FILE --below 0.2.0 --fault often [--days 14]   prints a note
//	recall withdraw --key FILE                                 prints a note that takes earlier ones back
//
// A fault is "often", "robots", "pages" or "other". The key's file holds its seed, in base64, and is for its owner
// alone.
package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/app/recall"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: recall key FILE | " +
	"note --key FILE --below VERSION --fault FAULT [--days N] | withdraw --key FILE")

func run(args []string, out io.Writer, now time.Time) error {
	if len(args) == 0 {
		return errUsage
	}
	flags := flag.NewFlagSet("recall "+args[0], flag.ContinueOnError)
	file := flags.String("key", "", "the file with the private key")
	below := flags.String("below", "", "the version of which earlier ones are asked to pause")
	fault := flags.String("fault", "", "why: "+strings.Join(recall.Faults[:], ", "))
	days := flags.Int("days", 14, "how many days the note counts, 1 to 30")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	n := recall.Note{Below: *below, Fault: recall.Fault(max(slices.Index(recall.Faults[:], *fault), 0)), Issued: now}
	switch {
	case args[0] == "key" && flags.NArg() == 1:
		return makeKey(flags.Arg(0), out)
	case args[0] == "note" && *file != "" && *below != "" && slices.Contains(recall.Faults[:], *fault) &&
		flags.NArg() == 0:
		n.Until = now.Add(time.Duration(*days) * 24 * time.Hour)
	case args[0] == "withdraw" && *file != "" && *below == "" && flags.NArg() == 0:
		n.Until = now.Add(recall.MaxLife) // as long as any that it takes back
	default:
		return errUsage
	}
	key, err := readKey(*file)
	if err != nil {
		return err
	}
	line, err := recall.Sign(n, key)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, line)
	return err
}

// makeKey draws a key. A file that is there is not touched.
func makeKey(path string, out io.Writer) error {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return fmt.Errorf("draw a key: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the key: %w", err)
	}
	_, err = fmt.Fprintln(f, base64.RawURLEncoding.EncodeToString(key.Seed()))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write the key: %w", err)
	}
	_, err = fmt.Fprintln(out, recall.KeyText(public))
	return err
}

func readKey(path string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	seed, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("read the key: %s holds none", path)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}
