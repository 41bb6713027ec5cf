package swarm

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/swarm/checks"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

const (
	// checkTick is how often checks are looked at, pruneEvery how often what was done a week ago is forgotten.
	checkTick, pruneEvery = time.Second, time.Hour
	// lookAtOnce is at how many sites with checks are looked at a time, lookAgain how long one is left alone that was
	// not due.
	lookAtOnce, lookAgain = 16, time.Second
	// doneFor is of how long what a fetcher did of a domain is one value, maxDone how many pages it names.
	doneFor, maxDone = 10 * time.Minute, 4096
	// undoAtOnce is how many such values are worked on at a time.
	undoAtOnce = 32
	// undoFor is how long it is looked at least for what is to be done again.
	undoFor = 5 * time.Second
	// trialTasks is how many tasks go with a lease to a fetcher on trial: a liar has few before it is known.
	trialTasks = 10
)

// The first byte of keys in the bucket of checks.
const (
	keyFetcher = 'f' // ‖ peer: what the ledger keeps of it
	keyDone    = 'o' // ‖ time / doneFor ‖ hash of the peer ‖ domain: hashes of the URLs that it visited
)

// checking has some outcomes of others checked.
type checking struct {
	s      *Swarm
	ledger *checks.Ledger
	// of fetchers that are not believed yet: asked for or held until then
	leases map[crawl.PeerID]map[crawl.Domain]time.Time
	again  map[crawl.Domain]time.Time // when a site with checks is looked at again
	next   time.Time
	prune  time.Time
	undo   []undoing
	flying map[string]bool // keys of what is being undone
	count  []crawl.Outcome // to be settled
	judged map[crawl.Domain]judgement
	held   atomic.Int64

	mu     sync.Mutex
	own    map[string]crawl.PeerID // URLs that this node's fetchers look at for a check, and of whom
	undone Undone
}

// undoing is what is to be done again, looked for until a time: outcomes that came a moment ago may not be noted yet.
type undoing struct {
	checks.Undo
	hash  string
	until time.Time
}

// judgement are URLs of a domain, by their keys, whose outcomes count, or are to be done again.
type judgement struct {
	confirm, undo []string
	log           string // the key under which it was noted that the latter were done
}

func (j judgement) and(o judgement) judgement {
	confirm, undo := append(j.confirm, o.confirm...), append(j.undo, o.undo...)
	// what is left out the sweep finds
	return judgement{confirm[:min(len(confirm), maxDone)], undo[:min(len(undo), maxDone)], j.log}
}

// Undone is what was done again lately because its fetcher is not believed.
type Undone struct {
	Pages int // since the start
	Of    crawl.PeerID
	At    time.Time // of the last
}

func (c *checking) begin(s *Swarm) error {
	c.s, c.leases, c.again = s, make(map[crawl.PeerID]map[crawl.Domain]time.Time), make(map[crawl.Domain]time.Time)
	c.flying, c.judged, c.own = make(map[string]bool), make(map[crawl.Domain]judgement), make(map[string]crawl.PeerID)
	c.ledger = checks.New(checks.Config{Self: s.cfg.Self, Established: s.cfg.Established, Network: s.cfg.Network,
		Chance: s.cfg.Chance})
	return s.cfg.DB.View(func(tx *storage.Tx) error {
		k := tx.Bucket(storage.BucketChecks).Cursor()
		for key, value := k.Seek([]byte{keyFetcher}); len(key) > 0 && key[0] == keyFetcher; key, value = k.Next() {
			c.addUndo(c.ledger.Load(crawl.PeerID(key[1:]), value))
		}
		return nil
	})
}

// report has the ledger judge outcomes of a fetcher. It returns what is to be done with each, and those that are
// checks, by URL.
func (c *checking) report(
	by crawl.PeerID, outcomes []crawl.Outcome,
) (do []checks.Action, made map[string]checks.Checked) {
	if c.s.cfg.Trusts || by == c.s.cfg.Self && c.s.offers.isAlone() {
		return make([]checks.Action, len(outcomes)), nil // all count
	}
	do, v := c.ledger.Report(c.s.cfg.Now(), by, outcomes)
	made = make(map[string]checks.Checked)
	for _, x := range v.Checked {
		made[x.Outcome.Task.URL.String()] = x
	}
	c.take(v)
	return do, made
}

