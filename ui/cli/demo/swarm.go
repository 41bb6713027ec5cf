package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
	"github.com/forage-net/forage/ui/cli/start"
	"github.com/forage-net/forage/ui/web"
)

// members is the nodes of the demo. It is used by one goroutine.
type members struct {
	lang    language.Language
	home    string
	addr    string // of the first node's API
	hosts   *fetch.Hosts
	start   crawl.URL
	domains []string // of the practice web, sorted
	log     *slog.Logger
	nodes   []*node // by number, the first being 1
}

func newDemoSwarm(home, addr string, web *demo.Web, log *slog.Logger) (*members, error) {
	s := &members{home: home, addr: addr, log: log}
	var err error
	if s.hosts, err = fetch.ParseHosts(strings.NewReader(web.Hosts())); err != nil {
		return nil, words.New("said.cli.practice-web", words.Args{"error": err})
	}
	if s.start, err = crawl.ParseURL(web.StartURL()); err != nil {
		return nil, words.New("said.cli.practice-web", words.Args{"error": err})
	}
	for line := range strings.Lines(web.Hosts()) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		u, err := crawl.ParseURL("http://" + name + "/")
		if err != nil {
			return nil, words.New("said.cli.practice-web", words.Args{"error": err})
		}
		s.domains = append(s.domains, string(u.Domain()))
	}
	slices.Sort(s.domains)
	s.domains = slices.Compact(s.domains)
	return s, nil
}

// full reports whether there can be no more nodes.
func (s *members) full() bool {
	return len(s.nodes) == most && !slices.ContainsFunc(s.nodes, func(n *node) bool { return n.node == nil })
}

// grow starts the first node that does not run, or a further one.
func (s *members) grow() error {
	i := slices.IndexFunc(s.nodes, func(n *node) bool { return n.node == nil })
	if i < 0 {
		i = len(s.nodes)
		s.nodes = append(s.nodes, &node{lang: s.lang, number: i + 1})
	}
	n := s.nodes[i]
	opts, err := s.options(n.number)
	if err == nil {
		err = n.start(opts)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.lang.Text("demo.start", words.Args{"node": n.number}), err)
	}
	return nil
}

// options are those of a node: a home of its own, and the first node as the way
// to the others.
func (s *members) options(number int) (app.Options, error) {
	name := strconv.Itoa(number)
	opts := app.Options{Home: filepath.Join(s.home, name), Config: config.Defaults(), Seeds: []crawl.URL{s.start},
		Log: s.log.With("node", name)}
	e := env.Env{Home: opts.Home}
	if err := e.FindPaths(); err != nil {
		return opts, err
	}
	if err := e.Paths.Create(); err != nil {
		return opts, err
	}
	opts.Paths = e.Paths
	gap := gap
	opts.Lab = &app.Lab{Hosts: s.hosts, Gap: &gap, NoLimits: true, Trusts: true}
	opts.Config.Net.Name = "demo"
	opts.Config.Limits.Budget.Full.Fetchers = fetchers
	opts.Config.Web.Addr = "127.0.0.1:0"
	if number == 1 {
		opts.Config.Web.Addr, opts.Dashboard = s.addr, web.Files()
		return opts, nil
	}
	p, err := s.nodes[0].node.Peers(context.Background())
	opts.Config.Net.Bootstrap = p.Addrs
	return opts, err
}

// at returns what commands for a node are given.
func (s *members) at(number int) (*env.Env, error) {
	e := &env.Env{Home: filepath.Join(s.home, strconv.Itoa(number))}
	return e, e.FindPaths()
}

// stateOf returns where a node keeps what it knows.
func (s *members) stateOf(number int) (string, error) {
	e, err := s.at(number)
	return e.Paths.State, err
}

// showTray shows an icon for the first node until the function is called that it returns. From its menu the demo can be
// ended.
func (s *members) showTray(ctx context.Context, quit func()) (end func()) {
	e, err := s.at(1)
	if err != nil {
		return func() {}
	}
	node := s.nodes[0].node
	return start.ShowTray(ctx, e, trayIcon{node, quit}, node.SetTray, nil, s.log)
}

// openWindow shows the first node, in its window or else in the browser, where there is a display. The function that it
// returns waits until that was tried; what is open stays.
func (s *members) openWindow(ctx context.Context) (wait func()) {
	ctx, cancel := context.WithCancel(ctx)
	tried := make(chan struct{})
	go func() {
		defer close(tried)
		if e, err := s.at(1); err == nil {
			_ = start.Opener(ctx, e, nil)("") // there is the address of the dashboard
		}
	}()
	return func() {
		cancel()
		<-tried
	}
}

// shrink lets the last node go that was not asked to, but never the first, and
// says what that means.
func (s *members) shrink() string {
	for _, n := range slices.Backward(s.nodes[1:]) {
		if n.node == nil || n.now.State == leaving {
			continue
		}
		n.ask()
		return s.lang.Text("demo.leaves", words.Args{"node": n.number})
	}
	return s.lang.Text("demo.last", nil)
}

// freeze lets no node begin anything more, and keeps for the summary what each owns and why it rests: at the end they
// hand their domains around, and rest for that.
func (s *members) freeze() error {
	for _, n := range s.nodes {
		n.rested, n.final = n.now.Rests, n.now.Domains
		if n.node != nil {
			if err := n.node.Pause(context.Background(), time.Minute); err != nil {
				return err
			}
		}
	}
	return nil
}

// letGo asks the last node that runs to end, unless one is about to, and
// reports whether there was one.
func (s *members) letGo() bool {
	for _, n := range slices.Backward(s.nodes) {
		if n.node != nil {
			n.ask()
			return true
		}
	}
	return false
}

// stop ends all nodes and waits for them.
func (s *members) stop() error {
	for _, n := range s.nodes {
		n.ask()
	}
	var errs []error
	for _, n := range s.nodes {
		if n.node != nil {
			errs = append(errs, n.close(<-n.ended))
		}
	}
	return errors.Join(errs...)
}

// look finds out what each node does. The error is that of a node that failed.
func (s *members) look(now time.Time) error {
	for _, n := range s.nodes {
		if err := n.look(now, s.nameOf); err != nil {
			return fmt.Errorf("%s: %w", s.lang.Text("demo.node", words.Args{"node": n.number}), err)
		}
	}
	return nil
}

// peerEnd is how many characters of an ID events tell.
const peerEnd = 6

// nameOf returns how the demo calls the node whose ID ends so.
func (s *members) nameOf(end string) string {
	for _, n := range s.nodes {
		if len(end) == peerEnd && strings.HasSuffix(n.id, end) {
			return s.lang.Text("demo.node", words.Args{"node": n.number})
		}
	}
	return end
}

// idle reports whether no node has anything to do.
func (s *members) idle() bool {
	return !slices.ContainsFunc(s.nodes, func(n *node) bool { return !n.idle })
}

// mark is a domain on the map of who owns what.
type mark struct {
	Owner int // number of the node, 0 if none has it yet
	Busy  bool
	Done  bool
}

// owners returns a mark for each domain of the web.
func (s *members) owners() []mark {
	marks := make([]mark, len(s.domains))
	for _, n := range s.nodes {
		for _, d := range n.domains {
			if i, found := slices.BinarySearchFunc(s.domains, d.Domain, cmp.Compare[string]); found {
				marks[i] = mark{Owner: n.number, Busy: d.State == "being visited", Done: d.Queued == 0}
			}
		}
	}
	return marks
}
