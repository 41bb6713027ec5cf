// Command adversary is a hostile peer for closed networks of tests: it joins one and lies. Whoever defends
// against a lie can see here what it does, and that it is told no more. It is no part of the program, and joins
// labs only.
//
// Usage:
//
//	adversary NETWORK MULTIADDR ATTACK [N] [flags]
//
// NETWORK is what an invite calls it ("lab-main"), MULTIADDR leads to a member, with /p2p/ID. "adversary help"
// lists attacks and flags. It says every 15 seconds and in the end what it has done so far.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "adversary:", err)
		os.Exit(1)
	}
}

// attack is one way to harm a network.
type attack struct {
	help  string
	timed bool // N is for how many seconds
	run   func(ctx context.Context, o *options) error
}

var attacks = map[string]attack{
	"poison":   {"N seconds: fetches nothing of what it is lent, and says at once what -say names", true, poison},
	"hoard":    {"N seconds: takes every lease that it gets, and lets it lapse", true, hoard},
	"links":    {"N seconds: brings invented links to everybody", true, spam},
	"sybil":    {"gossips N records of members that do not exist", false, sybil},
	"abuse":    {"leaves N requests half sent, and sends what is no request", false, abuse},
	"flood":    {"N identities ask as fast as they can, for 20 seconds", false, flood},
	"conns":    {"N identities connect from one address", false, conns},
	"terms":    {"N seconds: of a line, says that it leads in a term far ahead", true, inLine(tellTerms)},
	"founding": {"N seconds: of a line, says that the shard was founded again much later", true, inLine(tellFounding)},
	"acks":     {"N seconds: of a line, acknowledges entries that do not exist", true, inLine(tellAcks)},
	"done": {"N seconds: of a line, tells all leaders that all pages were visited, in the year 2100", true,
		visited},
	"forget":  {"N seconds: of a line, acknowledges items and stores none", true, forget},
	"own":     {"N seconds: owns its share, takes in everything, keeps nothing and lends nothing", true, own},
	"claims":  {"N seconds: says that all keys are its own, under a late number", true, tellAll(claims)},
	"relayed": {"N seconds: says as a relay what other members never said", true, tellAll(relayed)},
	"hand":    {"N seconds: tells all shards of leases that were never granted", true, tellAll(hand)},
	"lead":    {"N seconds: says that it leads all shards, and drops what it is brought", true, tellAll(lead)},
	"lend":    {"N seconds: lends -domains to all members at once, with invented tasks", true, lend},
}

// options are what the command line says.
type options struct {
	network    string
	door       peer.AddrInfo
	attack     attack
	n          int
	listen     string
	identities int
	units      int
	say        string
	domains    []crawl.Domain
	victim     string
	gap        time.Duration
	real       bool
	home       string // where members keep what they must; "" is where temporary files are
	did        tally
}

const labPrefix = "lab-"

func parseOptions(args []string, out io.Writer) (*options, error) {
	o := new(options)
	flags := flag.NewFlagSet("adversary", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprintln(out, "adversary NETWORK MULTIADDR ATTACK [N] [flags]")
		for _, name := range slices.Sorted(maps.Keys(attacks)) {
			fmt.Fprintf(out, "  %-9s %s\n", name, attacks[name].help)
		}
		flags.PrintDefaults()
	}
	listen := os.Getenv("SECLISTEN")
	if listen == "" {
		listen = "/ip4/127.0.0.1/tcp/0"
	}
	flags.StringVar(&o.listen, "listen", listen,
		"where it listens, as a `MULTIADDR`; SECLISTEN in the environment says so, too")
	flags.IntVar(&o.identities, "identities", 1, "poison, hoard: how many members this process is")
	flags.IntVar(&o.units, "units", -1,
		"units that it owns: 0, 1, 2, 4 or 8 (default 1 if the attack is of a line or \"own\", else 0)")
	flags.StringVar(&o.say, "say", "links",
		"poison: links (fetched, with invented links), nolinks, gone (404), failed, or late (as links, of a lease "+
			"that it gave back)")
	domains := flags.String("domains", "", "lend, links: `NAMES` of sites, by commas (default: those that it hears of)")
	flags.StringVar(&o.victim, "victim", "", "sybil: an `IP` address that all invented members name beside their own")
	flags.DurationVar(&o.gap, "gap", time.Second, "the gap that it keeps as a leader where it does not lie about that")
	flags.BoolVar(&o.real, "real", false, "the times are not those of a lab")
	if len(args) < 3 {
		flags.Usage()
		return nil, flag.ErrHelp
	}
	rest := args[3:]
	if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		n, err := strconv.Atoi(rest[0])
		if err != nil || n < 0 {
			return nil, fmt.Errorf("the number is %q", rest[0])
		}
		o.n, rest = n, rest[1:]
	}
	if err := flags.Parse(rest); err != nil {
		return nil, err
	}
	for _, d := range strings.FieldsFunc(*domains, func(r rune) bool { return r == ',' }) {
		o.domains = append(o.domains, crawl.Domain(d))
	}
	door, err := peer.AddrInfoFromString(args[1])
	if err != nil {
		return nil, fmt.Errorf("read the address of a member: %w", err)
	}
	var known bool
	o.network, o.door = args[0], *door
	switch o.attack, known = attacks[args[2]]; {
	case !known:
		return nil, fmt.Errorf("there is no attack %q", args[2])
	case !strings.HasPrefix(o.network, labPrefix):
		return nil, fmt.Errorf("%q is no closed network of tests: the name of one begins with %q", o.network, labPrefix)
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case !slices.Contains(lies, o.say):
		return nil, fmt.Errorf("nothing is known to say by %q", o.say)
	}
	return o, nil
}

// run does what the command line says.
func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parseOptions(args, out)
	if err != nil {
		return err
	}
	began := time.Now()
	stop := every(ctx, 15*time.Second, func() {
		fmt.Fprintln(out, args[2], time.Since(began).Round(time.Second), o.did.String())
	})
	err = o.strike(ctx)
	stop()
	fmt.Fprintln(out, args[2], "over after", time.Since(began).Round(time.Millisecond), o.did.String())
	return err
}

// strike attacks until that is over, or ctx ends.
func (o *options) strike(ctx context.Context) error {
	if o.attack.timed {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(o.n)*time.Second)
		defer cancel()
	}
	if err := o.attack.run(ctx, o); ctx.Err() == nil {
		return err
	}
	return nil
}

// every calls do again and again until ctx ends or stop is called, which waits for the last call.
func every(ctx context.Context, pause time.Duration, do func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		timer := time.NewTicker(pause)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
				do()
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}
