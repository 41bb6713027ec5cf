//go:build linux || freebsd || openbsd || netbsd

package tray

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/assets/words"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
	notifyName  = "org.freedesktop.Notifications"
	notifyPath  = "/org/freedesktop/Notifications"
	// appName is the name of forage's desktop entry and icon.
	appName = "io.github.forage_net.forage"
	// askFor is how long the desktop may take to answer.
	askFor = 5 * time.Second
	// openNotices is how many notifications are remembered that could be clicked.
	openNotices = 16
)

// bus is a connection to the session bus beside that of the library: it tells whether there is a tray, and shows
// notifications.
type bus struct {
	conn    *dbus.Conn
	signals chan *dbus.Signal

	mu    sync.Mutex
	pages map[uint32]string // what a click on a notification opens
}

// dial connects to the bus at an address.
func dial(ctx context.Context, address string) (*bus, error) {
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("connect to the session bus: %w", err)
	}
	b := &bus{conn: conn, signals: make(chan *dbus.Signal, 32), pages: make(map[uint32]string)}
	conn.Signal(b.signals)
	for _, options := range [][]dbus.MatchOption{
		{dbus.WithMatchInterface("org.freedesktop.DBus"), dbus.WithMatchMember("NameOwnerChanged"),
			dbus.WithMatchArg(0, watcherName)},
		{dbus.WithMatchInterface(watcherName), dbus.WithMatchMember("StatusNotifierHostRegistered")},
		{dbus.WithMatchInterface(watcherName), dbus.WithMatchMember("StatusNotifierHostUnregistered")},
		{dbus.WithMatchInterface(notifyName), dbus.WithMatchMember("ActionInvoked")},
		{dbus.WithMatchInterface(notifyName), dbus.WithMatchMember("NotificationClosed")},
	} {
		if err := conn.AddMatchSignalContext(ctx, options...); err != nil {
			b.close()
			return nil, fmt.Errorf("listen to the session bus: %w", err)
		}
	}
	return b, nil
}

func (b *bus) close() { b.conn.Close() }

// hasHost reports whether something shows icons.
func (b *bus) hasHost(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	var is dbus.Variant
	call := b.conn.Object(watcherName, watcherPath).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0,
		watcherName, "IsStatusNotifierHostRegistered")
	if err := call.Store(&is); err != nil {
		return false
	}
	yes, _ := is.Value().(bool)
	return yes
}

// enrol registers the icon if it is not: the library misses a watcher that comes between its first try and its wait.
func (b *bus) enrol(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	item := fmt.Sprintf("org.kde.StatusNotifierItem-%d-1", os.Getpid()) // as the library calls it
	var owner string
	call := b.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, item)
	if err := call.Store(&owner); err != nil {
		return fmt.Errorf("look for the icon: %w", err)
	}
	watcher := b.conn.Object(watcherName, watcherPath)
	var known dbus.Variant
	call = watcher.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, watcherName,
		"RegisteredStatusNotifierItems")
	if err := call.Store(&known); err != nil {
		return fmt.Errorf("list the icons: %w", err)
	}
	list, is := known.Value().([]string)
	isOurs := func(entry string) bool {
		name, _, _ := strings.Cut(entry, "/")
		return name == owner || name == item
	}
	if !is || slices.ContainsFunc(list, isOurs) {
		return nil
	}
	if err := watcher.CallWithContext(ctx, watcherName+".RegisterStatusNotifierItem", 0, item).Err; err != nil {
		return fmt.Errorf("register the icon: %w", err)
	}
	return nil
}

// notify shows a notification. Desktops without them do nothing.
func (b *bus) notify(ctx context.Context, n notice, lang string, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	urgency := byte(1)
	if n.urgent {
		urgency = 2
	}
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant(appName), "urgency": dbus.MakeVariant(urgency)}
	actions := []string{"default", words.Text(lang, "tray.open", nil)}
	b.mu.Lock() // no click is looked at before it is known on what
	defer b.mu.Unlock()
	call := b.conn.Object(notifyName, notifyPath).CallWithContext(ctx, notifyName+".Notify", 0,
		name, uint32(0), appName, n.title, escapeMarkup(n.text), actions, hints, int32(-1))
	var id uint32
	if err := call.Store(&id); err != nil {
		log.Debug("Notification not shown", "title", n.title, "error", err)
		return
	}
	if len(b.pages) >= openNotices {
		clear(b.pages)
	}
	b.pages[id] = n.page
}

// clicked takes a signal about a notification and reports whether it was one. A click on ours is for open, with its
// page.
func (b *bus) clicked(s *dbus.Signal, open func(page string)) bool {
	switch s.Name {
	case notifyName + ".ActionInvoked", notifyName + ".NotificationClosed":
	default:
		return false
	}
	if len(s.Body) == 0 {
		return true
	}
	id, _ := s.Body[0].(uint32)
	b.mu.Lock()
	page, ours := b.pages[id]
	delete(b.pages, id)
	b.mu.Unlock()
	if ours && s.Name == notifyName+".ActionInvoked" {
		open(page)
	}
	return true
}
