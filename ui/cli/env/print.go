package env

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/ui/cli/console"
)

// OpenBar returns a bar for work that begins now. It must be closed.
func (e *Env) OpenBar() *console.Bar { return console.NewBar(e.Err, e.Lang, e.Moment) }

// Watched returns a context for work that a bar shows; the function takes the bar away.
func (e *Env) Watched(ctx context.Context) (context.Context, func()) {
	b := e.OpenBar()
	if !b.Seen() {
		return ctx, func() {}
	}
	return progress.With(ctx, b.Show), b.Close
}

// Confirm asks a question that only "yes" answers, in the language of the user; without a terminal the
// answer is no.
func (e *Env) Confirm(question string) bool {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return false
	}
	fmt.Fprint(e.Out, e.Lang.Text("confirm", words.Args{"question": question}), " ")
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	return strings.EqualFold(strings.TrimSpace(answer), e.Lang.Text("confirm.yes", nil))
}

// Tell prints a text of this package, in lines of its own.
func (e *Env) Tell(key string, args words.Args) { fmt.Fprintln(e.Out, e.Lang.Text(key, args)) }

// Show writes an answer as JSON if that was asked for, else as text does.
func (e *Env) Show(answer any, text func() error) error {
	if e.JSON {
		return console.JSON(e.Out, answer)
	}
	return text()
}

// Answer writes an answer as JSON if that was asked for, else a text in lines of its own.
func (e *Env) Answer(answer any, text string) error {
	return e.Show(answer, func() error {
		_, err := fmt.Fprintln(e.Out, text)
		return err
	})
}
