package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/promise"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/storage"
)

const (
	// lookEvery is how often it is decided anew at least what the node may do, though no sensor
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

// arbiter decides when the node may work and how much (package limits), and has the
// others keep to it. It is the one place where settings, sensors and what the user asks for by
// hand come together.
type arbiter struct {
	n       *Node
	hub     *sense.Hub // nil where there is no user, as in most labs
	wake    chan struct{}
	account *promise.Account

	mu       sync.Mutex
	cfg      limits.Config
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
	pending  bool // something is to be obeyed in a moment

	footing chan footingWish // the newest one
	wished  footingWish      // what was put in there last

	reloading sync.Mutex // one reading of the settings file after the other
}

// footingWish is a footing to be taken, and until when.
type footingWish struct {
	to    Footing
	until time.Time
}

// newArbiter goes on from what was saved. It decides nothing before Serve.
func newArbiter(n *Node) (*arbiter, error) {
	a := &arbiter{n: n, wake: make(chan struct{}, 1), footing: make(chan footingWish, 1), cfg: n.opts.limits(n.opts.Config)}
	var err error
	if a.saved, err = readLimits(n.db, n.log); err != nil {
		return nil, err
	}
	a.state = limits.Restore(a.saved, a.now())
	if a.account, err = promise.OpenAccount(n.account(), a.now()); err != nil {
		return nil, err
	}
	if n.opts.hasUser() {
		o := n.opts.Sense
		o.Now, o.Calm = n.clock.Now, func() bool { return n.foot.isSilent() }
		a.hub = sense.New(o)
		a.want()
	}
	return a, nil
}

// hasUser reports whether the limits of a user hold: not in labs, unless they are what is
// tried there.
func (o *Options) hasUser() bool { return o.Lab == nil || o.Lab.Limits }

// awaitsConsent reports whether this is a lab in which consent matters.
func (o *Options) awaitsConsent() bool { return o.Lab != nil && o.Lab.AwaitConsent }

// consented reports whether settings let the node work as far as consent goes: in most labs it needs none.
func (o *Options) consented(c config.Config) bool {
	return o.Lab != nil && !o.Lab.AwaitConsent || config.Consented(c)
}

// limits returns what is to be kept to.
func (o *Options) limits(c config.Config) limits.Config {
	if o.hasUser() {
		l := c.Limits
		l.Consent = o.consented(c)
		if o.Config.Role == "bootstrap" { // nobody sits at it, and others rely on it
			l.Idle.UnknownIs, l.Level = limits.Away, limits.Levels{InUse: limits.Full, Away: limits.Full}
			l.Pause = limits.Pause{OtherCPU: 100, VPN: limits.No}
		}
		if o.noLimits() { // what a lab does without, where the rest of them is tried
			l.Disk = limits.Disk{Max: limits.NoLimit, MaxPercent: limits.NoLimit}
			l.Budget.Full.PagesPerMin, l.Budget.Gentle.PagesPerMin = limits.NoLimit, limits.NoLimit
		}
		return l
	}
	l := limits.Config{
		Consent:  o.consented(c),
		Idle:     limits.Idle{UnknownIs: limits.Away},
		Level:    limits.Levels{InUse: limits.Full, Away: limits.Full},
		Schedule: limits.Schedule{Work: limits.AllWeek(limits.Full), NetIsWork: true},
		Data:     limits.Data{Day: limits.NoLimit, Month: limits.NoLimit, MonthStarts: 1},
		Disk:     c.Limits.Disk, RAM: c.Limits.RAM,
		Pause: limits.Pause{OtherCPU: 100, VPN: limits.No, Recall: c.Limits.Pause.Recall},
	}
	full := limits.Budget{
		CPUPercent: limits.NoLimit, DownKbit: limits.NoLimit, UpKbit: limits.NoLimit, Sockets: c.Limits.Budget.Full.Sockets,
		Fetchers: c.Limits.Budget.Full.Fetchers, PagesPerMin: c.Limits.Budget.Full.PagesPerMin,
	}
	if o.noLimits() {
		l.Disk = limits.Disk{Max: limits.NoLimit, MaxPercent: limits.NoLimit}
		full.PagesPerMin = limits.NoLimit
	}
	l.Budget = limits.Budgets{Full: full, Gentle: full}
	return l
}

// want tells the sensors what is to be watched. The mutex is held, or nobody else has a.
func (a *arbiter) want() {
	if a.hub != nil {
		a.hub.Want(sense.Wanted{Apps: slices.Clone(a.cfg.Pause.Apps), Dir: a.n.opts.Paths.WARC()})
	}
}

// now returns what time it is for limits: the steady hand is the node's clock.
func (a *arbiter) now() limits.Clock {
	return limits.Clock{Wall: time.Now(), Steady: a.n.clock.Now().Sub(steadyZero)}
}

// steadyZero is where the steady hand begins.
var steadyZero = time.Unix(0, 0)

// begin decides for the first time, before anything is sent: the node joins the others by the footing
// that it finds.
func (a *arbiter) begin(ctx context.Context) error {
	a.look()
	select {
	case w := <-a.footing:
		return a.n.SetFooting(ctx, w.to, w.until)
	default:
		return nil
	}
}

// Serve decides again and again until ctx is done.
func (a *arbiter) Serve(ctx context.Context) error {
	var parts sync.WaitGroup
	defer parts.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parts.Go(func() { a.stand(ctx) })
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
		a.n.beQuiet(false)
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
		if a.saves() {
			a.save()
		}
	}
}

