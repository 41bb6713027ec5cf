package look

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

// NewPeers shows the other nodes. Only a node that runs knows them.
func NewPeers(e *env.Env) *cobra.Command {
	c := env.Command("peers", "the other nodes, and how they are reached", 0, 0)
	return env.Does(c, func(ctx context.Context, _ []string) error {
		return e.WithNode(func(node *client.Client) error {
			p, err := node.Peers(ctx)
			if err != nil {
				return err
			}
			return e.Show(p, func() error { return printPeers(e.Out, e.Lang, p) })
		})
	})
}

func printPeers(w io.Writer, lang language.Language, p api.Peers) error {
	fmt.Fprintln(w, lang.Text("peers.self", words.Args{"id": language.ShortID(p.ID), "share": lang.Percent(p.Share),
		"reach": p.Reachability}))
	if len(p.Peers) == 0 {
		key := "peers.none"
		if p.Alone {
			key = "peers.first"
		}
		fmt.Fprintln(w, lang.Text(key, nil))
		return nil
	}
	fmt.Fprintln(w)
	rows := [][]string{lang.Heading("peers", "peer", "state", "connection", "address", "units", "ring", "time",
		"ours", "theirs", "checks")}
	for _, x := range p.Peers {
		rows = append(rows, []string{
			language.ShortID(x.ID), lang.Term("swarm.state", x.State), lang.Term("swarm.how", x.Connection),
			console.Printable(x.Addr), lang.Number(x.Capacity),
			lang.Percent(x.Share), lang.Milliseconds(x.RTTMs), lang.Number(x.LeasesLent), lang.Number(x.LeasesHeld),
			checksText(lang, x),
		})
	}
	return console.Table(w, rows)
}

// checksText says how often the word of a peer was checked, and how it did.
func checksText(lang language.Language, x api.Peer) string {
	args := words.Args{"checks": x.Checks, "agreed": x.ChecksAgreed, "count": x.ChecksAlone, "outcomes": x.Outcomes}
	switch {
	case x.BarredUntil != nil:
		args["until"] = tell.Date(x.BarredUntil.Local(), string(lang))
		return lang.Text("peers.barred", args)
	case x.Outcomes == 0:
		return "-"
	case x.ChecksAlone > 0:
		return lang.Text("peers.alone", args)
	}
	return lang.Text("peers.checked", args)
}
