package sim

import "math/rand/v2"

// Pieces says how packages of some sites are spread among clients, all of whom want all of them: in pieces, the
// rarest first, from each other and from the sites' servers, which send each piece once.
type Pieces struct {
	Clients, Servers int
	// Package and Piece are bytes.
	Package, Piece int
	// SlotMbit is what one connection carries. A server has one at a time, a client ClientSlots in each direction.
	SlotMbit    float64
	ClientSlots int
	// AskS is how long a connection rests between two pieces: the round trip of a question, in seconds.
	AskS float64
}

// Spread is what came of it.
type Spread struct {
	// Seconds is when all have everything, Mbit what all clients got a second until then, and Copies what servers
	// sent, in parts of what they have: never more than one.
	Seconds, Mbit, Copies float64
}

// Run spreads the packages, in slots of the time that a piece takes.
func (p Pieces) Run(rng *rand.Rand) Spread {
	each := (p.Package + p.Piece - 1) / p.Piece
	pieces := p.Servers * each
	has := make([]set, p.Clients)
	for c := range has {
		has[c] = newSet(pieces)
	}
	owners := make([]int, pieces) // clients that have a piece
	missing, slots, sent := p.Clients*pieces, 0, 0
	order := make([]int, p.Clients+p.Servers)
	for i := range order {
		order[i] = i
	}
	for missing > 0 {
		slots++
		room := make([]int, p.Clients)
		for c := range room {
			room[c] = p.ClientSlots
		}
		before := make([]set, p.Clients) // what comes in a slot can be sent on in the next
		for c := range has {
			before[c] = append(set(nil), has[c]...)
		}
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, from := range order {
			first, end, sends := 0, pieces, p.ClientSlots
			if from >= p.Clients {
				first, sends = (from-p.Clients)*each, 1
				end = first + each
			}
			for range sends {
				to, piece := p.choose(from, first, end, before, has, room, owners, rng)
				if to < 0 {
					break
				}
				has[to].add(piece)
				owners[piece]++
				room[to]--
				missing--
				if from >= p.Clients {
					sent++
				}
			}
		}
	}
	seconds := float64(slots) * (float64(p.Piece)*8/(p.SlotMbit*1e6) + p.AskS)
	bits := float64(p.Clients) * float64(p.Servers) * float64(p.Package) * 8
	return Spread{seconds, bits / seconds / 1e6, float64(sent) / float64(pieces)}
}

// looks is how many clients a sender looks at before it gives up for a slot.
const looks = 4

// choose finds a client that lacks a piece that the sender has, and of these pieces the rarest; -1 if none was found.
func (p Pieces) choose(from, first, end int, before, has []set, room, owners []int, rng *rand.Rand) (to, piece int) {
	for range looks {
		to = rng.IntN(p.Clients)
		if to == from || room[to] == 0 {
			continue
		}
		piece = -1
		start := first + rng.IntN(end-first)
		for i := range end - first {
			x := first + (start-first+i)%(end-first)
			mine := from >= p.Clients && owners[x] == 0 || from < p.Clients && before[from].has(x)
			if mine && !has[to].has(x) && (piece < 0 || owners[x] < owners[piece]) {
				piece = x
			}
		}
		if piece >= 0 {
			return to, piece
		}
	}
	return -1, 0
}

func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
