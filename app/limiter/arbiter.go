package limiter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/footing"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/app/pace"
	"github.com/forage-net/forage/app/promise"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/storage"
)

const (
	// lookEvery is how often it is decided again at least what the node may do, though no sensor
	// has changed: bytes are spent meanwhile.
	lookEvery = time.Second
	// lookAtRestEvery takes its place where the node may do nothing and has done nothing for a while.
	lookAtRestEvery = 6 * time.Second
	// hasteLeft is how many bytes of a quota are left when it is looked every hastily: a quota is
	// exceeded by what comes in between.
	hasteLeft = 4 << 20
	hastily   = 100 * time.Millisecond
	// saveEvery is how often what was used is saved, unless the user asks for something; saveBytes
	// is how many bytes are saved with the next commit.
	saveEvery = 5 * time.Minute
	saveBytes = 1 << 20
	// simEvery takes the place of lookEvery in a simulation, where nothing is spent.
	simEvery = 10 * time.Second
	// lookAtDiskEvery is how often the disk is asked. At 4 Mbit/s a node writes one megabyte in that time.
	lookAtDiskEvery = 2 * time.Second
)

// Config is what an Arbiter decides by, and the parts that it has keep to it.
type Config struct {
	Rules    Rules
	Settings config.Config
	Sense    sense.Options // of a computer with a user
	Archive  string        // the directory of the archive
	Sim      bool          // time costs nothing, and many nodes share the process
	DB       *storage.DB
	Clock    *clock.Clock
	Log      *slog.Logger

	Gate      *footing.Gate
	Governor  *Governor
	Fetchers  Fetchers
	Sites     Sites
	Pacer     *pace.Pacer
	Bandwidth *bandwidth.Budget

	// Archived returns how large the archive is, Room what room there is for more, and Recall what the makers ask of
	// this version.
	Archived func() int64
	Room     func() (free, total int64, err error)
	Recall   func() limits.Reading[limits.Recall]
	// Sockets returns how many connections are open, to sites and to other nodes.
	Sockets func() (sites, peers int)
	// Pages returns how many pages were ever fetched, and Rate how many a second of late and in this run.
	Pages func() int64
	Rate  func() (perSecond float64, total uint64)

	// Take takes a footing (footing.Changer).
	Take func(ctx context.Context, to limits.Footing, until time.Time) error
	// Change changes settings of the file.
	Change func(context.Context, api.SettingsChange) (api.SettingsChanged, error)
	// Present, if set, is told when somebody used the computer last.
	Present func(last, now time.Time)
	// Quiet, if set, is told when the node falls silent at its user's wish or has fetched nothing for a while, and when
	// that ends.
	Quiet func(bool)
	// End ends the node: what was under way has ended, as the user asked.
	End func()
}

// Fetchers is what an Arbiter asks of a pool of fetchers.
type Fetchers interface {
	InFlight() (requests, leases int)
	SetFetchers(n int)
	SetPagesPerMin(n int)
}

// Sites is what an Arbiter asks of what has the connections to sites.
type Sites interface {
	CloseIdle()
	SetMaxConns(n int)
}

// Arbiter decides when the node may work and how much, and has the others keep to it. Its methods are safe for
// concurrent use.
type Arbiter struct {
	cfg     Config
	hub     *sense.Hub // nil where there is no user, as in most labs
	wake    chan struct{}
	account *promise.Account
	parts   *parts
	free    atomic.Int64 // bytes of the disk, as known last

	mu       sync.Mutex
	bounds   limits.Config
	fault    error // what is wrong with the settings file
	state    limits.State
	is       limits.Decision
	counted  int64 // bytes of this run that are in state
	forSites int64 // those of them that were for sites
	kept     int64 // those of them that are saved
	disk     limits.Reading[limits.DiskSpace]
	diskSeen time.Time // by the node's clock
	saved    limits.Saved
	saving   time.Time
	pending  bool        // something is to be kept to in a moment
	wished   footingWish // what was put into wishes last

	wishes chan footingWish // the newest one
	finish chan struct{}    // of capacity 1: the user asked for the end of what is under way
}

// footingWish is a footing to be taken, and until when.
type footingWish struct {
	to    limits.Footing
	until time.Time
}

