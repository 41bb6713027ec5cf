package bandwidth

// Class says what bytes are for.
type Class uint8

const (
	// Control is short words between nodes, and what libp2p, DNS and routers need.
	Control Class = iota
	// Work is the batches between nodes that a crawl lives on.
	Work
	// Bulk is state that is copied between nodes.
	Bulk
	// Pages is what goes to and comes from web sites.
	Pages

	// Classes is the number of classes.
	Classes = 4
)

// weights are the shares of classes that compete. Control does not.
var weights = [Classes]float64{Control: 1, Work: 2, Bulk: 1, Pages: 1}

// String returns the name of c.
func (c Class) String() string {
	switch c {
	case Control:
		return "control"
	case Work:
		return "work"
	case Bulk:
		return "bulk"
	case Pages:
		return "pages"
	}
	return "unknown"
}
