package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/forage-net/forage/app/api/password"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/env"
)

// newPassword sets the password by which other computers are let in.
func newPassword(e *env.Env) *cobra.Command {
	c := env.Command("password [--remove]", "let other computers open the dashboard", 0, 0)
	remove := c.Flags().Bool("remove", false, "remove the password and keep other computers out")
	return env.Does(c, func(ctx context.Context, _ []string) error {
		if *remove {
			if err := password.Remove(e.Paths.State); err != nil {
				return err
			}
			e.Tell("password.removed", nil)
			return nil
		}
		text, err := readPassword(ctx, e, os.Stdin)
		if err != nil {
			return err
		}
		if err := e.Paths.Create(); err != nil {
			return err
		}
		if err := password.Set(e.Paths.State, text); err != nil {
			return err
		}
		e.Tell("password.set", nil)
		return nil
	})
}

// readPassword reads a password from a terminal, twice and without showing it, or else one line.
func readPassword(ctx context.Context, e *env.Env, in *os.File) (string, error) {
	if !term.IsTerminal(int(in.Fd())) {
		line, err := bufio.NewReader(io.LimitReader(in, 2*password.Max)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", words.New("said.cli.read-password", words.Args{"error": err})
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	var given [2]string
	for i, prompt := range []string{e.Lang.Text("password.ask", words.Args{"least": password.Min}),
		e.Lang.Text("password.again", nil)} {
		fmt.Fprint(e.Err, prompt, " ")
		text, err := readUnseen(ctx, int(in.Fd()))
		fmt.Fprintln(e.Err)
		if errors.Is(err, context.Canceled) {
			return "", words.New("said.cli.interrupted", nil)
		}
		if err != nil {
			return "", words.New("said.cli.read-password", words.Args{"error": err})
		}
		given[i] = text
	}
	if given[0] != given[1] {
		return "", words.New("said.cli.the-two-are-not-the-same", nil)
	}
	return given[0], nil
}

// readUnseen reads a line that the terminal does not show. When ctx ends first, the terminal is as before;
// the read goes on, as long as the process does.
func readUnseen(ctx context.Context, fd int) (string, error) {
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	type answer struct {
		text []byte
		err  error
	}
	read := make(chan answer, 1)
	go func() {
		text, err := term.ReadPassword(fd)
		read <- answer{text, err}
	}()
	select {
	case a := <-read:
		return string(a.text), a.err
	case <-ctx.Done():
		return "", errors.Join(ctx.Err(), term.Restore(fd, before))
	}
}
