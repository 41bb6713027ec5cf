package setup

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// setupWidth is that of all screens.
const setupWidth = 780

// frame puts what stands on all screens around one.
func (p *Page) frame(inside fyne.CanvasObject) fyne.CanvasObject {
	brand := widget.NewLabelWithStyle(p.d.T("window.title"), fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	brand.Importance, brand.SizeName = widget.HighImportance, theme.SizeNameSubHeadingText
	head := container.NewVBox(boxes.Edge(container.NewHBox(container.NewCenter(controls.NewBrand()), brand)),
		container.New(layout.NewCustomPaddedLayout(0, 0, 8, 22), p.lost.box))
	return container.New(layouts.Readable{Most: setupWidth}, container.New(layout.NewCustomPaddedLayout(18, 14, 16, 16),
		container.NewBorder(head, p.lab, nil, nil, inside)))
}

// progress says which of the screens this is.
func (p *Page) progress() fyne.CanvasObject {
	row := container.New(layout.NewCustomPaddedHBoxLayout(6))
	for i := range screens {
		tint := theme.ColorNameSeparator
		if i <= p.step {
			tint = theme.ColorNamePrimary
		}
		dash := boxes.NewSurface(tint, "", 2.5, canvas.NewRectangle(color.Transparent))
		row.Add(container.NewCenter(container.NewGridWrap(fyne.NewSize(22, 5), dash)))
	}
	text := widget.NewLabel(p.d.T("first.step", "step", p.step+1, "of", screens))
	text.Importance = widget.LowImportance
	return container.NewHBox(row, text)
}

// page puts a screen together: what scrolls, and what always stands below it.
func (p *Page) page(title string, rows []fyne.CanvasObject, foot ...fyne.CanvasObject) fyne.CanvasObject {
	all := append([]fyne.CanvasObject{boxes.Edge(p.progress()), texts.Heading(title)}, rows...)
	inside := container.New(layout.NewCustomPaddedLayout(0, 12, 0, 14), container.NewVBox(all...))
	body := container.NewVScroll(inside)
	inside.MinSize() // what was never measured cannot have the focus
	body.MinSize()
	return container.NewBorder(nil, container.NewVBox(foot...), nil, nil, body)
}

// acts are the buttons below a screen, back at the left.
func (p *Page) acts(buttons ...fyne.CanvasObject) *fyne.Container {
	row := container.New(layout.NewCustomPaddedHBoxLayout(12))
	if p.step > stepWelcome && p.step < stepFirst {
		row.Add(controls.NewEnterButton(p.d.T("first.back"), widget.MediumImportance, func() {
			if !p.busy {
				p.back()
			}
		}))
	}
	row.Add(layout.NewSpacer())
	for _, b := range buttons {
		row.Add(b)
	}
	return container.New(layout.NewCustomPaddedLayout(8, 0, 8, 22), row)
}

// onward is the button that goes on.
func (p *Page) onward(text string, tapped func()) *controls.EnterButton {
	return controls.NewEnterButton(text, widget.HighImportance, tapped)
}
