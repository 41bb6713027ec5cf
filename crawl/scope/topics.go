package scope

import (
	_ "embed"
	"strings"
	"sync"
)

// Topic is a kind of site that users may leave out as a whole. Sites are told
// by their names alone, so many are missed, and now and then one is taken for
// what it is not.
type Topic struct {
	// Name is what stands in the setting topics.never.
	Name string
	// TLDs are top-level domains that are left out, Words labels of host names, or
	// parts of labels between hyphens. Both in canonical form.
	TLDs, Words []string
}

//go:embed topics.txt
var topicsText string

// Topics returns all topics in the order of their names. The slices are shared
// and must not be changed.
func Topics() []Topic { return topics() }

// topics is read once and never changed: a parsed constant.
var topics = sync.OnceValue(func() []Topic {
	var list []Topic
	for line := range strings.Lines(topicsText) {
		line = strings.TrimSpace(line)
		switch key, rest, _ := strings.Cut(line, ":"); {
		case line == "" || line[0] == '#':
		case key == "tlds":
			list[len(list)-1].TLDs = strings.Fields(rest)
		case key == "words":
			list[len(list)-1].Words = strings.Fields(rest)
		default:
			list = append(list, Topic{Name: key}) // what follows is for readers
		}
	}
	return list
})

// TopicNames returns the names of all topics, in order.
func TopicNames() []string {
	names := make([]string, len(Topics()))
	for i, t := range Topics() {
		names[i] = t.Name
	}
	return names
}

// topicOf returns the topic of that name.
func topicOf(name string) (Topic, bool) {
	for _, t := range Topics() {
		if t.Name == name {
			return t, true
		}
	}
	return Topic{}, false
}
