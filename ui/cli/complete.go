package cli

import (
	"context"
	"flag"
	"slices"
	"strings"
)

// kinds of completion.
const (
	completeWords   = "words"   // one of the candidates, and a blank behind it
	completeNoSpace = "nospace" // no blank: the word goes on
	completeFiles   = "files"   // names of files, which the shell knows best
	completeDirs    = "dirs"    // names of directories
)

// candidate is a word that may stand where the cursor is, and what it means.
type candidate struct{ value, text string }

// completion is what may stand where the cursor is.
type completion struct {
	kind string
	list []candidate
}

// completer finds out what may stand under the cursor.
type completer struct {
	ctx context.Context
	env *env
}

// matching returns the candidates that begin with what is there.
func matching(current string, list []candidate) completion {
	list = slices.DeleteFunc(list, func(c candidate) bool { return !strings.HasPrefix(c.value, current) })
	return completion{completeWords, list}
}

// complete completes the last of the words of a command line.
func (c completer) complete(line []string) completion {
	before, current := line[:len(line)-1], line[len(line)-1]
	common := commonFlags()
	at := 0
	for at < len(before) && strings.HasPrefix(before[at], "-") { // what stands before the verb
		if f, value, given := flagIn(before[at], common); f != nil && !given && !isSwitch(f) {
			if at+1 == len(before) {
				return c.value(f, current)
			}
			at++
			value = before[at]
			c.take(f, value)
		} else if f != nil {
			c.take(f, value)
		}
		at++
	}
	if at == len(before) {
		if strings.HasPrefix(current, "-") {
			return c.flag(current, common, nil)
		}
		return matching(current, verbCandidates())
	}
	v, ok := findVerb(before[at])
	if !ok {
		return completion{kind: completeWords}
	}
	return c.behind(v, before[at+1:], current)
}

// behind completes a word behind a verb.
func (c completer) behind(v verb, before []string, current string) completion {
	flags := append(flagsOf(v), commonFlags()...)
	var given []string
	positional, literal := 0, false
	for i := 0; i < len(before); i++ {
		word := before[i]
		if literal || !strings.HasPrefix(word, "-") || word == "-" {
			positional++
			continue
		}
		if word == "--" {
			literal = true
			continue
		}
		f, value, has := flagIn(word, flags)
		if f == nil {
			continue
		}
		given = append(given, f.Name)
		if !has && !isSwitch(f) {
			if i+1 == len(before) {
				return c.value(f, current)
			}
			i++
			value = before[i]
		}
		c.take(f, value)
	}
	if strings.HasPrefix(current, "-") && !literal {
		return c.flag(current, flags, given)
	}
	return c.argument(argumentOf(v, positional), current, given)
}

// flagIn returns the flag that a word is, and the value that is given with it, if one is.
func flagIn(word string, flags []*flag.Flag) (f *flag.Flag, value string, has bool) {
	name, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
	for _, f := range flags {
		if f.Name == name {
			return f, value, has
		}
	}
	return nil, "", false
}

// take takes note of a flag that says where the node is.
func (c completer) take(f *flag.Flag, value string) {
	if f.Name == "home" {
		c.env.home = value
	}
}

// flag completes the name of a flag, or the value behind "=".
func (c completer) flag(current string, flags []*flag.Flag, given []string) completion {
	if f, value, has := flagIn(current, flags); f != nil && has {
		a := c.value(f, value)
		for i := range a.list {
			a.list[i].value = current[:len(current)-len(value)] + a.list[i].value
		}
		return a
	}
	names := []candidate{{"--help", "tell more"}}
	for _, f := range flags {
		_, repeated := f.Value.(*list)
		if repeated || !slices.Contains(given, f.Name) {
			_, _, text := describe(f)
			names = append(names, candidate{"--" + f.Name, text})
		}
	}
	return matching(current, names)
}

// value completes the value of a flag.
func (c completer) value(f *flag.Flag, current string) completion {
	name, _ := flag.UnquoteUsage(f)
	return c.argument(name, current, nil)
}

// argumentOf returns the name of an argument of a verb, counted from 0, "" if it takes no so many.
func argumentOf(v verb, n int) string {
	var names []string
	fields := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(v.args))
	flags := flagsOf(v)
	for i := 0; i < len(fields); i++ {
		switch {
		case fields[i] == "flags":
		case strings.HasPrefix(fields[i], "--"):
			if f, _, _ := flagIn(fields[i], flags); f != nil && !isSwitch(f) {
				i++ // its value
			}
		default:
			names = append(names, fields[i])
		}
	}
	if n < len(names) {
		return strings.TrimSuffix(names[n], "...")
	}
	if last := len(names) - 1; last >= 0 && strings.HasSuffix(names[last], "...") {
		return strings.TrimSuffix(names[last], "...")
	}
	return ""
}

// argument completes an argument or a value of that name.
func (c completer) argument(name, current string, given []string) completion {
	switch name {
	case "DIR":
		return completion{kind: completeDirs}
	case "FILE", "URL": // seeds may be in a file
		return completion{kind: completeFiles}
	case "VERB":
		return matching(current, verbCandidates())
	case "KEY":
		return matching(current, settingCandidates())
	case "KEY=VALUE":
		return c.assignment(current)
	case "DOMAIN":
		return matching(current, c.domains(current, slices.Contains(given, "undo")))
	case "DURATION", "DUR":
		return matching(current, []candidate{{"2m", "two minutes"}, {"30m", "half an hour"}, {"2h", "two hours"}, {"8h", "eight hours"}})
	}
	var list []candidate
	if strings.Contains(name, "|") {
		for choice := range strings.SplitSeq(name, "|") {
			list = append(list, candidate{value: choice})
		}
	}
	return matching(current, list)
}

func verbCandidates() (list []candidate) {
	for _, v := range verbs() {
		list = append(list, candidate{v.name, v.help})
	}
	return list
}