func (c *checking) addUndo(list []checks.Undo) {
	for _, u := range list {
		c.undo = append(c.undo, undoing{u, hashOf(u.Of), c.s.cfg.Now().Add(undoFor)})
	}
}

func (c *checking) take(v checks.Verdict) {
	c.count = append(c.count, v.Count...)
	c.addUndo(v.Undo)
	for _, u := range v.Confirm {
		c.judged[u.Domain()] = c.judged[u.Domain()].and(judgement{confirm: []string{store.URLKey(u)}})
	}
	for _, x := range v.Checked {
		c.mu.Lock()
		delete(c.own, x.Outcome.Task.URL.String())
		c.mu.Unlock()
		c.s.tell(Event{Kind: ChecksMade, Peer: string(x.Of), Domain: x.Outcome.Domain, Count: 1})
		if x.By != c.s.cfg.Self {
			c.s.cfg.Checked(x)
		}
	}
	c.held.Store(int64(c.ledger.Held()))
}

// may reports whether a fetcher may have another lease of a domain.
func (c *checking) may(to crawl.PeerID, d crawl.Domain) bool {
	return c.ledger.MayFetch(c.s.cfg.Now(), to, d, c.has(to)) && len(c.leases) < checks.MaxFetchers
}

// has returns how many leases a fetcher on trial has or asks for.
func (c *checking) has(by crawl.PeerID) int {
	now, mine := c.s.cfg.Now(), c.leases[by]
	maps.DeleteFunc(mine, func(_ crawl.Domain, until time.Time) bool { return !now.Before(until) })
	if len(mine) == 0 {
		delete(c.leases, by)
	}
	return len(mine)
}

// room returns how many domains at most may be offered to a fetcher that wants some.
func (c *checking) room(to crawl.PeerID, wants int) int {
	if c.ledger.Believes(c.s.cfg.Now(), to) {
		return wants
	}
	return min(wants, c.ledger.Room(to, c.has(to)))
}

// size returns how many tasks a fetcher gets at most with a lease.
func (c *checking) size(to crawl.PeerID) int {
	if c.ledger.Believes(c.s.cfg.Now(), to) {
		return frontier.MaxLeaseTasks
	}
	return trialTasks
}

// lent notes that a fetcher asks for a lease of a domain, or has it, until a time; a time that is over: it is home.
func (c *checking) lent(to crawl.PeerID, d crawl.Domain, until time.Time) {
	if c.ledger.Believes(c.s.cfg.Now(), to) {
		return
	}
	if c.leases[to] == nil {
		c.leases[to] = make(map[crawl.Domain]time.Time)
	}
	c.leases[to][d] = until
}

// tasks returns pages of a domain that a fetcher may look at.
func (c *checking) tasks(to crawl.PeerID, d crawl.Domain) []crawl.Task {
	list := c.ledger.Tasks(c.s.cfg.Now(), to, d)
	if to == c.s.cfg.Self && len(list) > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.own) > lookAtOnce*maxOffers {
			clear(c.own)
		}
		for _, t := range list {
			c.own[t.URL.String()] = c.ledger.Of(t.URL)
		}
	}
	return list
}

// due returns sites with pages to be looked at that may be visited now.
func (c *checking) due(n *group.Node) (due []crawl.Domain) {
	now := c.s.cfg.Now()
	maps.DeleteFunc(c.again, func(_ crawl.Domain, at time.Time) bool { return !now.Before(at) })
	for _, d := range c.ledger.Sites() {
		if _, wait := c.again[d]; wait || c.s.offers.isBusy(d) || len(c.again) >= maxOffered {
			continue
		}
		if acts, leased := n.Acts(d); acts && leased == 0 {
			due = append(due, d)
		}
		if c.again[d] = now.Add(lookAgain); len(due) == lookAtOnce {
			break
		}
	}
	return due
}

