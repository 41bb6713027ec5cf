package scale

import (
	"context"
	"fmt"
	"runtime"
	"time"

	process "github.com/forage-net/forage/app/pace"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/storage"
)

const (
	// window is how many URLs the first and the last stretch of a run take in.
	window = 500_000
	// burstURLs and burstSettles are how long the bursts are, at most a twentieth
	// of the run.
	burstURLs    = 50_000
	burstSettles = 20_000
	// pace is how many pages a second a node fetches on an ordinary line.
	pace = 60
)

// Span is what a stretch of work was and what it took. CPU time is that of the
// whole process; Making is how much of it the made-up web needs for as many
// links.
type Span struct {
	Name    string  `json:"name"`
	Settles int     `json:"settles"`
	New     int     `json:"new"`     // URLs taken in
	Offered int     `json:"offered"` // links
	Commits int     `json:"commits"`
	Wall    float64 `json:"wall_seconds"`
	CPU     float64 `json:"cpu_seconds"`
	Making  float64 `json:"making_seconds"`
	Written int64   `json:"written_bytes"`
}

// Stage is how a run stands, and what it took since the stage before.
type Stage struct {
	Known      uint64 `json:"known"`
	Queued     uint64 `json:"queued"`
	HeapInUse  uint64 `json:"heap_in_use"`
	StoreBytes int64  `json:"store_bytes"`
	Spans      []Span `json:"spans"`
}

// counts are running totals.
type counts struct {
	settles, offered, added, commits int
	at                               time.Time
	cpu                              time.Duration
	written                          int64
}

func (l *load) counts() counts {
	c := l.count
	c.added, c.commits, c.at = int(l.added.Load()), int(l.commits.Load()), time.Now()
	c.cpu, c.written = cpuTime(), writtenBytes()
	return c
}

// span measures work up to the commit of its last entry.
func (l *load) span(ctx context.Context, name string, work func() error) (Span, error) {
	from := l.counts()
	if err := work(); err != nil {
		return Span{}, fmt.Errorf("%s: %w", name, err)
	}
	if err := l.drain(ctx); err != nil {
		return Span{}, fmt.Errorf("%s: %w", name, err)
	}
	to := l.counts()
	return Span{
		Name: name, Settles: to.settles - from.settles, New: to.added - from.added, Offered: to.offered - from.offered,
		Commits: to.commits - from.commits, Wall: to.at.Sub(from.at).Seconds(), CPU: (to.cpu - from.cpu).Seconds(),
		Making: float64(to.offered-from.offered) * l.linkCPU.Seconds(), Written: to.written - from.written,
	}, nil
}

// stages brings the frontier to its size: the seeds, a first stretch, what is
// between, a last stretch; and after each stretch the bursts.
func (l *load) stages(ctx context.Context, tell func(Stage) error) error {
	seeds, err := l.span(ctx, "seeds", func() error { return l.seed(ctx) })
	if err != nil {
		return err
	}
	stretch := min(window, l.cfg.URLs/2)
	first, err := l.grow(ctx, "first", l.cfg.Domains+stretch)
	if err != nil {
		return err
	}
	if err := l.burstsAndTell(ctx, tell, seeds, first); err != nil {
		return err
	}
	between, err := l.grow(ctx, "between", l.cfg.URLs-stretch)
	if err != nil {
		return err
	}
	last, err := l.grow(ctx, "last", l.cfg.URLs)
	if err != nil {
		return err
	}
	return l.burstsAndTell(ctx, tell, between, last)
}

// grow crawls until so many URLs are known.
func (l *load) grow(ctx context.Context, name string, known int) (Span, error) {
	return l.span(ctx, name, func() error {
		return l.crawl(ctx, l.web.growth, nil, func() bool { return int(l.added.Load()) >= known })
	})
}

// burstsAndTell does what tells the cost of enqueues and settles apart, and
// reports the stage.
func (l *load) burstsAndTell(ctx context.Context, tell func(Stage) error, spans ...Span) error {
	enqueues, err := l.span(ctx, "enqueues", func() error {
		return l.enqueue(ctx, min(burstURLs, l.cfg.URLs/20),
			func(i int) int { return l.web.pick(mix(uint64(i), uint64(l.count.offered))) })
	})
	if err != nil {
		return err
	}
	settles, err := l.span(ctx, "settles", func() error {
		end := l.count.settles + min(burstSettles, l.cfg.URLs/20)
		return l.crawl(ctx, func(uint64) int { return 0 }, nil, func() bool { return l.count.settles >= end })
	})
	if err != nil {
		return err
	}
	spans = append(spans, enqueues, settles)
	if l.cfg.Paced > 0 {
		paced, err := l.paced(ctx)
		if err != nil {
			return err
		}
		spans = append(spans, paced)
	}
	return l.tell(tell, spans)
}

// paced crawls for a while at the pace of a node: commits are then small.
func (l *load) paced(ctx context.Context) (Span, error) {
	beat := time.NewTicker(time.Second / pace)
	defer beat.Stop()
	return l.span(ctx, "paced", func() error {
		end := time.Now().Add(l.cfg.Paced)
		return l.crawl(ctx, l.web.growth, beat.C, func() bool { return time.Now().After(end) })
	})
}

func (l *load) tell(tell func(Stage) error, spans []Span) error {
	var totals frontier.Totals
	err := l.db.View(func(tx *storage.Tx) (err error) {
		totals, err = l.frontier.Totals(tx)
		return err
	})
	if err != nil {
		return err
	}
	size, err := l.storeBytes()
	if err != nil {
		return err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return tell(Stage{Known: totals.Known, Queued: totals.Queued, HeapInUse: m.HeapInuse, StoreBytes: size,
		Spans: spans})
}

// cpuTime returns the processor time that this process has taken, 0 if it is not known.
func cpuTime() time.Duration {
	used, _ := process.ProcessTime()
	return used
}
