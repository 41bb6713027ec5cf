//go:build !windowmap

package desktop

// knowsLab says that whoever starts a lab from the window knows its flags.
const knowsLab = false

// chart does nothing: see map.go.
func (w *Window) chart() {}
