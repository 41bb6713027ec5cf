// Package hues has the colours of languages. A language has the same one in the window and in the dashboard, which
// reads hues.json too.
//
// There are seven, each for light grounds and for dark ones: told apart by people who see all colours and by those who
// do not see red, green or blue, and with a contrast of 3:1 at least. More could not be told apart as points of a few
// pixels. English has the first for itself, since in most collections most pages are in it. The others share the rest:
// those of hues.json in their order, so that languages that often come together differ, and all others by their
// letters. So colour alone never says which language it is: its name is said too.
package hues

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"image/color"
	"slices"
)

// Count is how many colours there are.
const Count = 7

//go:embed hues.json
var file []byte

var read = func() (f struct {
	Light, Dark [Count]string
	Languages   []string
}) {
	if err := json.Unmarshal(file, &f); err != nil {
		panic(err) // a test reads it
	}
	return f
}()

// Of returns which of the colours the language with an ISO 639 code has, -1 for "" and for what is none.
func Of(code string) int {
	if len(code) != 2 && len(code) != 3 {
		return -1
	}
	at := slices.Index(read.Languages, code)
	switch {
	case at == 0:
		return 0
	case at < 0:
		at = 1
		for i := range len(code) {
			at += int(code[i])
		}
	}
	return 1 + (at-1)%(Count-1)
}

// In returns the colour of a language among those of a theme, and another for what is none.
func In(theme [Count]color.NRGBA, code string, none color.NRGBA) color.NRGBA {
	if i := Of(code); i >= 0 {
		return theme[i]
	}
	return none
}

// Shared puts languages together that have one colour, each group where its first language stood.
func Shared(codes []string) [][]string {
	var groups [][]string
	at := make(map[int]int, Count)
	for _, code := range codes {
		i, known := at[Of(code)]
		if !known {
			i, at[Of(code)] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], code)
	}
	return groups
}

// Light returns the colours for light grounds.
func Light() [Count]color.NRGBA { return parse(read.Light) }

// Dark returns those for dark grounds.
func Dark() [Count]color.NRGBA { return parse(read.Dark) }

func parse(list [Count]string) (colours [Count]color.NRGBA) {
	for i, text := range list {
		c := &colours[i]
		if _, err := fmt.Sscanf(text, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
			panic(err) // as above
		}
		c.A = 255
	}
	return colours
}
