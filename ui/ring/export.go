package ring

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"time"

	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/prose"
)

const (
	// pictureSide: a saved picture looks like one of so many units, only sharper.
	pictureSide = 520
	leastSaved  = 64
)

// PNG writes the picture as it lasts, without what flies, with a line of words below it. Its width is size pixels, at
// least 64 and at most paint.MostSide.
func (r *Ring) PNG(w io.Writer, size int, now time.Time) error {
	size = savedSize(size)
	side := float64(size) / pictureSide
	img := &image.NRGBA{}
	paint.Resize(img, size, size+int(0.07*float64(size)))
	c := paint.Canvas{Img: img, K: side}
	// What is measured for the picture on the screen stays as it is.
	p := painter{look: r.painter.look, words: r.painter.words, writer: r.painter.writer}
	d := discOf(pictureSide, pictureSide, r.scene.mode)
	c.Fill(p.look.Back)
	p.arcs(&c, d, &r.scene)
	p.lasting(&c, d, &r.scene, now)
	line := p.writer.Shortened(prose.Plain(p.words.Caption(r.saved(now))), 12, pictureSide*0.94, side)
	c.Write(p.writer, line, pictureSide/2, pictureSide*1.02,
		paint.Pen{Size: 12, Align: paint.Middle, Ink: p.look.Soft})
	if err := png.Encode(w, img); err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	return nil
}

// savedSize is what is written of a size that is asked for.
func savedSize(size int) int { return max(leastSaved, min(paint.MostSide, size)) }

func (r *Ring) saved(now time.Time) Saved {
	s := Saved{Time: now, Sites: len(r.scene.stars.all)}
	for _, x := range r.scene.stars.all {
		if sum := s.Pages + x.fetched; sum >= s.Pages {
			s.Pages = sum
		}
	}
	if r.scene.self >= 0 {
		s.Share = r.scene.members[r.scene.self].share
	}
	return s
}
