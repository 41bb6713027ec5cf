package near

import (
	"encoding/base64"
	"hash/fnv"
	"math"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/hashicorp/serf/coordinate"
)

const (
	// Grid is how finely a coordinate is told: finer than that it would say more about a node than others need.
	Grid = 5 * time.Millisecond
	// MaxText is the longest text of a coordinate, in bytes.
	MaxText = 16

	dimensions = 8 // as in serf; its height makes nine
	format     = 1 // the first byte of a text
	errorSteps = 255
	// vague is the error, in parts of the distance, from which on a coordinate says nothing: that of a node that has
	// hardly heard anybody is 1.5.
	vague = 0.9
	// maxMet bounds the peers whose last round trips are remembered.
	maxMet = 256
)

// Coordinate is where a node is. The zero value is one that nobody knows.
type Coordinate struct{ at *coordinate.Coordinate }

// Known reports whether it says anything.
func (c Coordinate) Known() bool { return c.at != nil }

// Ms returns the round trip between two nodes in milliseconds, as far as their coordinates tell; false if one says
// too little.
func (c Coordinate) Ms(o Coordinate) (ms float64, known bool) {
	if !c.Known() || !o.Known() || max(c.at.Error, o.at.Error) >= vague {
		return 0, false
	}
	return c.at.DistanceTo(o.at).Seconds() * 1000, true
}

// Text returns the coordinate on the grid in at most MaxText printable bytes, "" if it is not known.
func (c Coordinate) Text() string {
	if !c.Known() {
		return ""
	}
	b := []byte{format}
	for _, v := range c.at.Vec {
		b = append(b, byte(int8(steps(v, math.MinInt8, math.MaxInt8))))
	}
	b = append(b, byte(steps(c.at.Height+c.at.Adjustment, 0, math.MaxUint8)))
	most := coordinate.DefaultConfig().VivaldiErrorMax
	b = append(b, byte(math.Round(min(max(c.at.Error/most, 0), 1)*errorSteps)))
	return base64.RawURLEncoding.EncodeToString(b)
}

// steps returns how many steps of the grid a number of seconds is.
func steps(seconds, low, high float64) int {
	return int(math.Round(min(max(seconds/Grid.Seconds(), low), high)))
}

// Parse reads a text. All that it takes is within bounds, whoever wrote it.
func Parse(text string) (c Coordinate, ok bool) {
	if len(text) > MaxText {
		return c, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != dimensions+3 || b[0] != format || base64.RawURLEncoding.EncodeToString(b) != text {
		return c, false
	}
	conf := coordinate.DefaultConfig()
	at := coordinate.NewCoordinate(conf)
	for i := range at.Vec {
		at.Vec[i] = float64(int8(b[1+i])) * Grid.Seconds()
	}
	at.Height = max(float64(b[1+dimensions])*Grid.Seconds(), conf.HeightMin)
	at.Error = float64(b[2+dimensions]) / errorSteps * conf.VivaldiErrorMax
	return Coordinate{at}, true
}

// Here is where this node is, by the round trips that it has seen.
type Here struct {
	client *coordinate.Client
	met    *simplelru.LRU[string, struct{}] // peers of whom client remembers something
}

// New returns a Here that has seen none. Different names make no two nodes begin at the same point, so nothing is
// left to chance.
func New(name string) *Here {
	conf := coordinate.DefaultConfig()
	client, err := coordinate.NewClient(conf)
	if err != nil {
		panic(err) // the configuration is ours
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	at, bits := coordinate.NewCoordinate(conf), h.Sum64()
	for i := range at.Vec {
		at.Vec[i] = (float64(byte(bits>>(8*i))) - 127.5) * 1e-5
	}
	if err := client.SetCoordinate(at); err != nil {
		panic(err)
	}
	met, _ := simplelru.NewLRU(maxMet, func(p string, _ struct{}) { client.ForgetNode(p) }) // fails for no size only
	return &Here{client: client, met: met}
}

// Heard takes in a round trip to a peer that says where it is. What cannot be is left out. Short ones count as a step
// of the grid: who is nearer than that cannot be told.
func (h *Here) Heard(peer string, c Coordinate, took time.Duration) {
	if !c.Known() || took <= 0 {
		return
	}
	h.met.Add(peer, struct{}{})
	_, _ = h.client.Update(peer, c.at, max(took, Grid)) // an error is a round trip that cannot be
}

// At returns the coordinate. Before the first round trips it says nothing, and others need it all the same.
func (h *Here) At() Coordinate { return Coordinate{h.client.GetCoordinate()} }