// New goes on from what was saved. It decides nothing before Serve.
func New(cfg Config) (*Arbiter, error) {
	a := &Arbiter{
		cfg: cfg, parts: &parts{Config: &cfg}, wake: make(chan struct{}, 1), wishes: make(chan footingWish, 1),
		finish: make(chan struct{}, 1),
		bounds: cfg.Rules.Of(cfg.Settings),
	}
	var err error
	if a.saved, err = readLimits(a.cfg.DB, a.cfg.Log); err != nil {
		return nil, err
	}
	a.state = limits.Restore(a.saved, a.now())
	a.account, err = promise.OpenAccount(promise.AccountConfig{
		DB: a.cfg.DB, Cores: runtime.NumCPU(), Every: lookEvery, Log: a.cfg.Log, Used: a.parts.used,
	}, a.now())
	if err != nil {
		return nil, err
	}
	if a.cfg.Rules.HasUser() {
		o := a.cfg.Sense
		o.Now, o.Calm = a.cfg.Clock.Now, func() bool { return a.cfg.Gate.Now() == limits.Silent }
		a.hub = sense.New(o)
		a.want()
	}
	return a, nil
}

// want tells the sensors what is to be watched. The mutex is held, or nobody else has a.
func (a *Arbiter) want() {
	if a.hub != nil {
		a.hub.Want(sense.Wanted{Apps: slices.Clone(a.bounds.Pause.Apps), Dir: a.cfg.Archive})
	}
}

func (a *Arbiter) now() limits.Clock { return clockOf(a.cfg.Clock) }

// clockOf returns what time it is for limits: the steady hand is the node's clock.
func clockOf(c *clock.Clock) limits.Clock {
	return limits.Clock{Wall: time.Now(), Steady: c.Now().Sub(steadyZero)}
}

// steadyZero is where the steady hand begins.
var steadyZero = time.Unix(0, 0)

// Begin decides for the first time, before anything is sent: the node joins the others by the footing
// that it finds.
func (a *Arbiter) Begin(ctx context.Context) error {
	a.look()
	select {
	case w := <-a.wishes:
		err := a.cfg.Take(ctx, w.to, w.until)
		a.look() // what may be sent follows from the footing
		return err
	default:
		return nil
	}
}

// Serve decides again and again until ctx is done.
func (a *Arbiter) Serve(ctx context.Context) error {
	var parts sync.WaitGroup
	defer parts.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parts.Go(func() { a.stand(ctx) })
	parts.Go(func() { a.serveFinish(ctx) })
	var changes <-chan sense.Snapshot
	if a.hub != nil {
		parts.Go(func() { a.hub.Serve(ctx) })
		var end func()
		changes, end = a.hub.Subscribe()
		defer end()
	}
	defer a.save()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.parts.beQuiet(false)
	}()
	for {
		wait := a.look()
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-a.wake:
		case <-changes:
		case <-timer.C:
		}
		timer.Stop()
		a.mu.Lock()
		due := a.cfg.Clock.Now().Sub(a.saving) >= saveEvery
		a.mu.Unlock()
		if due {
			a.save()
		}
	}
}

// look decides, has it kept to, and returns when to look again.
func (a *Arbiter) look() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	a.spend(now)
	sensors := a.sensors(now)
	a.is, a.state = limits.Decide(a.bounds, sensors, a.state, now)
	a.tellInput(sensors, now)
	a.keep(now)
	if a.cfg.Sim {
		return min(a.is.Next, simEvery)
	}
	a.account.Note(now, a.is)
	wait := pulse.Until(a.Unhurried(lookEvery))
	if a.is.Level == limits.Off && a.parts.rests.Load() { // then sensors, settings and the user have it look
		wait = pulse.Within(lookAtRestEvery)
	}
	wait = min(wait, a.is.Next)
	if left := a.is.DataLeft; left != limits.NoLimit && left < hasteLeft {
		wait = min(wait, hastily)
	}
	if a.pending {
		wait = min(wait, hastily)
	}
	return wait
}

// spend counts what went over the network since it was called last. The mutex is held, as in what
// follows.
func (a *Arbiter) spend(now limits.Clock) {
	moved := a.cfg.Bandwidth.Totals()
	total := moved.Received.All + moved.Sent.All
	sites := moved.Received.Class[bandwidth.Pages] + moved.Sent.Class[bandwidth.Pages]
	if n := total - a.counted; n > 0 {
		a.state.Spend(now, n, sites-a.forSites)
	}
	a.counted, a.forSites = total, sites
}

