package controls

import (
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// NewFault makes a label that says what is wrong; it is hidden while nothing is.
func NewFault() *widget.Label {
	l := texts.Prose("")
	l.Importance = widget.DangerImportance
	l.Hide()
	return l
}

// SetFault says what is wrong, "" for nothing.
func SetFault(l *widget.Label, text string) {
	texts.Set(l, text)
	boxes.Show(l, text != "")
}
