package demo

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/doctor"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/language"
)

// The states of a node of the demo.
const (
	running = "running"
	leaving = "leaving"
	gone    = "gone"
)

// newsLasts is how long what went between nodes is shown before pages take its
// place again.
const newsLasts = 1500 * time.Millisecond

// node is a node of the demo, or one that was.
type node struct {
	lang   language.Language
	number int
	node   *app.Node  // nil while it does not run
	ended  chan error // receives what Serve returned
	asked  bool
	id     string

	now     state
	before  state // what it counted in earlier runs
	domains []api.Domain
	final   int64  // domains owned when all were asked to end
	rested  string // why it rested then
	warc    string
	since   uint64 // the last event read
	idle    bool
	news    time.Time // until when Last stays
}

// state is what is to be seen of a node.
type state struct {
	Number int     `json:"node"`
	State  string  `json:"-"`
	Share  float64 `json:"-"` // of the ring, 0 to 1
	// Domains, Queued, Lent and Held are of now; Pages, Sent and Taken (links)
	// count since the demo began.
	Domains int64  `json:"domains"`
	Pages   int64  `json:"pages"`
	Queued  int64  `json:"queued"`
	Sent    int64  `json:"links_sent"`
	Taken   int64  `json:"links_taken"`
	Lent    int64  `json:"-"`
	Held    int64  `json:"-"`
	Archive int64  `json:"archive_bytes"`
	Last    string `json:"-"` // what happened last
	// Rests is a sentence that says why it fetches nothing, "" while it works.
	Rests string `json:"-"`
}

// start makes the node and lets it work.
func (n *node) start(opts app.Options) error {
	opts.Examine = func(ctx context.Context) (api.DoctorReport, error) { return doctor.Beside(ctx, opts.Paths) }
	node, err := app.New(opts)
	if err != nil {
		return err
	}
	n.node, n.ended, n.asked, n.idle, n.since = node, make(chan error, 1), false, false, 0
	n.before, n.warc = n.now, opts.Paths.WARC()
	n.now.Number, n.now.State, n.now.Last = n.number, running, n.lang.Text("demo.starting", nil)
	go func() { n.ended <- node.Serve(context.Background()) }() // ask ends it, close waits for it
	return nil
}

// ask asks the node to end in order.
func (n *node) ask() {
	if n.node == nil || n.asked {
		return
	}
	n.asked, n.now.State = true, leaving
	// It cannot fail: it only sets a flag.
	_ = n.node.Stop(context.Background())
}

// close takes note of the end of the node.
func (n *node) close(err error) error {
	// a pause would outlast the demo
	err = errors.Join(err, n.read(time.Time{}, unnamed), n.node.Resume(context.Background()), n.node.Close())
	n.node, n.idle, n.domains = nil, true, nil
	n.now.State, n.now.Last, n.now.Rests, n.now.Share, n.now.Lent, n.now.Held = gone, "", "", 0, 0, 0
	n.now.Domains, n.now.Queued = 0, 0
	return err
}

// look finds out what the node does, and whether it has ended.
func (n *node) look(now time.Time, nameOf func(end string) string) error {
	if n.node == nil {
		return nil
	}
	select {
	case err := <-n.ended:
		if err == nil && !n.asked {
			err = words.New("said.cli.it-ended-unasked", nil)
		}
		return n.close(err)
	default:
		return n.read(now, nameOf)
	}
}

// read asks the node.
func (n *node) read(now time.Time, nameOf func(end string) string) error {
	ctx := api.WithLang(context.Background(), n.lang.Of()) // all it asks for is at hand
	st, err := n.node.Status(ctx)
	if err != nil {
		return err
	}
	peers, err := n.node.Peers(ctx)
	if err != nil {
		return err
	}
	if n.domains, err = n.node.Domains(ctx, "", 1000); err != nil {
		return err
	}
	n.id, n.now.Share = peers.ID, st.Share
	n.now.Domains, n.now.Queued, n.now.Archive = st.Domains, st.Queued, st.ArchiveBytes
	n.now.Pages = n.before.Pages + st.PagesSession
	n.now.Sent = n.before.Sent + peers.Shared[string(swarm.LinksSent)]
	n.now.Taken = n.before.Taken + peers.Shared[string(swarm.LinksTaken)]
	if n.now.Rests = ""; st.State == api.StatePaused && !n.asked {
		n.now.Rests = st.Sentence
	}
	n.now.Lent, n.now.Held = 0, 0
	for _, p := range peers.Peers {
		n.now.Lent += p.LeasesLent
		n.now.Held += p.LeasesHeld
	}
	n.readEvents(now, nameOf)
	n.idle = st.Queued == 0 && st.Leases == 0 && st.InFlight == 0 && st.Waiting == 0 && !n.asked
	return nil
}

// readEvents takes note of what happened since it was last read.
func (n *node) readEvents(now time.Time, nameOf func(end string) string) {
	const batch = 1000
	for {
		events, next, _ := n.node.Events(n.since, batch)
		n.since = next
		for _, ev := range events {
			ev.In(n.lang.Of())
			n.note(ev, now, nameOf)
		}
		if len(events) < batch {
			return
		}
	}
}

// note takes note of one event. What went between nodes is news; the pages
// after it are not.
func (n *node) note(ev api.Event, now time.Time, nameOf func(end string) string) {
	switch {
	case ev.Kind == api.KindSwarm:
		n.now.Last, n.news = shortened(n.lang, ev.Text, nameOf), now.Add(newsLasts)
	case ev.Kind == api.KindPage && ev.Title != "" && now.After(n.news):
		n.now.Last = console.Printable(ev.Title)
	}
}

func unnamed(end string) string { return end }

// shortened writes the name of a node in the place of the end of its ID. In English it leaves out what can be
// guessed.
func shortened(l language.Language, text string, nameOf func(end string) string) string {
	said := strings.Split(text, " ")
	for i, word := range said {
		said[i] = nameOf(word)
	}
	text = strings.Join(said, " ")
	if l.Of() != words.English {
		return text
	}
	return strings.NewReplacer(
		" sent to ", " → ", " received from ", " ← ", " handed to ", " → ", " taken over from ", " ← ", " lent to ",
		" lent → ", " fetched for ", " for ",
	).Replace(text)
}
