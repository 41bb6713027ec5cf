package settings

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
)

// maxChangesWaiting bounds how many changes wait for the one that is being made.
const maxChangesWaiting = 64

// change is one change of settings that waits for its turn: they are made one after the other, so that the last that
// was made is the one that stays.
type change struct {
	set   map[string]any
	reset []string
	then  func(error)
	// quiet changes are not told, and cannot be undone: they undo one.
	quiet bool
}

var errBusy = errors.New("too many changes wait already")

// save changes settings, all of them or none, and offers to undo it. then is called with what is wrong: it belongs
// where it was typed.
func (p *Page) save(c change) {
	if len(p.queue) >= maxChangesWaiting {
		c.then(errBusy)
		return
	}
	p.queue = append(p.queue, c)
	p.pump()
}

// saved is what came of a change, and all settings after it.
type saved struct {
	done api.SettingsChanged
	all  api.Settings
	// read is why all are not known.
	read error
}

// pump makes the next change.
func (p *Page) pump() {
	if p.saving || len(p.queue) == 0 {
		return
	}
	c := p.queue[0]
	p.queue = p.queue[1:]
	before := p.named(c)
	body, err := bodyOf(c, p.d.Lang)
	if err != nil {
		c.then(err)
		return
	}
	p.saving = true
	desk.Ask(p.d, func(ctx context.Context) (is saved, err error) {
		if is.done, err = p.node.ChangeSettings(ctx, body); err == nil {
			is.all, is.read = p.node.Settings(ctx, p.d.Lang)
		}
		return is, err
	}, func(is saved, err error) {
		p.saving = false
		c.then(err)
		if err == nil {
			p.sayDone(is.done, before, c.quiet)
			p.poll.Run(false) // an answer of before is on its way
			if is.read == nil {
				p.put(is.all) // known or not: what was saved is no draft any more
			}
			p.poll.Run(p.looked)
			p.d.Refresh()
		}
		p.pump()
	})
}

// bodyOf writes a change as the node reads it.
func bodyOf(c change, lang string) (api.SettingsChange, error) {
	body := api.SettingsChange{Set: map[string]json.RawMessage{}, Reset: c.reset, Lang: lang}
	for key, value := range c.set {
		raw, err := json.Marshal(value)
		if err != nil {
			return body, err
		}
		body.Set[key] = raw
	}
	return body, nil
}

// named returns the settings that a change is about, as they are now.
func (p *Page) named(c change) (list []api.Setting) {
	for _, s := range p.is.Settings {
		if _, ok := c.set[s.Key]; ok || slices.Contains(c.reset, s.Key) {
			list = append(list, s)
		}
	}
	return list
}

func (p *Page) sayDone(done api.SettingsChanged, before []api.Setting, quiet bool) {
	d := p.d
	switch {
	case done.Fault != "":
		d.Say(done.Fault, true)
		return
	case len(done.Changed) == 0:
		return
	case quiet:
		d.Say(d.T("set.undone"), false)
		return
	}
	text := d.N("set.saved.several", int64(len(done.Changed)))
	if len(done.Changed) == 1 {
		name := done.Changed[0]
		if s, ok := p.find(name); ok {
			name = s.Name
		}
		text = d.T("set.saved", "name", name)
	}
	if len(done.Restart) > 0 {
		text += " " + d.T("set.saved.restart")
	}
	before = slices.DeleteFunc(before, func(s api.Setting) bool { return !slices.Contains(done.Changed, s.Key) })
	d.Offer(text, d.T("set.undo"), func() { p.undo(before) })
}

// undo gives settings the values that they had.
func (p *Page) undo(before []api.Setting) {
	c := change{set: map[string]any{}, quiet: true, then: func(err error) {
		if err != nil {
			p.d.Say(p.d.Trouble(err), true)
		}
	}}
	for _, s := range before {
		if s.Set {
			c.set[s.Key] = sentValue(s)
		} else {
			c.reset = append(c.reset, s.Key)
		}
		if f := p.fields[s.Key]; f != nil {
			f.drop()
		}
	}
	p.save(c)
}

// sentValue is the value of a setting as it is sent.
func sentValue(s api.Setting) any {
	if s.Control == api.ControlList || s.Control == api.ControlTicks {
		return append([]string{}, listOf(s.Value)...)
	}
	return s.Text
}

// check has the node check a value without keeping it.
func (p *Page) check(key string, value any, then func(error)) {
	body, err := bodyOf(change{set: map[string]any{key: value}}, p.d.Lang)
	if err != nil {
		then(err)
		return
	}
	body.DryRun = true
	desk.Ask(p.d, func(ctx context.Context) (api.SettingsChanged, error) { return p.node.ChangeSettings(ctx, body) },
		func(_ api.SettingsChanged, err error) { then(err) })
}
