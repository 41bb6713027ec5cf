package controls

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/look"
)

// LineIcon is an icon of lines, within 24 × 24, in a colour of the theme. The toolkit's own coloured resources fill
// shapes, and leave lines black.
type LineIcon struct {
	Shape string // as the d of a path, or of several with "|" between them
	Width float32
	Tint  fyne.ThemeColorName
}

// Name implements fyne.Resource. Pictures are kept by their names, so that the colour is part of it.
func (i LineIcon) Name() string { return "line-" + i.Shape + i.hue() + ".svg" }

// Content implements fyne.Resource.
func (i LineIcon) Content() []byte {
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24">`)
	for path := range strings.SplitSeq(i.Shape, "|") {
		svg = fmt.Appendf(svg,
			`<path fill="none" stroke="%s" stroke-width="%g" `+
				`stroke-linecap="round" stroke-linejoin="round" d="%s"/>`, i.hue(), i.Width, path)
	}
	return append(svg, "</svg>"...)
}

func (i LineIcon) hue() string {
	r, g, b, _ := look.Color(i.Tint).RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// Sized shows an icon in a size.
func Sized(icon fyne.Resource, size float32) fyne.CanvasObject {
	return container.NewGridWrap(fyne.NewSquareSize(size), widget.NewIcon(icon))
}

// NewBrand is the sign of forage, as on its icon: a ring with a bright arc, and a dot in its middle.
func NewBrand() fyne.CanvasObject {
	const ring = "M12 3A9 9 0 0 1 21 12A9 9 0 0 1 12 21A9 9 0 0 1 3 12A9 9 0 0 1 12 3z"
	const dot = "M12 11A1 1 0 0 1 13 12A1 1 0 0 1 12 13A1 1 0 0 1 11 12A1 1 0 0 1 12 11z"
	return container.NewStack(Sized(LineIcon{ring + "|" + dot, 2.6, theme.ColorNamePrimary}, 26),
		Sized(LineIcon{Shape: "M12 3A9 9 0 0 1 21 12", Width: 4, Tint: look.AmberMark}, 26))
}
