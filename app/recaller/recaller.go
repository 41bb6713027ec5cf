// Package recaller keeps the latest note of the release keys (app/recall), and passes it on: peers exchange what they
// have. Whoever has no swarm puts a note into the file.
package recaller

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

// Config says what a Recaller needs.
type Config struct {
	Keys   []ed25519.PublicKey // nil for the release keys
	Member *membership.Member
	Visits bool   // the node visits sites
	Wake   func() // is called when there is news
	State  string // the directory of the file
	Log    *slog.Logger
}

// Recaller is the part of a node that knows what its makers ask of it. It is safe for concurrent use.
type Recaller struct {
	Config
	path string
	news chan struct{} // a note came, or became another

	mu   sync.Mutex
	line string // "" for none
	note recall.Note
	file string // what was in the file when it was read last
}

// Path returns where a node keeps the latest note of the release keys.
func Path(stateDir string) string { return filepath.Join(stateDir, "recall.note") }

// New reads the note of earlier runs.
func New(c Config) *Recaller {
	r := &Recaller{Config: c, path: Path(c.State), news: make(chan struct{}, 1)}
	if r.Keys == nil {
		r.Keys = recall.ReleaseKeys()
	}
	if len(r.Keys) > 0 {
		r.readFile()
		r.Member.Node.Requests.Handle(wire.KindRecall, r.handle)
	}
	return r
}

// readFile takes the note in the file, which may be the user's.
func (r *Recaller) readFile() {
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
	if err := r.Take(line); err != nil && !errors.Is(err, recall.ErrTime) {
		r.Log.Warn("The file with the note of the makers cannot be used", "file", r.path, "error", err)
	}
}

// Take keeps a note that is later than the one that is known.
func (r *Recaller) Take(line string) error {
	if line == r.Current() {
		return nil
	}
	note, err := recall.Parse(line, r.Keys, time.Now())
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
			r.Log.Warn("The note of the makers is not kept for the next start", "file", r.path, "error", err)
		}
	}
	r.Log.Info(
		"The makers of forage have sent a note", "below", note.Below, "until", note.Until,
		"asks_this_version", note.Asks(crawl.Version, time.Now()),
	)
	select {
	case r.news <- struct{}{}:
	default:
	}
	return nil
}

// Current returns the line of the note that counts now, "" if none does.
func (r *Recaller) Current() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !time.Now().Before(r.note.Until) {
		return ""
	}
	return r.line
}

// Asked returns what the makers ask of this version: nothing of a node that visits no site.
func (r *Recaller) Asked() limits.Reading[limits.Recall] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.Visits || !r.note.Asks(crawl.Version, time.Now()) {
		return limits.Absent[limits.Recall]()
	}
	return limits.Known(limits.Recall{Below: r.note.Below, Fault: int(r.note.Fault), Until: r.note.Until})
}

// handle takes the note of a peer, and answers with the one that is here. What cannot be used is no offence: another
// version believes other keys, and clocks differ.
func (r *Recaller) handle(_ context.Context, _ peer.ID, body []byte) ([]byte, error) {
	if len(body) > 0 {
		_ = r.Take(string(body))
	}
	return []byte(r.Current()), nil
}

// ask exchanges notes with a peer, and reports whether it answers.
func (r *Recaller) ask(ctx context.Context, p peer.ID) bool {
	ctx, cancel := context.WithTimeout(ctx, recallAsk)
	defer cancel()
	answer, err := r.Member.Node.Requests.Call(ctx, string(p), wire.KindRecall, []byte(r.Current()))
	if err == nil && len(answer) > 0 {
		_ = r.Take(string(answer))
	}
	return err == nil
}

// tellAll passes the note on to everybody who is connected.
func (r *Recaller) tellAll(ctx context.Context) {
	slots := make(chan struct{}, recallCalls)
	var all sync.WaitGroup
	for _, p := range r.Member.Host.Network().Peers() {
		slots <- struct{}{}
		all.Go(func() { r.ask(ctx, p); <-slots })
	}
	all.Wait()
}

// Serve exchanges notes until ctx is done.
func (r *Recaller) Serve(ctx context.Context) error {
	for answers := 0; len(r.Keys) > 0; {
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
			r.Wake()
			r.tellAll(ctx)
		case <-timer.C:
			r.readFile()
			if peers := r.Member.Host.Network().Peers(); len(peers) > 0 && r.ask(ctx, peers[rand.IntN(len(peers))]) {
				answers++
			}
		}
		timer.Stop()
	}
	return nil
}
