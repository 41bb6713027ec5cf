package complete

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

func settingCandidates() (list []candidate) {
	for _, k := range config.Keys() {
		list = append(list, candidate{k.Name, k.Meaning})
	}
	return list
}

// completeAssignment completes KEY=VALUE.
func completeAssignment(e *env.Env, current string) completion {
	key, value, hasValue := strings.Cut(current, "=")
	if key == "topics.never" && hasValue {
		return topics(current, value)
	}
	var list []candidate
	for _, k := range config.Keys() {
		switch {
		case strings.HasPrefix(k.Name, "consent."): // is not given so
		case !hasValue:
			list = append(list, candidate{k.Name + "=", k.Range})
		case k.Name == key:
			for _, v := range settingValues(e, k) {
				list = append(list, candidate{k.Name + "=" + v.value, v.text})
			}
		}
	}
	a := matching(current, list)
	if !hasValue {
		a.then |= cobra.ShellCompDirectiveNoSpace
	}
	return a
}

// topics completes the last of a list of topics.
func topics(current, value string) completion {
	before := current[:len(current)-len(value)+strings.LastIndexByte(value, ',')+1]
	var list []candidate
	for _, t := range scope.Topics() {
		list = append(list, candidate{before + t.Name, t.Meaning})
	}
	a := matching(current, list)
	a.then |= cobra.ShellCompDirectiveNoSpace // there may be more
	return a
}

var (
	// quotedWord is a value in a range: "off", "gentle" or "full".
	quotedWord = regexp.MustCompile(`"([a-z_]+)"`)
	// bounds are those of a number.
	bounds = regexp.MustCompile(`^a whole number(?: of [^ ]+)? from (-?\d+) to (\d+)`)
)

// settingValues returns what a setting may be, as far as that can be listed: every choice, or the ends of the
// range, with the value by default and the present one.
func settingValues(e *env.Env, k config.Key) (list []candidate) {
	add := func(value, text string) {
		for _, x := range list {
			if x.value == value {
				return
			}
		}
		list = append(list, candidate{value, text})
	}
	byDefault := config.Unquoted(k.Default)
	switch k.Type {
	case "yes or no", "level", "choice":
		for _, m := range quotedWord.FindAllStringSubmatch(k.Range, -1) {
			if m[1] == byDefault {
				add(m[1], "by default")
			} else {
				add(m[1], "")
			}
		}
		return list
	case "list", "time":
		return nil
	}
	if now, err := presentValue(e, k.Name); err == nil && now != k.Default {
		add(compact(k, config.Unquoted(now)), "as it is now")
	}
	add(compact(k, byDefault), "by default; "+k.Range)
	if m := bounds.FindStringSubmatch(k.Range); m != nil {
		add(m[1], "the least; "+k.Range)
		add(m[2], "the most; "+k.Range)
	}
	if strings.Contains(k.Range, "-1 no limit") {
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
func knownDomains(ctx context.Context, e *env.Env, current string, undo bool) (list []candidate) {
	if e.FindPaths() != nil {
		return nil
	}
	if undo {
		known, err := never.Listed(e.Paths.Config)
		if err != nil {
			return nil
		}
		for _, site := range known.Sites {
			list = append(list, candidate{value: site})
		}
		return list
	}
	ctx, cancel := context.WithTimeout(ctx, domainWait)
	defer cancel()
	found := make(chan []api.Domain, 1)
	go func() { // ends with the process, if the node does not answer before
		client, err := api.Dial(e.Paths.State)
		if err != nil {
			found <- nil
			return
		}
		domains, _ := client.Domains(ctx, beforeFirst(current), maxDomains)
		found <- domains
	}()
	select {
	case domains := <-found:
		for _, d := range domains {
			list = append(list, candidate{d.Domain,
				language.Language(words.English).Count("page", d.Fetched) + ", " + d.State})
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
