package p2p

import (
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
	wire.KindAsk:    {calls.Control, 512, 1 << 20, 20, 100},
	wire.KindOffer:  {calls.Control, 256, 128, 20, 100},
	wire.KindReport: {calls.Work, 1 << 20, 64<<10 + 256, 50, 200},
	wire.KindLinks:  {calls.Work, 1 << 20, 1 << 20, 20, 60},
	wire.KindHave:   {calls.Control, 160<<10 + 256, 8<<10 + 256, 20, 60},
	wire.KindMove:   {calls.Bulk, 192<<10 + 256, 4<<10 + 256, 100, 200},
	wire.KindRecall: {calls.Control, 64 << 10, 128, 20, 60},
	wire.KindSync:   {calls.Control, 600 << 10, 600 << 10, 5, 40},
	wire.KindPing:   {calls.Control, 64, 64, 4, 20},
	wire.KindProbe:  {calls.Control, 128, 64, 4, 40},
	wire.KindSign:   {calls.Control, 4 << 10, 4 << 10, 2, 20},
	wire.KindLog:    {calls.Work, 1 << 20, 1 << 20, 100, 400},
	wire.KindPiece:  {calls.Bulk, 128 << 10, 256 << 10, 100, 200},
	wire.KindKeeps:  {calls.Control, 8 << 10, 16 << 10, 4, 20},
	// A fetcher waits for the answer to the first kind, and who granted its lease for that
	// to the second: in one class, both could fill it, each waiting for the other.
	wire.KindSlot:      {calls.Control, 512, 256, 20, 100},
	wire.KindTakeSlot:  {calls.Work, 512, 256, 20, 200},
	wire.KindUnslot:    {calls.Work, 48 << 10, 128, 25, 60},
	wire.KindHeldSlots: {calls.Control, 128, 80 << 10, 4, 40},
	wire.KindTellSlots: {calls.Control, 80 << 10, 128, 4, 40},
	wire.KindWanted:    {calls.Control, 512, 128, 20, 100},
	// A packet is answered before what is in it is handled: no handler waits for another.
	wire.KindBeat:   {calls.Control, 1 << 20, 128, 100, 200},
	wire.KindAct:    {calls.Work, 1 << 20, 128, 100, 200},
	wire.KindStream: {calls.Work, 1 << 20, 128, 100, 200},
	wire.KindPull:   {calls.Work, 1 << 20, 128, 50, 100},
	wire.KindRest:   {calls.Control, 4 << 10, 128, 2, 20},
	wire.KindVouch:  {calls.Control, 512, 64, 4, 40},
}
