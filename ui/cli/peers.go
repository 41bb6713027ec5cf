package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/assets/words"
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
	return printPeers(e.out, e.lang, p)
}

func printPeers(w io.Writer, lang language, p api.Peers) error {
	fmt.Fprintln(w, lang.text("peers.self", words.Args{"id": shortID(p.ID), "share": lang.percent(p.Share), "reach": p.Reachability}))
	if len(p.Peers) == 0 {
		key := "peers.none"
		if p.Alone {
			key = "peers.first"
		}
		fmt.Fprintln(w, lang.text(key, nil))
		return nil
	}
	fmt.Fprintln(w)
	rows := [][]string{lang.heading("peers", "peer", "state", "connection", "address", "units", "ring", "time", "ours", "theirs", "checks")}
	for _, x := range p.Peers {
		rows = append(rows, []string{
			shortID(x.ID), lang.term("swarm.state", x.State), lang.term("swarm.how", x.Connection), printable(x.Addr), lang.number(x.Capacity),
			lang.percent(x.Share), lang.milliseconds(x.RTTMs), lang.number(x.LeasesLent), lang.number(x.LeasesHeld),
			checksText(lang, x),
		})
	}
	return table(w, rows)
}

// checksText says how often the word of a peer was checked, and how it did.
func checksText(lang language, x api.Peer) string {
	args := words.Args{"checks": x.Checks, "agreed": x.ChecksAgreed, "count": x.ChecksAlone, "outcomes": x.Outcomes}
	switch {
	case x.BarredUntil != nil:
		args["until"] = tell.Date(x.BarredUntil.Local(), tell.LangOf(string(lang)))
		return lang.text("peers.barred", args)
	case x.Outcomes == 0:
		return "-"
	case x.ChecksAlone > 0:
		return lang.text("peers.alone", args)
	}
	return lang.text("peers.checked", args)
}

// shortID is the end of a peer's ID: the beginnings are all alike.
func shortID(id string) string { return "…" + id[max(len(id)-6, 0):] }

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func runInvite(ctx context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags("invite"), args, 0, 0); err != nil {
		return done(err)
	}
	client, err := e.dial()
	if err != nil {
		return err
	}
	in, err := client.Invitation(ctx)
	if err != nil {
		return err
	}
	if in.Private { // beside the line, which may go into a file or another program
		fmt.Fprintln(e.err, e.lang.text("invite.private", nil))
	}
	return e.show(inviteAnswer{Invite: in.Invite}, func() { fmt.Fprintln(e.out, in.Invite) })
}

// runJoin writes what an invite says into the settings, and the secret of a private network into its file.
func runJoin(_ context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags("join"), args, 1, 1)
	if err != nil {
		return done(err)
	}
	line := rest[0]
	if line == "-" { // where other users of the computer see no arguments
		text, err := io.ReadAll(io.LimitReader(os.Stdin, maxInviteText))
		if err != nil {
			return fmt.Errorf("read the invite: %w", err)
		}
		line = string(text)
	}
	in, err := membership.ParseInvite(strings.TrimSpace(line))
	if err != nil {
		return usage("%v", err)
	}
	start := "forage run"
	if in.Lab {
		start = "forage run --lab"
	}
	if err := e.paths.Create(); err != nil {
		return err
	}
	if err := in.KeepSecret(e.paths); err != nil {
		return err
	}
	if err := config.WriteDefault(e.paths.Config); err != nil {
		return err
	}
	for _, door := range in.Doors {
		if err := config.AddItem(e.paths.Config, "net.bootstrap", door); err != nil {
			return err
		}
	}
	if err := config.Set(e.paths.Config, "net.private", map[bool]string{true: "yes", false: "no"}[in.Private]); err != nil {
		return err
	}
	if err := config.Set(e.paths.Config, "net.name", in.Network); err != nil {
		return err
	}
	key := "joined"
	if in.Private {
		key = "joined.private"
	}
	answer := joinAnswer{Network: in.Network, Lab: in.Lab, Private: in.Private, Bootstrap: append([]string{}, in.Doors...), Start: start}
	return e.show(answer, func() { e.tell(key, words.Args{"network": in.Network, "start": start}) })
}

// maxInviteText is the most that is read of an invite, in bytes.
const maxInviteText = 16 << 10
