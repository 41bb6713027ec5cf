package cli

import (
	"fmt"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/autostart"
)

// What verbs print with --json that is not an answer of the local API. Scripts rely on the keys: none is
// taken away or changes its meaning, and lists are never null.

// steered is what came of pause, resume, finish and stop.
type steered struct {
	// Done is "paused", "resumed", "working" (for a time, although the user is there), "finishing" or "stopped".
	Done string `json:"done"`
	// Until is when that ends by itself, nil if it does not.
	Until *time.Time `json:"until"`
	// Sentence says it for people.
	Sentence string `json:"sentence"`
}

// runsAnswer is what "forage mode" prints.
type runsAnswer struct {
	// Mode is "always", "away" or "off".
	Mode api.RunMode `json:"mode"`
}

// say prints what came of a command.
func (e *env) say(s steered) error {
	if s.Until != nil {
		at := s.Until.UTC().Truncate(time.Second)
		s.Until = &at
	}
	return e.show(s, func() { fmt.Fprintln(e.out, s.Sentence) })
}

// complaint is what goes to standard error when a command ends with another exit code than 0.
type complaint struct {
	// Error says what went wrong and, where that is known, what to do about it.
	Error string `json:"error"`
	Code  int    `json:"exit_code"`
	// Help is the command line that tells more.
	Help string `json:"help"`
}

// setting is one, for get.
type setting struct {
	Key string `json:"key"`
	// Value and Default are written as in the file.
	Value   string `json:"value"`
	Default string `json:"default"`
	Type    string `json:"type"`
	Range   string `json:"range"`
	Meaning string `json:"meaning"`
	now     bool   // it holds when the file is saved
}

// changedSetting is what set has done.
type changedSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"` // as in the file
	File  string `json:"file"`
	// Applies is "now", where a node runs and uses it, or "restart".
	Applies string `json:"applies"`
}

// consentAnswer is the text of consent, and what was said to it.
type consentAnswer struct {
	Version int `json:"version"`
	// Given says that the present text was agreed to, at Time.
	Given bool       `json:"given"`
	Time  *time.Time `json:"time"`
	// Text are paragraphs, of which some have several lines.
	Text []string `json:"text"`
}

// joined is what join has written into the settings.
type joinAnswer struct {
	Network   string   `json:"network"`
	Lab       bool     `json:"lab"`
	Private   bool     `json:"private"`
	Bootstrap []string `json:"bootstrap"`
	// Start is the command that joins.
	Start string `json:"start"`
}

// exportAnswer is what export has written. What a format has none of is 0.
type exportAnswer struct {
	Format string `json:"format"`
	// Path is the file, for warc and graph the directory. stats.json stands beside that of stats.
	Path string `json:"path"`
	// Files counts those written again, of so many Bytes in all.
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// Lines counts those of the index, of links, of pages, of edges of the graph, or of domains.
	Lines    int `json:"lines"`
	Captures int `json:"captures"`
	Pages    int `json:"pages"`
	// Domains counts the vertices of the graph.
	Domains int `json:"domains"`
	// LeftOut counts captures that ask to be left out: by noindex, by noai or noimageai, or by a TDM reservation.
	LeftOut         int `json:"left_out"`
	LeftOutNoIndex  int `json:"left_out_noindex"`
	LeftOutNoAI     int `json:"left_out_noai"`
	LeftOutReserved int `json:"left_out_reserved"`
	// Damaged says which files of the archive could be read in part only.
	Damaged []string `json:"damaged"`
}

// eraseAnswer is what erase has deleted.
type eraseAnswer struct {
	Erased bool  `json:"erased"`
	Files  int   `json:"files"`
	Bytes  int64 `json:"bytes"`
	// Settings is the file that is kept.
	Settings string `json:"settings"`
}

// autostartAnswer says what the system will do.
type autostartAnswer struct {
	// Kind is "off", "session" or "service". Starts says that it does start the node.
	Kind   string `json:"kind"`
	Starts bool   `json:"starts"`
	// Place is the file or the registry value that says so, Command what is started.
	Place   string   `json:"place"`
	Command []string `json:"command"`
	// Disabled says that it was switched off in the settings of the system.
	Disabled bool `json:"disabled"`
	// Foreign are places that hold what forage did not write.
	Foreign []string `json:"foreign"`
}

func answerOf(s autostart.State) autostartAnswer {
	return autostartAnswer{
		Kind: s.Kind.String(), Starts: s.Kind != autostart.Off && !s.Disabled, Place: s.Place, Disabled: s.Disabled,
		Command: append([]string{}, s.Command...), Foreign: append([]string{}, s.Foreign...),
	}
}

type inviteAnswer struct {
	// Invite is a line for join.
	Invite string `json:"invite"`
}

type pathsAnswer struct {
	Config string `json:"config"`
	State  string `json:"state"`
	Data   string `json:"data"`
	WARC   string `json:"warc"`
}

type versionAnswer struct {
	Version    string `json:"version"`
	SuffixList string `json:"suffix_list"`
}

// checkedRelease is a file that is a release. Comment is what its signature says of it.
type checkedRelease struct {
	Checked string `json:"checked"`
	Comment string `json:"comment"`
}
