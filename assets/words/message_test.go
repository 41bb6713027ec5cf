package words

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestMessage_IsSaidInEachLanguage(t *testing.T) {
	flag := New("said.cli.there-is-no-flag", Args{"name": "--x"})
	hint := New("said.cli.did-you-mean", Args{"name": "run", "rest": New("said.cli.forage-help-lists-them", nil)})
	for _, c := range []struct {
		err             error
		english, german string
	}{
		{flag, "there is no flag --x", Text(German, "said.cli.there-is-no-flag", Args{"name": "--x"})},
		{hint, `did you mean run? "forage help" lists them`, Text(German, "said.cli.did-you-mean",
			Args{"name": "run", "rest": Text(German, "said.cli.forage-help-lists-them", nil)})},
		{fmt.Errorf("a/b: %w", flag), "a/b: there is no flag --x", "a/b: " + flag.In(German)},
		{errors.Join(flag, fs.ErrExist), "there is no flag --x\nfile already exists",
			flag.In(German) + "\nfile already exists"},
		{Join("; ", flag, nil, fs.ErrExist), "there is no flag --x; file already exists",
			flag.In(German) + "; file already exists"},
		{fs.ErrExist, "file already exists", "file already exists"},
	} {
		if got := In(English, c.err); got != c.english || c.err.Error() != c.english {
			t.Errorf("in English %q and %q, want %q", got, c.err, c.english)
		}
		if got := In(German, c.err); got != c.german {
			t.Errorf("in German %q, want %q", got, c.german)
		}
	}
	if got := In(German, nil); got != "" {
		t.Errorf("no error is said: %q", got)
	}
}

func TestMessage_WrapsItsArguments(t *testing.T) {
	m := New("said.cli.bad-flag-syntax", Args{"text": fmt.Errorf("open: %w", fs.ErrNotExist)})
	if !errors.Is(fmt.Errorf("run: %w", m), fs.ErrNotExist) {
		t.Error("an error among the arguments is not found")
	}
}

func TestMessage_IsReadAsItWasWritten(t *testing.T) {
	for _, m := range []*Message{
		New("said.cli.parse-error", nil),
		New("said.cli.there-is-no-flag", Args{"name": "a=b&c?~ \n\"ü"}),
		New("said.cli.did-you-mean", Args{"name": "run", "rest": New("said.cli.forage-help-lists-them", nil)}),
		New("cli.count.page", Args{"count": 1}),
		New("cli.count.page", Args{"count": int64(1234)}),
	} {
		text, err := m.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		back, ok := Parse(string(text))
		if !ok || back.In(German) != m.In(German) {
			t.Errorf("%s is read as %v", text, back)
		}
	}
	for _, text := range []string{"", "no.such.key", "no text of ours", "said.cli.parse-error?%zz=1",
		"said.cli.did-you-mean?rest~=nothing", "cli.count.page?count%23=many"} {
		if m, ok := Parse(text); ok {
			t.Errorf("%q is read as %v", text, m)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("said.cli.did-you-mean?name=run&rest~=said.cli.forage-help-lists-them")
	f.Fuzz(func(t *testing.T, text string) {
		m, ok := Parse(text)
		if !ok {
			return
		}
		again, err := m.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		if back, ok := Parse(string(again)); len(again) <= maxMessage && (!ok || back.In(German) != m.In(German)) {
			t.Errorf("%q is written as %q and read as %v", text, again, back)
		}
	})
}
