// Package demo is "forage demo": a practice web and some nodes that share the crawl of it, in one process.
package demo

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
	"github.com/forage-net/forage/ui/cli/start"
)

const (
	// sites are enough for every node to own some, and few enough for a
	// mark each on a line of 80 columns.
	sites = 60
	// nodes are there at the beginning, most at most: as many as there
	// are colours to tell them apart.
	nodes = 3
	most  = 6
	// gap is between two requests to a site, whoever makes them.
	gap      = 100 * time.Millisecond
	fetchers = 16
	// idleAfter is how long nobody must have had anything to do at the end.
	idleAfter = 2 * time.Second
	// lookEvery is how often the nodes are looked at, and the table drawn again;
	// plainEvery is between two lines where there is no terminal.
	lookEvery  = 250 * time.Millisecond
	plainEvery = 3 * time.Second
)

// New serves the practice web and lets a few nodes share the crawl of it,
// all in this process and on the loopback interface: it needs nobody's consent.
func New(e *env.Env) *cobra.Command {
	c := env.Command("demo [flags]", "crawl a practice web; no internet needed", 0, 0)
	fs := c.Flags()
	addr := fs.String("api", "127.0.0.1:0", "local API of the first node at `HOST:PORT`; port 0 takes any free one")
	noTray := fs.Bool("no-tray", false, "no tray icon")
	noOpen := fs.Bool("no-open", false, "open no window and no browser")
	return env.Does(c, func(ctx context.Context, _ []string) error {
		if e.Home == "" {
			dir, err := os.MkdirTemp("", "forage-demo-")
			if err != nil {
				return words.New("said.cli.make-a-home-for-the-demo", words.Args{"error": err})
			}
			e.Home = dir
		}
		if err := os.MkdirAll(e.Home, 0o700); err != nil {
			return words.New("said.cli.make-a-home-for-the-demo", words.Args{"error": err})
		}
		tally := newDemoTally()
		web, err := demo.Start(demo.Options{Sites: sites, Log: tally.add})
		if err != nil {
			return words.New("said.cli.start-the-practice-web", words.Args{"error": err})
		}
		defer web.Close()
		tally.expect(web.Expected())
		if err := tally.keep(filepath.Join(e.Home, "fetched.txt")); err != nil {
			return err
		}
		defer tally.close()
		show := openShow(e)
		defer show.close()
		log := slog.New(slog.NewTextHandler(show, &slog.HandlerOptions{Level: slog.LevelWarn}))
		swarm, err := newDemoSwarm(e.Home, *addr, web, log)
		if err != nil {
			return err
		}
		swarm.lang = e.Lang
		defer swarm.stop() // after an error; else they have ended
		defer show.close() // before that: it may take a while
		show.begin(e.Lang.Text("demo.begin", words.Args{
			"pages": tally.wanted(), "domains": len(swarm.domains), "nodes": nodes, "home": e.Home,
			"second": env.ShellQuoted(filepath.Join(e.Home, "2")),
		}) + "\n\n")
		d := run{
			lang: e.Lang, swarm: swarm, tally: tally, show: show, started: time.Now(),
			browse: !*noOpen && console.OnTerminal(e.Out), icon: !*noTray,
		}
		if err := d.play(ctx); err != nil {
			return err
		}
		show.close()
		return printSummary(e, d.result())
	})
}

// run is one run of the demo.
type run struct {
	lang    language.Language
	swarm   *members
	tally   *tally
	show    *show
	started time.Time
	browse  bool // a window or browser may be opened
	icon    bool // in the tray
	took    time.Duration
	idle    time.Time // since when nobody has anything to do; zero if somebody has
	done    bool      // it came to its end by itself
	notice  string    // what was done last at the user's wish
}

// play runs the nodes until all is fetched or the user has seen enough. When
// it returns, they have ended.
func (d *run) play(ctx context.Context) error {
	for range nodes {
		if err := d.swarm.grow(); err != nil {
			return err
		}
	}
	if err := d.welcome(ctx); err != nil {
		return err
	}
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	if d.browse {
		defer d.swarm.openWindow(ctx)()
	}
	if d.icon {
		defer d.swarm.showTray(ctx, quit)()
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for !d.done && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case now := <-ticker.C:
			if err := d.look(now); err != nil {
				return err
			}
		case key := <-d.show.keys():
			if quit, err := d.press(key); quit || err != nil {
				return errors.Join(err, d.end(ticker.C))
			}
		}
	}
	return d.end(ticker.C)
}

// welcome says where the dashboard of the first node is.
func (d *run) welcome(ctx context.Context) error {
	dir, err := d.swarm.stateOf(1)
	if err != nil {
		return err
	}
	link, err := start.FirstLink(ctx, dir)
	if err != nil {
		return nil // it stops already, and says why
	}
	d.show.begin(d.lang.Text("demo.dashboard", nil) + "\n" + link.URL + "\n\n")
	return nil
}

// look finds out what the nodes do, shows it, and notices the end.
func (d *run) look(now time.Time) error {
	if err := d.swarm.look(now); err != nil {
		return err
	}
	if !d.swarm.idle() {
		d.idle = time.Time{}
	} else if d.idle.IsZero() {
		d.idle = now
	}
	d.done = !d.idle.IsZero() && now.Sub(d.idle) >= idleAfter
	d.show.draw(d.scene(now))
	return nil
}

// press does what a key stands for.
func (d *run) press(key byte) (quit bool, err error) {
	switch key {
	case 'k', 'K':
		d.notice = d.swarm.shrink()
	case 's', 'S':
		if d.swarm.full() {
			d.notice = d.lang.Text("demo.full", words.Args{"count": most})
			return false, nil
		}
		if err := d.swarm.grow(); err != nil {
			return false, err
		}
		d.notice = d.lang.Text("demo.started", nil)
	case 'q', 'Q', console.KeyInterrupt, console.KeyEnd:
		return true, nil
	}
	return false, nil
}

// end stops all nodes and shows how they end: one after the other, since those
// that leave together have nobody to hand their domains to.
func (d *run) end(tick <-chan time.Time) error {
	d.took = time.Since(d.started)
	d.show.release() // a second Ctrl-C is for the operating system
	d.notice = d.lang.Text("demo.ending", nil)
	if err := d.swarm.freeze(); err != nil {
		return err
	}
	for d.swarm.letGo() {
		now := <-tick
		if err := d.swarm.look(now); err != nil {
			return err
		}
		d.show.redraw(d.scene(now))
	}
	return nil
}

// scene is what there is to see now.
func (d *run) scene(now time.Time) scene {
	s := scene{
		Lang: d.lang, Since: now.Sub(d.started), Wanted: d.tally.wanted(), Fetched: d.tally.fetched(),
		Notice: d.notice, Keys: d.show.takesKeys(), Domains: d.swarm.owners(),
	}
	for _, n := range d.swarm.nodes {
		s.Nodes = append(s.Nodes, n.now)
	}
	return s
}
