// Package icons holds the program's icons as they are built into it and packed into packages. They are the work of
// package draw; "go generate" draws them again.
package icons

import (
	"embed"
	"fmt"
)

//go:generate go test -run TestFiles_AreDrawn ./draw -update

//go:embed forage-256.png tray-*-44.png tray-*.ico
var files embed.FS

// State is what an icon of the tray says of the node.
type State uint8

// States differ by shape and by colour.
const (
	Working State = iota // it crawls
	Waiting              // it will, when the user's limits allow
	Paused               // the user said so
	Problem              // somebody must see to something
)

// String returns the word for the state that the files have in their names.
func (s State) String() string {
	switch s {
	case Working:
		return "working"
	case Waiting:
		return "waiting"
	case Paused:
		return "paused"
	case Problem:
		return "problem"
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// App returns the icon of the program, a PNG of 256 pixels.
func App() []byte { return read("forage-256.png") }

// Tray returns the icon that the tray shows in a state: a PNG of 44 pixels, for Windows ("windows") an ICO with every
// size it asks for. A state that is none gets that of a problem.
func Tray(state State, goos string) []byte {
	if state > Problem {
		state = Problem
	}
	if goos == "windows" {
		return read("tray-" + state.String() + ".ico")
	}
	return read("tray-" + state.String() + "-44.png")
}

// read returns a file that is built in.
func read(name string) []byte {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err) // a name that is not in the line above
	}
	return data
}
