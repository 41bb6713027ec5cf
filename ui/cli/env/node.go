package env

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/assets/words"
)

// WithNode has fn ask or tell the node that runs.
func (e *Env) WithNode(fn func(*client.Client) error) error {
	node, err := e.Dial()
	if err != nil {
		return err
	}
	return fn(node)
}

// Dial finds the node that runs, which then answers in the language of the user.
func (e *Env) Dial() (*client.Client, error) {
	node, err := client.Dial(e.Paths.State)
	if err == nil {
		node.SetLang(e.Lang.Of())
	}
	return node, err
}

// HomeFlag returns what commands for the same node need, "" if nothing.
func (e *Env) HomeFlag() string {
	if e.Home == "" {
		return ""
	}
	return " --home " + ShellQuoted(e.Home)
}

// ShellQuoted returns an argument as it is written in a command line.
func ShellQuoted(arg string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-"
	switch {
	case strings.Trim(arg, plain+`\`) == "" && (runtime.GOOS == "windows" || !strings.Contains(arg, `\`)) && arg != "":
		return arg
	case runtime.GOOS == "windows":
		return `"` + arg + `"` // no name of a file holds one
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// Source answers questions about a node: one that runs, or the files of one
// that does not.
type Source interface {
	StatusIn(ctx context.Context, lang string) (api.Status, error)
	Domains(ctx context.Context, after string, limit int) ([]api.Domain, error)
	Stats(ctx context.Context, hours int) (api.Stats, error)
	Series(ctx context.Context, q api.SeriesQuery) (api.Series, error)
	LimitHistory(ctx context.Context) (api.LimitHistory, error)
	Why(ctx context.Context, text string) (api.Why, error)
}

// Ask runs fn with the node that runs here or, if none does, with its files.
func (e *Env) Ask(ctx context.Context, fn func(Source) error) error {
	node, err := e.Dial()
	if err == nil {
		return fn(node)
	}
	if !errors.Is(err, api.ErrNotRunning) {
		return err
	}
	reader, err := nodeapi.OpenReader(e.Paths)
	if errors.Is(err, os.ErrNotExist) {
		return e.NeverRan()
	}
	if err != nil {
		return err
	}
	defer reader.Close()
	return fn(reader)
}

// NeverRan says that there are no files of a node yet.
func (e *Env) NeverRan() error {
	return words.New("cli.trouble.never_ran", words.Args{"folder": e.Paths.State})
}
