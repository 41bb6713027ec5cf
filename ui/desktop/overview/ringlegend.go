package overview

import (
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"

	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/texts"
	"github.com/forage-net/forage/ui/ring"
)

// sampleScale is how much larger a sample is than in the picture.
const sampleScale = 1.5

// sample shows a part of the picture in its colours.
func sample(of ring.Sample) fyne.CanvasObject {
	ink := ringLook()
	if back, ok := look.Color(theme.ColorNameOverlayBackground).(color.NRGBA); ok {
		ink.Back = back
	}
	raster := canvas.NewRaster(func(w, _ int) image.Image {
		return of.Draw(ink, float64(w)/ring.SampleWidth)
	})
	raster.SetMinSize(fyne.NewSize(ring.SampleWidth*sampleScale, ring.SampleHeight*sampleScale))
	return raster
}

// legendRows says what the picture shows.
func (c *ringCard) legendRows() fyne.CanvasObject {
	fill, sites := "–", 0
	if c.list != nil {
		sites = len(c.list.Domains)
		if c.list.Fill >= 0 {
			fill = shareText(c.d, c.list.Fill)
		}
	}
	about := "ring.legend.text"
	if c.mode == ring.ModeSwarm {
		about = "ring.legend.swarm"
	}
	rows := []fyne.CanvasObject{texts.Prose(c.d.T(about))}
	for _, s := range ring.Samples(c.mode) {
		text := texts.Prose(c.d.T("ring.legend."+s.String(), "fill", fill, "sites", sites))
		rows = append(rows, container.NewBorder(nil, nil, container.NewCenter(sample(s)), nil, text))
	}
	return container.New(layouts.Pile{Gap: -8}, rows...)
}

// legend shows it.
func (c *ringCard) legend() {
	win := boxes.WindowOf(c.view)
	if win == nil {
		return
	}
	size := win.Canvas().Size()
	rows, width := c.legendRows(), min(560, size.Width-40)
	box := dialog.NewCustom(c.d.T("ring.legend"), c.d.T("close"), container.NewVScroll(rows), win)
	// As high as it needs to be with what the dialog has around it, if the window is.
	box.Resize(fyne.NewSize(width, min(layouts.Fitted(rows, width-40)+130, size.Height-40)))
	boxes.Dialog(box, win)
}
