package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

const (
	demoGap      = 100 * time.Millisecond
	demoIdle     = 2 * time.Second
	demoFetchers = 16
)

// runDemo serves the practice web and crawls it, all in this process and on
// the loopback interface: it needs nobody's consent.
func runDemo(ctx context.Context, e *env, args []string) error {
	fs := e.flags("demo")
	addr := fs.String("api", "127.0.0.1:0", "local API at `HOST:PORT`; port 0 takes any free one")
	fs.Bool("no-tray", false, "no tray icon")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	if e.home == "" {
		dir, err := os.MkdirTemp("", "forage-demo-")
		if err != nil {
			return fmt.Errorf("make a home for the demo: %w", err)
		}
		e.home = dir
		if err := e.findPaths(); err != nil {
			return err
		}
	}
	web, err := demo.Start(demo.Options{})
	if err != nil {
		return fmt.Errorf("start the practice web: %w", err)
	}
	defer web.Close()
	opts, err := e.demoOptions(web, *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "A practice web of %s pages is up on this computer; one node begins to crawl it.\n", number(len(web.Expected())))
	fmt.Fprintf(e.out, "Its files are in %s. Ctrl-C ends it; in another terminal, try:\n  forage status --home %s\n\n", e.home, e.home)
	return e.serve(ctx, opts)
}

func (e *env) demoOptions(web *demo.Web, addr string) (app.Options, error) {
	opts := app.Options{Paths: e.paths, Home: e.home, Config: config.Defaults(), ExitWhenIdle: demoIdle}
	if err := e.paths.Create(); err != nil {
		return opts, err
	}
	hosts, err := fetch.ParseHosts(strings.NewReader(web.Hosts()))
	if err != nil {
		return opts, err
	}
	start, err := crawl.ParseURL(web.StartURL())
	if err != nil {
		return opts, err
	}
	gap := demoGap
	opts.Config.Web.Addr = addr
	opts.Config.Net.Name = "demo"
	opts.Config.Budget.Full.Fetchers = demoFetchers
	opts.Seeds = []crawl.URL{start}
	opts.Lab = &app.Lab{Hosts: hosts, Gap: &gap, NoLimits: true}
	return opts, nil
}
