package app

import (
	"context"
	"crypto/ed25519"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/recall"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage/durable"
)

const (
	// recallEvery is how often a peer is asked for a note, and the file is read. What is new goes to all at once.
	recallEvery = 10 * time.Minute
	// recallSoon takes its place until recallFirst peers have answered: a node that was off learns what it missed.
	recallSoon  = 10 * time.Second
	recallFirst = 3
	// recallAsk is how long a peer has to answer, and recallCalls how many are called at a time.
	recallAsk   = 10 * time.Second
	recallCalls = 8
)

// recalls keeps the latest note of the release keys (app/recall), and passes it on: peers exchange what they have.
// Whoever has no swarm puts a note into the file.
type recalls struct {
	keys   []ed25519.PublicKey
	member *membership.Member
	visits bool   // sites
	wake   func() // is called when there is news
	log    *slog.Logger
	path   string
	news   chan struct{} // a note came, or became another

	mu   sync.Mutex
	line string // "" for none
	note recall.Note
	file string // what was in the file when it was read last
}

// RecallPath returns where a node keeps the latest note of the release keys.
func RecallPath(stateDir string) string { return filepath.Join(stateDir, "recall.note") }

// newRecalls reads the note of earlier runs.
func newRecalls(o *Options, member *membership.Member, wake func()) *recalls {
	r := &recalls{
		keys: o.RecallKeys, member: member, visits: !membership.IsBootstrap(o.Config), wake: wake, log: o.Log,
		path: RecallPath(o.Paths.State), news: make(chan struct{}, 1),
	}
	if r.keys == nil {
		r.keys = recall.ReleaseKeys()
	}
	if len(r.keys) > 0 {
		r.readFile()
		member.Node.Handle(wire.KindRecall, r.handle)
	}
	return r
}

// readFile takes the note in the file, which may be the user's.
func (r *recalls) readFile() {
	f, err := os.Open(r.path)
	if err != nil {
		return // there is none
	}
	defer f.Close()
	b := make([]byte, recall.MaxLine+2)
	k, _ := f.Read(b)
	line := strings.TrimSpace(string(b[:k]))
	r.mu.Lock()
	same := line == r.file
	r.file = line
	r.mu.Unlock()
	if same {
		return
	}
	if err := r.take(line); err != nil && !errors.Is(err, recall.ErrTime) {
		r.log.Warn("The file with the note of the makers cannot be used", "file", r.path, "error", err)
	}
}

// take keeps a note that is later than the one that is known.
func (r *recalls) take(line string) error {
	if line == r.current() {
		return nil
	}
	note, err := recall.Parse(line, r.keys, time.Now())
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !note.Issued.After(r.note.Issued) {
		return nil
	}
	r.line, r.note = line, note
	if line != r.file {
		r.file = line
		if err := (durable.Change{Fleeting: true}).Write(r.path, []byte(line+"\n")); err != nil {
			r.log.Warn("The note of the makers is not kept for the next start", "file", r.path, "error", err)
		}
	}
	r.log.Info("The makers of forage have sent a note", "below", note.Below, "until", note.Until, "asks_this_version", note.Asks(crawl.Version, time.Now()))
	select {
	case r.news <- struct{}{}:
	default:
	}
	return nil
}

// current returns the line of the note that counts now, "" if none does.
func (r *recalls) current() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !time.Now().Before(r.note.Until) {
		return ""
	}
	return r.line
}

// asked returns what the makers ask of this version: nothing of a node that visits no site.
func (r *recalls) asked() limits.Reading[limits.Recall] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.visits || !r.note.Asks(crawl.Version, time.Now()) {
		return limits.Absent[limits.Recall]()
	}
	return limits.Known(limits.Recall{Below: r.note.Below, Fault: int(r.note.Fault), Until: r.note.Until})
}

// handle takes the note of a peer, and answers with the one that is here. What cannot be used is no offence: another
// version believes other keys, and clocks differ.
func (r *recalls) handle(_ context.Context, _ string, body []byte) ([]byte, error) {
	if len(body) > 0 {
		_ = r.take(string(body))
	}
	return []byte(r.current()), nil
}

// ask exchanges notes with a peer, and reports whether it answers.
func (r *recalls) ask(ctx context.Context, p peer.ID) bool {
	ctx, cancel := context.WithTimeout(ctx, recallAsk)
	defer cancel()
	answer, err := r.member.Node.Call(ctx, string(p), wire.KindRecall, []byte(r.current()))
	if err == nil && len(answer) > 0 {
		_ = r.take(string(answer))
	}
	return err == nil
}

// tellAll passes the note on to everybody who is connected.
func (r *recalls) tellAll(ctx context.Context) {
	slots := make(chan struct{}, recallCalls)
	var all sync.WaitGroup
	for _, p := range r.member.Host.Network().Peers() {
		slots <- struct{}{}
		all.Go(func() { r.ask(ctx, p); <-slots })
	}
	all.Wait()
}

// serve exchanges notes until ctx is done.
func (r *recalls) serve(ctx context.Context) error {
	for answers := 0; len(r.keys) > 0; {
		wait := recallEvery
		if answers < recallFirst {
			wait = recallSoon
		}
		timer := time.NewTimer(pulse.Within(wait))
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-r.news:
			r.wake()
			r.tellAll(ctx)
		case <-timer.C:
			r.readFile()
			if peers := r.member.Host.Network().Peers(); len(peers) > 0 && r.ask(ctx, peers[rand.IntN(len(peers))]) {
				answers++
			}
		}
		timer.Stop()
	}
	return nil
}
