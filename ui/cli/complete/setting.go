package complete

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/app/settings/schema"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

func settingCandidates() (list []string) {
	for _, k := range config.Keys() {
		list = append(list, cobra.CompletionWithDesc(k.Name, k.Meaning()))
	}
	return list
}

// completeAssignment completes KEY=VALUE.
func completeAssignment(e *env.Env, current string) ([]string, cobra.ShellCompDirective) {
	key, value, hasValue := strings.Cut(current, "=")
	var list []string
	for _, k := range config.Keys() {
		switch {
		case schema.IsReadOnly(k.Name): // is not given so
		case !hasValue:
			list = append(list, cobra.CompletionWithDesc(k.Name+"=", k.Range()))
		case k.Name == key && k.Type == "list" && len(k.Choices) > 0:
			return items(k, current, value)
		case k.Name == key:
			for _, v := range settingValues(e, k) {
				list = append(list, k.Name+"="+v)
			}
		}
	}
	list, then := matching(current, list)
	if !hasValue {
		then |= cobra.ShellCompDirectiveNoSpace
	}
	return list, then
}

// items completes the last item of a list of choices.
func items(k config.Key, current, value string) ([]string, cobra.ShellCompDirective) {
	before := current[:len(current)-len(value)+strings.LastIndexByte(value, ',')+1]
	var list []string
	for _, choice := range k.Choices {
		list = append(list, cobra.CompletionWithDesc(before+choice, schema.ChoiceName(words.English, choice)))
	}
	list, then := matching(current, list)
	return list, then | cobra.ShellCompDirectiveNoSpace // there may be more
}

// settingValues returns what a setting may be, as far as that can be listed: every choice, or the ends of the
// range, with the value by default and the present one.
func settingValues(e *env.Env, k config.Key) (list []string) {
	add := func(value, text string) {
		if !slices.ContainsFunc(list, func(known string) bool { return strings.HasPrefix(known, value+"\t") }) {
			list = append(list, cobra.CompletionWithDesc(value, text))
		}
	}
	byDefault := config.Unquoted(k.Default)
	switch {
	case k.Type == "list", k.Type == "time":
		return nil
	case len(k.Choices) > 0:
		for _, choice := range k.Choices {
			if choice == byDefault {
				add(choice, "by default")
			} else {
				add(choice, "")
			}
		}
		return list
	}
	if now, err := presentValue(e, k.Name); err == nil && now != k.Default {
		add(compact(k, config.Unquoted(now)), "as it is now")
	}
	add(compact(k, byDefault), "by default; "+k.Range())
	if k.Type == "whole number" {
		add(strconv.FormatInt(k.Lo, 10), "the least; "+k.Range())
		add(strconv.FormatInt(k.Hi, 10), "the most; "+k.Range())
	}
	if k.None {
		add("-1", "no limit")
	}
	return list
}

func presentValue(e *env.Env, key string) (string, error) {
	if err := e.FindPaths(); err != nil {
		return "", err
	}
	cfg, err := config.Load(e.Paths.Config)
	if err != nil {
		return "", err
	}
	return cfg.Get(key)
}

// compact writes a value without the blank that shells would take for its end, where it need not have one.
func compact(k config.Key, value string) string {
	short := strings.ReplaceAll(value, " ", "")
	if config.Check(k.Name, short) == nil {
		return short
	}
	return value
}

const (
	// domainWait is how long a node may take to say which domains it has: somebody has pressed a key.
	domainWait = 500 * time.Millisecond
	// maxDomains is how many can be looked through.
	maxDomains = 200
)

// knownDomains returns the domains that the node here knows and that begin so; with undo, what is never visited.
func knownDomains(ctx context.Context, e *env.Env, current string, undo bool) (list []string) {
	if e.FindPaths() != nil {
		return nil
	}
	if undo {
		known, err := never.Listed(e.Paths.Config, e.Lang.Of())
		if err != nil {
			return nil
		}
		return known.Sites
	}
	ctx, cancel := context.WithTimeout(ctx, domainWait)
	defer cancel()
	found := make(chan []api.Domain, 1)
	go func() { // ends with the process, if the node does not answer before
		node, err := client.Dial(e.Paths.State)
		if err != nil {
			found <- nil
			return
		}
		domains, _ := node.Domains(ctx, beforeFirst(current), maxDomains)
		found <- domains
	}()
	select {
	case domains := <-found:
		for _, d := range domains {
			text := language.Language(words.English).Count("page", d.Fetched) + ", " + d.State
			list = append(list, cobra.CompletionWithDesc(console.Printable(d.Domain), console.Printable(text)))
		}
	case <-ctx.Done():
	}
	return list
}

// beforeFirst returns a name that stands right before all that begin so, or as good as that.
func beforeFirst(prefix string) string {
	if prefix == "" {
		return ""
	}
	last := len(prefix) - 1
	return prefix[:last] + string(rune(prefix[last]-1)) + "~"
}

// matching returns the candidates that begin with what is there.
func matching(current string, list []string) ([]string, cobra.ShellCompDirective) {
	list = slices.DeleteFunc(list, func(c string) bool { return !strings.HasPrefix(c, current) })
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
