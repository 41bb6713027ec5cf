package env

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/ui/cli/console"
)

// OpenBar returns a bar for work that begins now. It must be closed.
func (e *Env) OpenBar() *console.Bar {
	b := &console.Bar{Now: e.Now, Lang: e.Lang, Columns: func() int { return 80 }}
	if b.Now == nil {
		b.Now = time.Now
	}
	if f, ok := console.TerminalBehind(e.Err); ok {
		b.Out, b.Columns = f, func() int { return console.ColumnsOf(f) }
	}
	b.Due = b.Now().Add(console.BarWait)
	return b
}

// Watched returns a context for work that a bar shows; the function takes the bar away.
func (e *Env) Watched(ctx context.Context) (context.Context, func()) {
	b := e.OpenBar()
	if b.Out == nil {
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
func (e *Env) Show(v any, text func()) error {
	if !e.JSON {
		text()
		return nil
	}
	return console.JSON(e.Out, v)
}

// Terminal returns a printer for standard output.
func (e *Env) Terminal() console.Printer {
	p := console.Printer{To: e.Out, Width: console.LineWidth, Text: &strings.Builder{}}
	if f, ok := console.TerminalBehind(e.Out); ok {
		p.Width = min(max(console.ColumnsOf(e.Out), 40), console.LineWidth)
		if p.Bold = os.Getenv("NO_COLOR") == ""; p.Bold {
			p.To = f
		}
	}
	return p
}
