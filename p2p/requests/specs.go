package requests

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// spec bounds the requests of one kind: their class, the bytes of request and
// reply, how many a second one peer may make, and how many at once.
type spec struct {
	class          calls.Class
	request, reply int
	rate           float64
	burst          int
}

var specs = [...]spec{
	wire.KindSync:  {calls.Control, 600 << 10, 600 << 10, 5, 40},
	wire.KindPing:  {calls.Control, 64, 64, 4, 20},
	wire.KindProbe: {calls.Control, 128, 64, 4, 40},
	wire.KindSign:  {calls.Control, 4 << 10, 4 << 10, 2, 20},
	wire.KindVouch: {calls.Control, 4 << 10, 512, 1, 5},
	wire.KindKeeps: {calls.Control, 128, 128, 4, 20},
	wire.KindWhy:   {calls.Work, crawl.MaxURL + 64, 1 << 10, 2, 10},
	// A packet is answered before what is in it is handled: no handler waits for another.
	wire.KindBeat:   {calls.Control, 1 << 20, 128, 100, 200},
	wire.KindAct:    {calls.Work, 1 << 20, 128, 100, 200},
	wire.KindStream: {calls.Work, 1 << 20, 128, 100, 200},
	wire.KindPull:   {calls.Work, 1 << 20, 128, 50, 100},
	wire.KindRecall: {calls.Control, 256, 256, 0.1, 10},
}

// SpecOf returns the bounds of requests of a kind.
func SpecOf(kind wire.Kind) calls.Spec {
	s := specs[kind]
	return calls.Spec{Name: kind.String(), Class: s.class, MaxRequest: s.request, MaxReply: s.reply, Rate: s.rate,
		Burst: s.burst}
}
