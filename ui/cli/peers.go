package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
)

// askPeers asks the node that runs here for the others. Only one that runs knows
// them.
func (e *env) askPeers(ctx context.Context, verb string, args []string) (api.Peers, error) {
	if _, err := e.parse(e.flags(verb), args, 0, 0); err != nil {
		return api.Peers{}, err
	}
	client, err := e.dial()
	if err != nil {
		return api.Peers{}, err
	}
	return client.Peers(ctx)
}

// runPeers shows the other nodes.
func runPeers(ctx context.Context, e *env, args []string) error {
	p, err := e.askPeers(ctx, "peers", args)
	if err != nil {
		return done(err)
	}
	if e.json {
		return printJSON(e.out, p)
	}
	return printPeers(e.out, p)
}

func printPeers(w io.Writer, p api.Peers) error {
	fmt.Fprintf(w, "This node is %s and owns %s of the ring. %s\n", shortID(p.ID), percent(p.Share), p.Reachability)
	if len(p.Peers) == 0 {
		if p.Alone {
			fmt.Fprintln(w, "You are the first here. \"forage invite\" prints a line that brings others.")
		} else {
			fmt.Fprintln(w, "No other node is known yet; the search goes on.")
		}
		return nil
	}
	fmt.Fprintln(w)
	rows := [][]string{{"PEER", "STATE", "CONNECTION", "ADDRESS", "UNITS", "RING", "TIME", "WORKS FOR US", "WE WORK FOR IT"}}
	for _, x := range p.Peers {
		rtt := "-"
		if x.RTTMs > 0 {
			rtt = fmt.Sprintf("%.1f ms", x.RTTMs)
		}
		rows = append(rows, []string{
			shortID(x.ID), x.State, x.Connection, printable(x.Addr), number(x.Capacity), percent(x.Share), rtt, number(x.LeasesLent), number(x.LeasesHeld),
		})
	}
	return table(w, rows)
}

// shortID is the end of a peer's ID: the beginnings are all alike.
func shortID(id string) string { return "…" + id[max(len(id)-6, 0):] }

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func runInvite(ctx context.Context, e *env, args []string) error {
	p, err := e.askPeers(ctx, "invite", args)
	if err != nil {
		return done(err)
	}
	if e.json {
		return printJSON(e.out, inviteAnswer{Invite: p.Invite})
	}
	if p.Invite == "" {
		return errors.New("this node has no address that others could reach; \"forage peers\" tells more")
	}
	fmt.Fprintln(e.out, p.Invite)
	return nil
}

// runJoin writes what an invite says into the settings.
func runJoin(_ context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags("join"), args, 1, 1)
	if err != nil {
		return done(err)
	}
	network, lab, doors, err := app.ParseInvite(strings.TrimSpace(rest[0]))
	if err != nil {
		return usage("%v", err)
	}
	start := "forage run"
	if lab {
		start = "forage run --lab"
	}
	if err := e.paths.Create(); err != nil {
		return err
	}
	if err := config.WriteDefault(e.paths.Config); err != nil {
		return err
	}
	for _, door := range doors {
		if err := config.AddItem(e.paths.Config, "net.bootstrap", door); err != nil {
			return err
		}
	}
	if err := config.Set(e.paths.Config, "net.name", network); err != nil {
		return err
	}
	answer := joinAnswer{Network: network, Lab: lab, Bootstrap: append([]string{}, doors...), Start: start}
	return e.show(answer, func() {
		fmt.Fprintf(e.out, "This computer will join the network %q at its next start: \"%s\".\n", network, start)
	})
}
