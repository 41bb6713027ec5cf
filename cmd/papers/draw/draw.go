// Package draw makes small SVG pictures of curves with gonum.org/v1/plot.
package draw

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Curve is a line through points.
type Curve struct {
	Name string
	X, Y []float64 // of one length
	// Dashed is for what a paper says.
	Dashed bool
}

// Figure is a picture of curves.
type Figure struct {
	// File is its name without directory and ending, Title what it shows and X and Y what its axes are.
	File, Title, X, Y string
	// Log says that the X axis is logarithmic; then every X is above 0.
	Log    bool
	Curves []Curve
}

// The picture is wide enough for a legend beside the plot, where it covers no curve, whatever font a reader has.
const width, height, legendWidth, margin = 7 * vg.Inch, 3 * vg.Inch, 2.3 * vg.Inch, 0.15 * vg.Inch

// colours can be told apart by people who see red and green alike (Okabe and Ito, 2008).
var colours = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x00, 0x00, 0xff},
}

var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
	draw.PlusGlyph{}, draw.RingGlyph{}, draw.PyramidGlyph{}}

// SVG draws the figure.
func (f Figure) SVG() ([]byte, error) {
	p, legend := plot.New(), plot.NewLegend()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.X, f.Y
	legend.Top, legend.Left = true, true
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks{plot.DefaultTicks{}}, ticks{plot.DefaultTicks{}}
	if f.Log {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, ticks{plot.LogTicks{}}
	}
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle,
		&p.X.Tick.Label, &p.Y.Tick.Label, &legend.TextStyle} {
		style.Font.Variant = "Sans"
	}
	p.Y.Min = 0
	for i, c := range f.Curves {
		if err := add(p, &legend, c, i); err != nil {
			return nil, fmt.Errorf("draw %s of %s: %w", c.Name, f.File, err)
		}
	}
	p.Y.Max *= 1.05
	picture := vgsvg.New(width, height)
	all := draw.New(picture)
	p.Draw(draw.Crop(all, 0, -legendWidth-margin, 0, 0))
	legend.Draw(draw.Crop(all, width-legendWidth, 0, 0, -margin))
	var out bytes.Buffer
	if _, err := picture.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("draw %s: %w", f.File, err)
	}
	return out.Bytes(), nil
}

// ticks writes numbers without zeros at their ends.
type ticks struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (t ticks) Ticks(low, high float64) []plot.Tick {
	list := t.Ticker.Ticks(low, high)
	for i := range list {
		if list[i].Label != "" {
			list[i].Label = strconv.FormatFloat(short(list[i].Value), 'f', -1, 64)
		}
	}
	return list
}

func add(p *plot.Plot, legend *plot.Legend, c Curve, i int) error {
	points := make(plotter.XYs, len(c.X))
	for j := range c.X {
		points[j] = plotter.XY{X: short(c.X[j]), Y: short(c.Y[j])}
	}
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, marks.Color = colours[i%len(colours)], colours[i%len(colours)]
	marks.Shape, marks.Radius = shapes[i%len(shapes)], vg.Points(2)
	if c.Dashed {
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	}
	if len(points) > 20 { // a curve, not a row of measurements
		p.Add(line)
		legend.Add(c.Name, line)
		return nil
	}
	p.Add(line, marks)
	legend.Add(c.Name, line, marks)
	return nil
}

// short rounds to six digits, so that a picture is the same wherever it is drawn.
func short(x float64) float64 {
	if x == 0 {
		return 0
	}
	unit := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*unit) / unit
}

// Distribution returns the curve of how much of some figures is at most x, at 30 places at most.
func Distribution(name string, sorted []float64) Curve {
	c := Curve{Name: name}
	const places = 30
	for i := range places + 1 {
		at := i * (len(sorted) - 1) / places
		c.X = append(c.X, sorted[at])
		c.Y = append(c.Y, float64(at+1)/float64(len(sorted)))
	}
	return c
}
