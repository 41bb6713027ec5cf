package look

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

// domainPage is how many domains are asked for at a time.
const domainPage = 1000

// NewDomains returns "forage domains", which prints the domains that are looked after here.
func NewDomains(e *env.Env) *cobra.Command {
	c := env.Command("domains", "domains looked after here, and their next visits", 0, 0)
	return env.Does(c, func(ctx context.Context, _ []string) error {
		ctx = api.WithLang(ctx, e.Lang.Of())
		return e.Ask(ctx, func(s env.Source) error {
			all := []api.Domain{}
			for after := ""; ; {
				page, err := s.Domains(ctx, after, domainPage)
				if err != nil {
					return err
				}
				all = append(all, page...)
				if len(page) < domainPage {
					break
				}
				after = page[len(page)-1].Domain
			}
			if node, is := s.(*client.Client); is {
				others, err := node.Helping(ctx)
				if err != nil {
					return err
				}
				all = append(all, others...)
			}
			return e.Show(all, func() error { return printDomains(e.Out, e.Lang, all, time.Now()) })
		})
	})
}

func printDomains(w io.Writer, lang language.Language, domains []api.Domain, now time.Time) error {
	rows := [][]string{lang.Heading("domains", "domain", "fetched", "queued", "failed", "bytes", "next", "state")}
	for _, d := range domains {
		next := "-"
		if d.NextVisit != nil && d.NextVisit.After(now) {
			next = language.When(*d.NextVisit, now)
		} else if d.State == api.DomainRefused {
			next = lang.Text("domains.never", nil)
		} else if d.Queued > 0 {
			next = lang.Text("domains.now", nil)
		}
		rows = append(rows, []string{
			d.Domain, lang.Number(d.Fetched), lang.Number(d.Queued), lang.Number(d.Failed), lang.Bytes(d.Bytes),
			next, domainState(lang, d),
		})
	}
	return console.Table(w, rows)
}

// domainState says what becomes of a domain, and why.
func domainState(lang language.Language, d api.Domain) string {
	state := lang.Term("domains.state", d.State)
	if d.Owner != "" {
		state = lang.Text("domains.for", words.Args{"state": state, "peer": language.ShortID(d.Owner)})
	}
	state = language.Joined(state, console.Printable(d.Reason))
	if d.Distance != "" {
		state += " (" + console.Printable(d.Distance) + ")"
	}
	if d.Refusals+d.Challenges > 0 {
		state += " " + lang.Text("domains.refusals", words.Args{"refusals": d.Refusals, "challenges": d.Challenges})
	}
	return state
}
