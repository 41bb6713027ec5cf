package desktop

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/boxes"
)

// newMenuButton is a button below which a menu opens.
func newMenuButton(text string, items func() []*fyne.MenuItem) *widget.Button {
	var b *widget.Button
	b = widget.NewButtonWithIcon(text, theme.MenuDropDownIcon(), func() {
		driver := fyne.CurrentApp().Driver()
		canvas := driver.CanvasForObject(b)
		if canvas == nil {
			return
		}
		menu := widget.NewPopUpMenu(fyne.NewMenu("", items()...), canvas)
		at := driver.AbsolutePositionForObject(b)
		menu.ShowAtPosition(at.Add(fyne.NewPos(b.Size().Width-menu.MinSize().Width, b.Size().Height)))
	})
	b.IconPlacement = widget.ButtonIconTrailingText
	return b
}

// widest shows the first of some things that there is room for, else the last.
type widest struct{}

// MinSize implements fyne.Layout.
func (widest) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return objects[len(objects)-1].MinSize()
}

// Layout implements fyne.Layout.
func (widest) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	found := false
	for i, o := range objects {
		fits := !found && (i == len(objects)-1 || o.MinSize().Width <= size.Width)
		if found = found || fits; fits {
			o.Resize(size)
			o.Move(fyne.Position{})
		}
		boxes.Show(o, fits)
	}
}
