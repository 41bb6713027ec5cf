package sense

import (
	"context"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/app/sense/bus"
	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/app/sense/local"
)

// logindLock asks for programs that ask the system not to count as idle.
func logindLock(ctx context.Context, s bus.Service) (Inhibition, error) {
	list, err := bus.Call[[][]any](ctx, s, "ListInhibitors")
	if err != nil {
		return Inhibition{}, err
	}
	return idleLock(list), nil
}

// idleLock finds the first lock on idleness in logind's list of what, who, why, mode, user and process.
func idleLock(list [][]any) Inhibition {
	for _, f := range list {
		if len(f) < 4 {
			continue
		}
		what, _ := f[0].(string)
		mode, _ := f[3].(string)
		if mode != "block" && mode != "block-weak" {
			continue
		}
		if slices.Contains(strings.Split(what, ":"), "idle") {
			return heldBy(f[1], f[2])
		}
	}
	return Inhibition{}
}

func heldBy(who, why any) Inhibition {
	a, _ := who.(string)
	b, _ := why.(string)
	if b != "" {
		a += ": " + b
	}
	return Inhibition{Held: true, By: local.Clean(a, local.MaxText)}
}

// filmLockSources tell of programs that ask the desktop to keep the screen on.
func filmLockSources(session *bus.Bus) []ladder.Source[Inhibition] {
	gnome := session.Service("org.gnome.SessionManager", "/org/gnome/SessionManager", "org.gnome.SessionManager")
	const agent = "org.kde.Solid.PowerManagement.PolicyAgent"
	kde := session.Service(agent, "/org/kde/Solid/PowerManagement/PolicyAgent", agent)
	const inhibit = "org.freedesktop.PowerManagement.Inhibit"
	other := session.Service("org.freedesktop.PowerManagement", "/org/freedesktop/PowerManagement/Inhibit", inhibit)
	return []ladder.Source[Inhibition]{
		listening("SessionManager", gnome, gnomeLock, "InhibitorAdded", "InhibitorRemoved"),
		listening("PowerDevil", kde, kdeLock, "InhibitionsChanged"),
		listening("PowerManagement", other, func(ctx context.Context, s bus.Service) (Inhibition, error) {
			held, err := bus.Call[bool](ctx, s, "HasInhibit")
			return Inhibition{Held: held}, err
		}, "HasInhibitChanged"),
	}
}

// listening is a source that is read whenever a service tells of a change: by these signals, or else as it does of all
// its properties.
func listening[T any](
	name string, s bus.Service, read func(context.Context, bus.Service) (T, error), signals ...string,
) ladder.Source[T] {
	if len(signals) == 0 {
		signals = []string{bus.PropertiesChanged}
	}
	return ladder.Source[T]{Name: name, Run: func(ctx context.Context, report func(T)) error {
		hint, stop, err := s.Listen(ctx, signals...)
		if err != nil {
			return err
		}
		defer stop()
		now := func(ctx context.Context) (T, error) { return read(ctx, s) }
		return ladder.Poll(ctx, now, report, hint, ladder.Each[T](backup))
	}}
}

// maxInhibitors bounds the programs that are asked for their name.
const maxInhibitors = 16

// gnomeLock asks for inhibitors of idleness.
func gnomeLock(ctx context.Context, s bus.Service) (Inhibition, error) {
	const idle = 8
	held, err := bus.Call[bool](ctx, s, "IsInhibited", uint32(idle))
	if err != nil || !held {
		return Inhibition{}, err
	}
	list, _ := bus.Call[[]dbus.ObjectPath](ctx, s, "GetInhibitors")
	for _, path := range list[:min(len(list), maxInhibitors)] {
		i := s.At(path, "org.gnome.SessionManager.Inhibitor")
		if flags, _ := bus.Call[uint32](ctx, i, "GetFlags"); flags&idle == 0 {
			continue
		}
		who, _ := bus.Call[string](ctx, i, "GetAppId")
		why, _ := bus.Call[string](ctx, i, "GetReason")
		return heldBy(who, why), nil
	}
	return Inhibition{Held: true}, nil
}

// kdeLock asks for inhibitors of changes to the screen.
func kdeLock(ctx context.Context, s bus.Service) (Inhibition, error) {
	const screen = 4
	held, err := bus.Call[bool](ctx, s, "HasInhibition", uint32(screen))
	if err != nil || !held {
		return Inhibition{}, err
	}
	list, _ := bus.Call[[][]any](ctx, s, "ListInhibitions")
	if len(list) > 0 && len(list[0]) == 2 {
		return heldBy(list[0][0], list[0][1]), nil
	}
	return Inhibition{Held: true}, nil
}
