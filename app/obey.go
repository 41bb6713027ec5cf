package app

import (
	"runtime/debug"

	"github.com/forage-net/forage/app/limits"
)

// obey has the parts that use the computer keep to a decision. It is called again and again, and
// does nothing where nothing has changed.
func (n *Node) obey(d limits.Decision) {
	if n.opts.Sim == nil && d.RAM > 0 && d.RAM != n.ram {
		n.ram = d.RAM
		debug.SetMemoryLimit(d.RAM)
	}
}

// bytesMoved returns how many bytes this run of the node has moved over the network, both ways.
func (n *Node) bytesMoved() int64 {
	peers := n.member.streams.GetBandwidthTotals()
	return n.meter.Received() + n.meter.Sent() + peers.TotalIn + peers.TotalOut
}
