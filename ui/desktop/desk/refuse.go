package desk

import (
	"context"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/shown"
)

// refuser keeps the list of the sites that are never visited.
type refuser interface {
	Never(ctx context.Context, text string, undo bool) (api.NeverChange, error)
}

// Never has a site never visited again, which can be undone for a while where it is said. after, if not nil, is
// called when the one or the other was done.
func (d *Desk) Never(node refuser, domain string, after func()) {
	name := shown.Text(domain)
	d.changeNever(node, domain, false, after, func(c api.NeverChange) {
		if !c.Changed {
			d.Say(d.T("neighbour.never.known", "domain", name), false)
			return
		}
		d.Offer(d.T("never.done", "domain", name), d.T("never.undo"), func() { d.Allow(node, domain, after) })
	})
}

// Allow takes a site off the list of those never visited. Another entry may still keep it out.
func (d *Desk) Allow(node refuser, domain string, after func()) {
	d.changeNever(node, domain, true, after, func(c api.NeverChange) {
		if c.Never {
			d.Say(d.T("neighbour.never.still", "pattern", shown.Text(domain)), true)
			return
		}
		d.Say(d.T("neighbour.never.undone", "pattern", shown.Text(domain)), false)
	})
}

// changeNever puts a site on the list of those never visited, or takes it off, and has told say what came of it.
func (d *Desk) changeNever(node refuser, domain string, undo bool, after func(), told func(api.NeverChange)) {
	Ask(d, func(ctx context.Context) (api.NeverChange, error) { return node.Never(ctx, domain, undo) },
		func(c api.NeverChange, err error) {
			if err != nil {
				d.Say(shown.Text(d.Trouble(err)), true)
				return
			}
			told(c)
			d.Refresh()
			if after != nil {
				after()
			}
		})
}