// step brings verdicts into the store.
func (c *checking) step(n *group.Node) error {
	now := c.s.cfg.Now()
	if now.Before(c.next) {
		return nil
	}
	c.next = now.Add(checkTick)
	c.take(c.ledger.Tick(now))
	if err := c.findUndone(n, now); err != nil {
		return err
	}
	for d, j := range c.judged {
		delete(c.judged, d)
		n.Put(d, judgedBody(j), c.s.cfg.Self, func(stored bool) {
			if acts, _ := n.Acts(d); !stored && acts {
				c.judged[d] = j.and(c.judged[d])
			}
		})
	}
	c.settle(n)
	changed, old := c.ledger.Changed(), time.Time{}
	if !now.Before(c.prune) {
		c.prune, old = now.Add(pruneEvery), now.Add(-checks.Week)
	}
	if len(changed) > 0 || !old.IsZero() {
		n.Local(func(tx stream.Tx) error { return writeChecks(stream.Storage(tx), changed, old) }, func(bool) {})
	}
	return nil
}

// settle has held outcomes count.
func (c *checking) settle(n *group.Node) {
	of := make(map[crawl.Domain][]crawl.Outcome)
	for _, o := range c.count {
		of[o.Domain] = append(of[o.Domain], o)
	}
	c.count = nil
	for d, list := range of {
		for len(list) > 0 {
			b, count, _ := firstReport(bodyCounted, crawl.Lease{ID: 1, Domain: d}, list, false)
			part := list[:count]
			list = list[count:]
			n.Put(d, b, c.s.cfg.Self, func(stored bool) {
				if acts, _ := n.Acts(d); !stored && acts {
					c.count = append(c.count, part...)
				}
			})
		}
	}
}

// revisit has a page visited again.
func (c *checking) revisit(d crawl.Domain, key string) {
	c.judged[d] = c.judged[d].and(judgement{undo: []string{key}})
}

// findUndone looks for what is to be done again.
func (c *checking) findUndone(n *group.Node, now time.Time) error {
	if len(c.undo) == 0 {
		return nil
	}
	err := c.s.cfg.DB.View(func(tx *storage.Tx) error {
		k := tx.Bucket(storage.BucketChecks).Cursor()
		for key, value := k.Seek([]byte{keyDone}); len(key) > doneHead && key[0] == keyDone &&
			len(c.flying) < undoAtOnce; key, value = k.Next() {
			d := crawl.Domain(key[doneHead:])
			i := slices.IndexFunc(c.undo, func(u undoing) bool {
				return string(key[doneHead-hashSize:doneHead]) == u.hash && (u.Site == "" || u.Site == d)
			})
			if acts, _ := n.Acts(d); acts && i >= 0 && !c.flying[string(key)] {
				c.putUndo(n, d, c.undo[i].Of, judgement{undo: urlKeys(value), log: string(key)})
			}
		}
		return nil
	})
	if len(c.flying) == 0 {
		c.undo = slices.DeleteFunc(c.undo, func(u undoing) bool { return now.After(u.until) })
	}
	return err
}

func (c *checking) putUndo(n *group.Node, d crawl.Domain, of crawl.PeerID, j judgement) {
	c.flying[j.log] = true
	n.Put(d, judgedBody(j), c.s.cfg.Self, func(stored bool) {
		delete(c.flying, j.log)
		if stored {
			c.mu.Lock()
			c.undone = Undone{c.undone.Pages + len(j.undo), of, time.Now()}
			c.mu.Unlock()
			c.s.tell(Event{Kind: WorkUndone, Peer: string(of), Domain: d, Count: len(j.undo)})
		}
	})
}

// takeJudged takes what this member put about outcomes.
func (c *checking) takeJudged(d crawl.Domain, b []byte) stream.Make {
	j, ok := readJudged(b)
	return c.s.items(d, func(tx *storage.Tx) ([]frontier.Item, error) {
		if !ok {
			return nil, nil
		}
		confirmed, err := c.s.cfg.Frontier.Confirm(tx, d, j.confirm...)
		if err != nil {
			return nil, err
		}
		undone, err := c.s.cfg.Frontier.Undo(tx, d, j.undo...)
		if err == nil && j.log != "" {
			err = dropDone(tx, []byte(j.log), j.undo)
		}
		return append(confirmed, undone...), err
	})
}