// look decides, has it kept to, and returns when to look again.
func (a *arbiter) look() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	a.spend(now)
	sensors := a.sensors(now)
	a.is, a.state = limits.Decide(a.cfg, sensors, a.state, now)
	a.tellInput(sensors, now)
	a.keep(now)
	if a.n.opts.Sim != nil {
		return min(a.is.Next, simEvery)
	}
	a.account.Note(now, a.is)
	wait := pulse.Until(a.n.unhurried(lookEvery))
	if a.is.Level == limits.Off && a.n.rests.Load() { // then sensors, settings and the user have it look
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
func (a *arbiter) spend(now limits.Clock) {
	total, sites := a.n.bytesMoved(), a.n.bytesForSites()
	if n := total - a.counted; n > 0 {
		a.state.SpendFor(now, n, sites-a.forSites)
	}
	a.counted, a.forSites = total, sites
}

// keep has the others keep to what was decided.
func (a *arbiter) keep(now limits.Clock) {
	why, kinds := a.sentences(now)
	a.pending = a.n.obey(a.is)
	a.n.governor.setLimits(a.is.Level > limits.Off, a.is.Finishing, why, kinds)
	if !a.n.governor.follows {
		return // its footing is given
	}
	a.n.foot.full.Store(slices.ContainsFunc(a.is.Reasons, func(r limits.Reason) bool { return r.Kind == limits.DiskNearlyFull }))
	wish := footingWish{Footing(a.is.Footing), a.is.SilentUntil}
	if wish == a.wished && wish.to == a.n.Footing() {
		return
	}
	a.wished = wish
	select {
	case <-a.footing:
	default:
	}
	a.footing <- wish
}

// sentences are all reasons that keep the node from working at all, in words, and their kinds.
func (a *arbiter) sentences(now limits.Clock) (list []inLanguages, kinds string) {
	for _, r := range a.is.Reasons {
		if r.Allows == limits.Off {
			said := make(inLanguages)
			for _, lang := range words.Languages() {
				said[lang] = r.Sentence(limits.LangOf(lang), now.Wall)
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
func (a *arbiter) stand(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case w := <-a.footing:
			if err := a.n.SetFooting(ctx, w.to, w.until); err != nil && ctx.Err() == nil {
				a.n.log.Warn("Footing not taken as it should be", "footing", w.to.String(), "error", err)
			}
		}
	}
}

// ask changes what the user asked for by hand, and decides anew before it returns.
func (a *arbiter) ask(change func(*limits.State, limits.Clock)) {
	a.mu.Lock()
	change(&a.state, a.now())
	a.mu.Unlock()
	a.look()
	a.save()
	signalNow(a.wake)
}

// set takes over settings; err is what is wrong with those in the file.
func (a *arbiter) set(c config.Config, err error) {
	a.mu.Lock()
	if a.fault = err; err == nil {
		a.cfg = a.n.opts.limits(c)
		a.want()
	}
	a.mu.Unlock()
	a.look()
	signalNow(a.wake)
}

func signalNow(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// decision returns what was decided last, and what is wrong with the settings file.
func (a *arbiter) decision() (limits.Decision, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.is, a.fault
}

// saves reports whether it is time to save what was used.
func (a *arbiter) saves() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n.clock.Now().Sub(a.saving) >= saveEvery
}

// save keeps what must survive a restart.
func (a *arbiter) save() {
	a.mu.Lock()
	now := a.now()
	a.spend(now)
	a.saving = a.n.clock.Now()
	same := sameSaved(a.state.Save(now), a.saved)
	a.mu.Unlock()
	var err error
	if a.n.opts.Sim == nil {
		err = a.account.Save(now)
	}
	if !same {
		err = errors.Join(err, a.n.db.Update(a.put))
	}
	if err != nil {
		a.n.log.Warn("What was used is not saved for now", "error", err)
	}
}

func sameSaved(a, b limits.Saved) bool {
	return a.Mode == b.Mode && a.Since.Equal(b.Since) && a.Until.Equal(b.Until) && slices.Equal(a.Use, b.Use)
}

// commit saves what was used with a commit that is made anyway, if that is much.
func (a *arbiter) commit(tx *storage.Tx) error {
	a.mu.Lock()
	much := a.counted-a.kept >= saveBytes
	a.mu.Unlock()
	if !much {
		return nil
	}
	return a.put(tx)
}

// put saves what is so at the time of the transaction: the last one has the newest.
func (a *arbiter) put(tx *storage.Tx) error {
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

// pausedUntil returns when a pause ends by itself, zero if there is none or it does not.
func (a *arbiter) pausedUntil() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if mode, until := a.state.Manual(a.now()); mode == limits.Paused {
		return until
	}
	return time.Time{}
}
