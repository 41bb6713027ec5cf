package sense

import (
	"context"
	"strings"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/app/sense/local"
)

// idleLockSources tell of programs that ask the system not to count as idle.
func idleLockSources(system *bus) []source[Inhibition] {
	s := logind(system)
	read := func(ctx context.Context) (Inhibition, error) {
		list, err := first[[][]any](s.call(ctx, "ListInhibitors"))
		if err != nil {
			return Inhibition{}, err
		}
		return idleLock(list), nil
	}
	return []source[Inhibition]{listening("logind", s, read, propertiesChanged)}
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
		for w := range strings.SplitSeq(what, ":") {
			if w == "idle" {
				return heldBy(f[1], f[2])
			}
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
func filmLockSources(session *bus) []source[Inhibition] {
	gnome := service{session, "org.gnome.SessionManager", "/org/gnome/SessionManager", "org.gnome.SessionManager"}
	const agent = "org.kde.Solid.PowerManagement.PolicyAgent"
	kde := service{session, agent, "/org/kde/Solid/PowerManagement/PolicyAgent", agent}
	const inhibit = "org.freedesktop.PowerManagement.Inhibit"
	other := service{session, "org.freedesktop.PowerManagement", "/org/freedesktop/PowerManagement/Inhibit", inhibit}
	return []source[Inhibition]{
		listening("SessionManager", gnome, gnome.gnomeLock, gnome.iface+".InhibitorAdded",
			gnome.iface+".InhibitorRemoved"),
		listening("PowerDevil", kde, kde.kdeLock, kde.iface+".InhibitionsChanged"),
		listening("PowerManagement", other, func(ctx context.Context) (Inhibition, error) {
			held, err := first[bool](other.call(ctx, "HasInhibit"))
			return Inhibition{Held: held}, err
		}, inhibit+".HasInhibitChanged"),
	}
}

// listening is a source that is read whenever a service tells of a change.
func listening[T any](name string, s service, read func(context.Context) (T, error), signals ...string) source[T] {
	return source[T]{name, func(ctx context.Context, report func(T)) error {
		hint, stop, err := s.listen(ctx, signals...)
		if err != nil {
			return err
		}
		defer stop()
		return poll(ctx, read, report, hint, each[T](backup))
	}}
}

// maxInhibitors bounds the programs that are asked for their name.
const maxInhibitors = 16

// gnomeLock asks for inhibitors of idleness.
func (s service) gnomeLock(ctx context.Context) (Inhibition, error) {
	const idle = 8
	held, err := first[bool](s.call(ctx, "IsInhibited", uint32(idle)))
	if err != nil || !held {
		return Inhibition{}, err
	}
	list, err := first[[]dbus.ObjectPath](s.call(ctx, "GetInhibitors"))
	if err != nil {
		return Inhibition{Held: true}, nil
	}
	for _, path := range list[:min(len(list), maxInhibitors)] {
		i := service{s.bus, s.name, path, "org.gnome.SessionManager.Inhibitor"}
		flags, err := first[uint32](i.call(ctx, "GetFlags"))
		if err != nil || flags&idle == 0 {
			continue
		}
		who, _ := first[string](i.call(ctx, "GetAppId"))
		why, _ := first[string](i.call(ctx, "GetReason"))
		return heldBy(who, why), nil
	}
	return Inhibition{Held: true}, nil
}

// kdeLock asks for inhibitors of changes to the screen.
func (s service) kdeLock(ctx context.Context) (Inhibition, error) {
	const screen = 4
	held, err := first[bool](s.call(ctx, "HasInhibition", uint32(screen)))
	if err != nil || !held {
		return Inhibition{}, err
	}
	list, err := first[[][]any](s.call(ctx, "ListInhibitions"))
	if err == nil && len(list) > 0 && len(list[0]) == 2 {
		return heldBy(list[0][0], list[0][1]), nil
	}
	return Inhibition{Held: true}, nil
}
