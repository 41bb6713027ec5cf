package controls

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// NewMenuButton is a button below which a menu opens.
func NewMenuButton(text string, items func() []*fyne.MenuItem) *widget.Button {
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
