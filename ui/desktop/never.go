package desktop

import (
	"context"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/shown"
)

// never has a site never visited again, which can be undone for a while where it is said. after, if not nil, is
// called when the one or the other was done.
func (d *desk) never(domain string, after func()) {
	name := shown.Text(domain)
	d.changeNever(domain, false, after, func(c api.NeverChange) {
		if !c.Changed {
			d.say(d.T("neighbour.never.known", "domain", name), false)
			return
		}
		d.offer(d.T("never.done", "domain", name), d.T("never.undo"), func() { d.allow(domain, after) })
	})
}

// allow takes a site off the list of those never visited. Another entry may still keep it out.
func (d *desk) allow(domain string, after func()) {
	d.changeNever(domain, true, after, func(c api.NeverChange) {
		if c.Never {
			d.say(d.T("neighbour.never.still", "pattern", shown.Text(domain)), true)
			return
		}
		d.say(d.T("neighbour.never.undone", "pattern", shown.Text(domain)), false)
	})
}

// changeNever puts a site on the list of those never visited, or takes it off, and has told say what came of it.
func (d *desk) changeNever(domain string, undo bool, after func(), told func(api.NeverChange)) {
	ask(d, func(ctx context.Context) (api.NeverChange, error) { return d.node.Never(ctx, domain, undo) },
		func(c api.NeverChange, err error) {
			if err != nil {
				d.say(shown.Text(d.Trouble(err)), true)
				return
			}
			told(c)
			d.refresh()
			if after != nil {
				after()
			}
		})
}
