package cli

import (
	"context"
	"embed"
	"fmt"
	"strings"
)

// completeVerb is what completion scripts call: forage __complete WORD..., with the words behind the
// program's name up to the one under the cursor, which may be empty. It prints a line that says what kind
// of completion it is, and then candidates, a line each: what to write, tab, what it means.
const completeVerb = "__complete"

//go:embed completion
var completionScripts embed.FS

func runCompletion(_ context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags("completion"), args, 1, 1)
	if err != nil {
		return done(err)
	}
	script, err := completionScripts.ReadFile("completion/forage." + rest[0])
	if err != nil {
		return usage("there is completion for bash, zsh and fish, not for %q", rest[0])
	}
	_, err = e.out.Write(script)
	return err
}

// printCompletion answers a script.
func (e *env) printCompletion(ctx context.Context, words []string) error {
	if len(words) == 0 {
		words = []string{""}
	}
	c := completer{ctx: ctx, env: e}
	a := c.complete(words)
	var b strings.Builder
	fmt.Fprintln(&b, a.kind)
	for _, s := range a.list {
		fmt.Fprintf(&b, "%s\t%s\n", printable(s.value), printable(s.text))
	}
	_, err := fmt.Fprint(e.out, b.String())
	return err
}
