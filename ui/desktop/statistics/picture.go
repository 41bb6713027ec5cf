package statistics

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"os"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/ring/chart"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
)

// A saved picture of a chart is of this many pixels.
const (
	savedWidth  = 1600
	savedHeight = 900
	savedScale  = 2
	savedEdge   = 48
	savedHead   = 150
)

// savedChart is all that a picture to be saved is made from; it belongs to one goroutine.
type savedChart struct {
	chart          *chart.Chart
	look           palette.Look
	fonts          paint.Fonts
	title, caption string
}

// saved is a copy of a chart that can be drawn anywhere.
func (c *chartView) saved(title, caption string) savedChart {
	s := savedChart{chart: chart.New(chartFonts()), look: chartLook(), fonts: chartFonts(), title: title,
		caption: caption}
	c.fill(s.chart)
	s.chart.SetLook(s.look)
	return s
}

// write writes the picture as PNG.
func (s savedChart) write(w io.Writer) error {
	img := image.NewNRGBA(image.Rect(0, 0, savedWidth, savedHeight))
	draw.Draw(img, img.Rect, image.NewUniform(s.look.Back), image.Point{}, draw.Src)
	if err := writeLine(img, s.fonts.Bold, 40, s.title, savedEdge, 75, s.look.Ink); err != nil {
		return err
	}
	if err := writeLine(img, s.fonts.Regular, 24, s.caption, savedEdge, 120, s.look.Soft); err != nil {
		return err
	}
	at := image.Rect(savedEdge, savedHead, savedWidth-savedEdge, savedHeight-savedEdge)
	draw.Draw(img, at, s.chart.Draw(at.Dx(), at.Dy(), savedScale), image.Point{}, draw.Src)
	if err := png.Encode(w, img); err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	return nil
}

// writeLine writes one line of text.
func writeLine(img draw.Image, ttf []byte, size float64, what string, x, y int, ink color.Color) error {
	f, err := opentype.Parse(ttf)
	if err != nil {
		return fmt.Errorf("read font: %w", err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return fmt.Errorf("read font: %w", err)
	}
	defer face.Close()
	to := font.Drawer{Dst: img, Src: image.NewUniform(ink), Face: face, Dot: fixed.P(x, y)}
	to.DrawString(what)
	return nil
}

// savePicture asks where to save the chart, and saves it.
func (p *Page) savePicture() {
	w := boxes.WindowOf(p.box)
	if w == nil {
		return
	}
	d := p.d
	where := dialog.NewFileSave(func(to fyne.URIWriteCloser, err error) {
		switch {
		case err != nil:
			d.Say(shown.Text(d.Trouble(err)), true)
		case to != nil:
			p.saveTo(to, to.URI().Path())
		}
	}, w)
	where.SetFilter(storage.NewExtensionFileFilter([]string{".png"}))
	where.SetFileName("forage-" + p.measure.name + "-" + d.Now().Local().Format("2006-01-02") + ".png")
	where.Show()
	where.Resize(fyne.NewSize(720, 480))
}

// saveTo writes the picture to a file that is open, and says where it is. Of one that cannot be written whole
// nothing stays.
func (p *Page) saveTo(to io.WriteCloser, path string) {
	d := p.d
	picture := p.chart.saved(d.T("window.title")+" · "+d.T(p.measure.key), p.twin.Text)
	desk.Ask(d, func(context.Context) (struct{}, error) {
		err := errors.Join(picture.write(to), to.Close())
		if err != nil {
			err = fmt.Errorf("save the picture: %w", err)
			os.Remove(path)
		}
		return struct{}{}, err
	}, func(_ struct{}, err error) {
		if err != nil {
			d.Say(shown.Text(d.Trouble(err)), true)
			return
		}
		d.Say(d.T("window.statistics.saved", "name", shown.Text(path)), false)
	})
}