const (
	hashSize = 8
	// doneHead is the length of a key of what was done, before the domain.
	doneHead = 1 + 4 + hashSize
)

func hashOf(p crawl.PeerID) string {
	sum := sha256.Sum256([]byte(p))
	return string(sum[:hashSize])
}

// doneKey is where what a fetcher does of a domain at a time is noted.
func doneKey(at time.Time, by crawl.PeerID, d crawl.Domain) []byte {
	key := binary.BigEndian.AppendUint32([]byte{keyDone}, uint32(max(at.Unix(), 0)/int64(doneFor.Seconds())))
	return append(append(key, hashOf(by)...), d...)
}

// note writes down that a fetcher visited a URL.
func (c *checking) note(tx *storage.Tx, by crawl.PeerID, u crawl.URL) error {
	key, b := doneKey(c.s.cfg.Now(), by, u.Domain()), tx.Bucket(storage.BucketChecks)
	value := b.Get(key)
	if len(value) >= hashSize*maxDone {
		return nil
	}
	return b.Put(key, append(slices.Clone(value), store.URLKey(u)[1:]...))
}

// unnote takes back what note wrote, unless that is long ago.
func (c *checking) unnote(tx *storage.Tx, by crawl.PeerID, u crawl.URL) (err error) {
	for _, ago := range []time.Duration{0, doneFor} {
		err = errors.Join(err, dropDone(tx, doneKey(c.s.cfg.Now().Add(-ago), by, u.Domain()),
			[]string{store.URLKey(u)}))
	}
	return err
}

// dropDone takes URLs, by their keys, out of what was noted under a key. More may have been noted meanwhile.
func dropDone(tx *storage.Tx, key []byte, urls []string) error {
	b := tx.Bucket(storage.BucketChecks)
	value := b.Get(key)
	var left []byte
	for h := range slices.Chunk(value, hashSize) {
		if !slices.Contains(urls, string(store.KindURL)+string(h)) {
			left = append(left, h...)
		}
	}
	switch {
	case len(left) == len(value):
		return nil
	case len(left) == 0:
		return b.Delete(key)
	}
	return b.Put(key, left)
}

// urlKeys returns the keys of URLs by what note wrote.
func urlKeys(b []byte) (keys []string) {
	for hash := range slices.Chunk(b, hashSize) {
		keys = append(keys, string(store.KindURL)+string(hash))
	}
	return keys
}

// writeChecks writes what the ledger keeps of fetchers, and forgets what was done before a time.
func writeChecks(tx *storage.Tx, fetchers map[crawl.PeerID][]byte, before time.Time) error {
	b := tx.Bucket(storage.BucketChecks)
	for p, value := range fetchers {
		key := append([]byte{keyFetcher}, p...)
		if value == nil {
			if err := b.Delete(key); err != nil {
				return err
			}
		} else if err := b.Put(key, value); err != nil {
			return err
		}
	}
	end := doneKey(before, "", "")
	k := b.Cursor()
	for key, _ := k.Seek([]byte{keyDone}); key != nil && string(key) < string(end); key, _ = k.Seek([]byte{keyDone}) {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// Fetchers returns what this node knows of a fetcher by checks, as the leader of domains.
func (s *Swarm) Fetchers(ctx context.Context, list []crawl.PeerID) (known map[crawl.PeerID]checks.Record, err error) {
	known = make(map[crawl.PeerID]checks.Record)
	err = s.cfg.Loop.Do(ctx, func(*group.Node) error {
		for _, p := range list {
			known[p] = s.checking.ledger.Look(s.cfg.Now(), p)
		}
		return nil
	})
	return known, err
}

// CheckOf returns whose outcome is checked when a fetcher of this node requests a URL; "" if it is no check.
func (s *Swarm) CheckOf(url string) crawl.PeerID {
	s.checking.mu.Lock()
	defer s.checking.mu.Unlock()
	return s.checking.own[url]
}

// Undone returns what was done again.
func (s *Swarm) Undone() Undone {
	s.checking.mu.Lock()
	defer s.checking.mu.Unlock()
	return s.checking.undone
}

// Unsure returns how many outcomes wait for a check before they count.
func (s *Swarm) Unsure() int { return int(s.checking.held.Load()) }