// keep has the others keep to what was decided.
func (a *Arbiter) keep(now limits.Clock) {
	why, kinds := a.sentences(now)
	a.pending = a.parts.obey(a.is)
	a.cfg.Governor.setLimits(a.is.Level > limits.Off, a.is.Finishing, why, kinds)
	if !a.cfg.Rules.Follow() {
		return // its footing is given
	}
	isFull := func(r limits.Reason) bool { return r.Kind == limits.DiskNearlyFull }
	a.cfg.Gate.SetFull(slices.ContainsFunc(a.is.Reasons, isFull))
	wish := footingWish{a.is.Footing, a.is.SilentUntil}
	if wish == a.wished && wish.to == a.cfg.Gate.Now() {
		return
	}
	a.wished = wish
	select {
	case <-a.wishes:
	default:
	}
	a.wishes <- wish
}

// sentences are all reasons that keep the node from working at all, in words, and their kinds.
func (a *Arbiter) sentences(now limits.Clock) (list []InLanguages, kinds string) {
	for _, r := range a.is.Reasons {
		if r.Allows == limits.Off {
			said := make(InLanguages)
			for _, lang := range words.Languages() {
				said[lang] = tell.Reason(r, lang, now.Wall)
			}
			list = append(list, said)
			kinds += fmt.Sprintf("%v %s;", r.Kind, r.Name)
			if r.Kind == limits.PausedByUser { // for another time
				kinds += r.Until.Round(time.Second).Format(time.RFC3339)
			}
		}
	}
	return list, kinds
}

// stand takes footings, one after the other, the newest first.
func (a *Arbiter) stand(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case w := <-a.wishes:
			if err := a.cfg.Take(ctx, w.to, w.until); err != nil && ctx.Err() == nil {
				a.cfg.Log.Warn("Footing not taken as it should be", "footing", w.to.String(), "error", err)
			}
		}
	}
}

// ask changes what the user asked for by hand, and decides again before it returns.
func (a *Arbiter) ask(change func(*limits.State, limits.Clock)) {
	a.mu.Lock()
	change(&a.state, a.now())
	a.mu.Unlock()
	a.look()
	a.save()
	a.Wake()
}

// Set takes over settings; err is what is wrong with those in the file.
func (a *Arbiter) Set(c config.Config, err error) {
	a.mu.Lock()
	if a.fault = err; err == nil {
		a.bounds = a.cfg.Rules.Of(c)
		a.want()
	}
	a.mu.Unlock()
	a.look()
	a.Wake()
}

// Wake has it decide again soon: something has changed.
func (a *Arbiter) Wake() { signal(a.wake) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// SocketsForPeers returns how many connections to other nodes there may be, limits.NoLimit while nothing is fetched.
func (a *Arbiter) SocketsForPeers() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.is.Level == limits.Off {
		return limits.NoLimit
	}
	sites, _ := a.cfg.Sockets()
	return socketsForPeers(a.is.Budget.Sockets, sites)
}

// Unhurried is how often something is to be looked at that is looked at every so often while
// there is work: half as often in silence, when only time and the user change anything, and while the node rests.
func (a *Arbiter) Unhurried(every time.Duration) time.Duration {
	if a.cfg.Gate.Now() == limits.Silent || a.parts.rests.Load() {
		return 2 * every
	}
	return every
}

// Decision returns what was decided last, and what is wrong with the settings file.
func (a *Arbiter) Decision() (limits.Decision, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.is, a.fault
}

// save keeps what must survive a restart.
func (a *Arbiter) save() {
	a.mu.Lock()
	now := a.now()
	a.spend(now)
	a.saving = a.cfg.Clock.Now()
	same := sameSaved(a.state.Save(now), a.saved)
	a.mu.Unlock()
	var err error
	if !a.cfg.Sim {
		err = a.account.Save(now)
	}
	if !same {
		err = errors.Join(err, a.cfg.DB.Update(a.put))
	}
	if err != nil {
		a.cfg.Log.Warn("What was used is not saved for now", "error", err)
	}
}

func sameSaved(a, b limits.Saved) bool {
	return a.Mode == b.Mode && a.Since.Equal(b.Since) && a.Until.Equal(b.Until) && slices.Equal(a.Use, b.Use)
}

// Commit saves what was used with a commit that is made anyway, if that is much.
func (a *Arbiter) Commit(tx *storage.Tx) error {
	a.mu.Lock()
	much := a.counted-a.kept >= saveBytes
	a.mu.Unlock()
	if !much {
		return nil
	}
	return a.put(tx)
}

// put saves what is so at the time of the transaction: the last one has the newest.
func (a *Arbiter) put(tx *storage.Tx) error {
	a.mu.Lock()
	saved, counted := a.state.Save(a.now()), a.counted
	a.mu.Unlock()
	tx.OnCommit(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.saved, a.kept = saved, counted
	})
	return putLimits(tx, saved)
}
