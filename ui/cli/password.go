package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

// runPassword sets the password by which other computers are let in.
func runPassword(ctx context.Context, e *env, args []string) error {
	fs := e.flags("password")
	remove := fs.Bool("remove", false, "remove the password and keep other computers out")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	if *remove {
		if err := api.RemovePassword(e.paths.State); err != nil {
			return err
		}
		e.tell("password.removed", nil)
		return nil
	}
	password, err := e.readPassword(ctx, os.Stdin)
	if err != nil {
		return err
	}
	if err := e.paths.Create(); err != nil {
		return err
	}
	if err := api.SetPassword(e.paths.State, password); err != nil {
		return err
	}
	e.tell("password.set", nil)
	return nil
}

// readPassword reads a password from a terminal, twice and without showing it, or else one line.
func (e *env) readPassword(ctx context.Context, in *os.File) (string, error) {
	if !term.IsTerminal(int(in.Fd())) {
		line, err := bufio.NewReader(io.LimitReader(in, 2*api.MaxPassword)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read password: %w", err)
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	var given [2]string
	for i, prompt := range []string{e.lang.text("password.ask", words.Args{"least": api.MinPassword}), e.lang.text("password.again", nil)} {
		fmt.Fprint(e.err, prompt, " ")
		text, err := readUnseen(ctx, int(in.Fd()))
		fmt.Fprintln(e.err)
		if errors.Is(err, context.Canceled) {
			return "", errors.New("interrupted; nothing was changed")
		}
		if err != nil {
			return "", fmt.Errorf("read password: %w", err)
		}
		given[i] = text
	}
	if given[0] != given[1] {
		return "", errors.New("the two are not the same; nothing was changed")
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
