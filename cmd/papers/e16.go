package main

import (
	"fmt"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/sim"
)

// e16 asks how fast packages of sites reach clients that share them: Chen, figures 6 to 8.
var e16 = lab.Experiment{
	ID: "E16", Paper: "Chen, figures 6 to 8: packages among peers", Cost: 4,
	Setup: "up to 46 clients of 16 Mbit/s, 10 servers of 2 Mbit/s, pieces of 16 to 128 KiB",
	Said:  "758.7 Mbit/s at 36 clients; 57,600 sites a day",
	Run:   runE16,
}

const (
	chenServerMbit, chenClientMbit = 2, 16
	chenServers                    = 10
	// chenPackage is an assumption: the design's packages are of at least 1 MB.
	chenPackage = 2 << 20
	// chenAskS is the round trip of a question for a piece, an assumption.
	chenAskS = 0.05
)

func runE16(l *lab.Lab) (lab.Result, error) {
	clients := []int{1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 46}
	kib := []int{16, 32, 64, 128}
	got := make([]sim.Spread, len(clients)*len(kib))
	l.Each(len(got), func(i int) {
		p := sim.Pieces{Clients: clients[i%len(clients)], Servers: chenServers,
			Package: l.Size(chenPackage, chenPackage/4), Piece: kib[i/len(clients)] << 10,
			SlotMbit: chenServerMbit, ClientSlots: chenClientMbit / chenServerMbit, AskS: chenAskS}
		got[i] = p.Run(l.Random("E16", i))
	})
	at := func(size, n int) sim.Spread { return got[size*len(clients)+n] }
	const at36 = 10 // the place of 36 clients
	best, copies := 0.0, 0.0
	t := lab.Table{"KiB a piece: Mbit/s of all with clients"}
	for _, n := range clients {
		t[0] += fmt.Sprintf(" | %d", n)
	}
	f := []draw.Figure{
		{File: "chen-6", Title: "What all clients get (Chen)", X: "clients", Y: "Mbit/s"},
		{File: "chen-7", Title: "What each client gets (Chen)", X: "clients", Y: "Mbit/s"},
		{File: "chen-8", Title: "Until all have everything (Chen)", X: "clients", Y: "s"},
	}
	for s, size := range kib {
		var c [3]draw.Curve
		for n, count := range clients {
			x := at(s, n)
			for i, y := range []float64{x.Mbit, x.Mbit / float64(count), x.Seconds} {
				c[i].Name = fmt.Sprintf("pieces of %d KiB", size)
				c[i].X, c[i].Y = append(c[i].X, float64(count)), append(c[i].Y, y)
			}
			copies = max(copies, x.Copies)
		}
		for i := range f {
			f[i].Curves = append(f[i].Curves, c[i])
		}
		best = max(best, at(s, at36).Mbit)
		line := fmt.Sprint(size)
		for n := range clients {
			line += fmt.Sprintf(" | %.0f", at(s, n).Mbit)
		}
		t = append(t, line)
	}
	last := len(clients) - 1
	most := float64(36*chenClientMbit + chenServers*chenServerMbit)
	perDay := 57_600 * best / 758.7
	return lab.Result{
		Ours: fmt.Sprintf("%.0f Mbit/s at 36 clients; servers send %.2f copies; at that rate %.0f sites of the "+
			"paper's size a day", best, copies, perDay),
		Marks: []lab.Mark{
			lab.AtMost("copies that the servers send", copies, 1.1),
			lab.Is("more clients get more altogether", at(3, last).Mbit > at(3, 5).Mbit),
			lab.Is("the curve flattens: the last ten clients bring each less than the first eight",
				(at(3, last).Mbit-at(3, at36).Mbit)/10 < at(3, 3).Mbit/8).
				Since("every client brings a line of its own, and nothing that all share fills up"),
			{Name: "Mbit/s at 36 clients", Got: best, Low: 758.7 * 0.9, High: 758.7 * 1.1,
				Because: fmt.Sprintf("36 clients of 16 Mbit/s and ten servers of 2 have lines for %.0f Mbit/s "+
					"together, so the paper's figure cannot be what clients receive", most)},
		},
		Notes: []string{
			fmt.Sprintf("Assumed: both directions of a client's line have 16 Mbit/s, in connections of 2; ten "+
				"packages of %d KiB, which all clients want; %.0f ms from one piece to the next; the rarest piece "+
				"first; servers send each piece once, as the paper has it.", chenPackage>>10, 1000*chenAskS),
			"57,600 sites a day are 403,200 a week; the paper's 465,000 a week is a slip. Forage has no packages " +
				"of sites yet: this row is a model of the paper alone.",
		},
		Tables:  []lab.Table{t},
		Figures: f,
	}, nil
}
