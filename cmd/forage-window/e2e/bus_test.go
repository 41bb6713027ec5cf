//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// trayIcon is the icon of a node, as panels see it on the session bus.
type trayIcon struct {
	t    *testing.T
	bus  *dbus.Conn
	item dbus.BusObject
	menu dbus.BusObject
}

// bus connects to the session bus of the desktop.
func (d *display) bus(t *testing.T) *dbus.Conn {
	t.Helper()
	bus, err := dbus.Connect("unix:path=" + d.dir + "/bus")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bus.Close() })
	return bus
}

// icon waits for the tray icon of the lab's node.
func (l *lab) icon() *trayIcon {
	l.t.Helper()
	i := &trayIcon{t: l.t, bus: l.bus(l.t)}
	watcher := i.bus.Object("org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher")
	await(l.t, "the panel knows the icon", func() bool {
		items, err := watcher.GetProperty("org.kde.StatusNotifierWatcher.RegisteredStatusNotifierItems")
		if err != nil {
			return false
		}
		list, _ := items.Value().([]string)
		for _, entry := range list {
			name, path, _ := strings.Cut(entry, "/")
			var pid uint32
			err := i.bus.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, name).Store(&pid)
			if err == nil && int(pid) == l.node.cmd.Process.Pid {
				i.item = i.bus.Object(name, dbus.ObjectPath("/"+path))
				return true
			}
		}
		return false
	})
	menu, err := i.item.GetProperty("org.kde.StatusNotifierItem.Menu")
	if err != nil {
		l.t.Fatal(err)
	}
	path, _ := menu.Value().(dbus.ObjectPath)
	i.menu = i.bus.Object(i.item.Destination(), path)
	return i
}

// layout is an entry of a menu, with those below it, as com.canonical.dbusmenu sends it.
type layout struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

func (e layout) label() string {
	text, _ := e.Properties["label"].Value().(string)
	return text
}

func (e layout) visible() bool {
	v, ok := e.Properties["visible"]
	on, _ := v.Value().(bool)
	return !ok || on
}

// entries lists the entries of the menu, those of menus below too.
func (i *trayIcon) entries() []layout {
	i.t.Helper()
	var revision uint32
	var root layout
	if err := i.menu.Call("com.canonical.dbusmenu.GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &root); err != nil {
		i.t.Fatal(err)
	}
	return flatten(i.t, root)
}

func flatten(t *testing.T, e layout) []layout {
	all := []layout{e}
	for _, child := range e.Children {
		var c layout
		if err := dbus.Store([]any{child.Value()}, &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, flatten(t, c)...)
	}
	return all
}

// click clicks on the entry with a label.
func (i *trayIcon) click(label string) {
	i.t.Helper()
	var seen []string
	for _, e := range i.entries() {
		if e.visible() && e.label() == label {
			if err := i.menu.Call("com.canonical.dbusmenu.Event", 0, e.ID, "clicked", dbus.MakeVariant(""), uint32(0)).Err; err != nil {
				i.t.Fatal(err)
			}
			return
		}
		seen = append(seen, fmt.Sprintf("%q", e.label()))
	}
	i.t.Fatalf("the menu has no %q, only %s", label, strings.Join(seen, ", "))
}

// says reports whether an entry that can be seen has a text in it.
func (i *trayIcon) says(text string) bool {
	for _, e := range i.entries() {
		if e.visible() && strings.Contains(e.label(), text) {
			return true
		}
	}
	return false
}
