//go:build unix

package traytest

import (
	"errors"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

const (
	itemName = "org.kde.StatusNotifierItem"
	itemPath = "/StatusNotifierItem"
	menuName = "com.canonical.dbusmenu"
	menuPath = "/StatusNotifierItem/menu"
)

// Item is an icon, as a panel sees it.
type Item struct {
	t    *testing.T
	conn *dbus.Conn
	dest string
}

// Pixels are the icon's picture: rows of alpha, red, green and blue.
type Pixels struct {
	W, H int32
	ARGB []byte
}

// Icon returns the picture.
func (i *Item) Icon() Pixels {
	i.t.Helper()
	var all []Pixels
	i.get("IconPixmap", &all)
	if len(all) != 1 {
		i.t.Fatalf("%d pictures", len(all))
	}
	return all[0]
}

// Tooltip returns the text that is shown under the pointer.
func (i *Item) Tooltip() string {
	i.t.Helper()
	var tip struct {
		Name  string
		Icons []Pixels
		Title string
		Text  string
	}
	i.get("ToolTip", &tip)
	return tip.Title
}

// ID returns what the icon is called among others.
func (i *Item) ID() (id string) {
	i.t.Helper()
	i.get("Id", &id)
	return id
}

func (i *Item) get(name string, to any) {
	i.t.Helper()
	var v dbus.Variant
	err := i.conn.Object(i.dest, itemPath).Call("org.freedesktop.DBus.Properties.Get", 0, itemName, name).Store(&v)
	if err == nil {
		err = v.Store(to)
	}
	if err != nil {
		i.t.Fatalf("%s: %v", name, err)
	}
}

// Tap clicks the icon with the left button.
func (i *Item) Tap() {
	i.t.Helper()
	if err := i.conn.Object(i.dest, itemPath).Call(itemName+".Activate", 0, int32(1), int32(1)).Err; err != nil {
		i.t.Fatal(err)
	}
}

// Gone reports whether there is no such icon any more.
func (i *Item) Gone() bool {
	var has bool
	err := i.conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, i.dest).Store(&has)
	return err == nil && !has
}

// Entry is an entry of the menu that can be seen.
type Entry struct {
	ID       int32
	Label    string // "-" for a line between entries
	Enabled  bool
	Checked  bool
	Children []Entry
}

type layout struct {
	ID       int32
	Props    map[string]dbus.Variant
	Children []dbus.Variant
}

// Menu returns the entries that can be seen, and the number of changes so far.
func (i *Item) Menu() ([]Entry, uint32) {
	i.t.Helper()
	var revision uint32
	var root layout
	for range 2 { // the first time the library answers without submenus
		err := i.conn.Object(i.dest, menuPath).Call(menuName+".GetLayout", 0, int32(0), int32(-1),
			[]string{}).Store(&revision, &root)
		if err != nil {
			i.t.Fatalf("read the menu: %v", err)
		}
	}
	list, err := entries(root)
	if err != nil {
		i.t.Fatal(err)
	}
	return list, revision
}

func entries(of layout) (list []Entry, err error) {
	for _, v := range of.Children {
		var l layout
		if err := v.Store(&l); err != nil {
			return nil, err
		}
		visible, enabled := true, true
		var e Entry
		e.ID = l.ID
		for name, to := range map[string]any{"visible": &visible, "enabled": &enabled, "label": &e.Label} {
			if p, ok := l.Props[name]; ok {
				err = errors.Join(err, p.Store(to))
			}
		}
		if state, ok := l.Props["toggle-state"]; ok {
			e.Checked = state.Value() == int32(1)
		}
		if kind, ok := l.Props["type"]; ok && kind.Value() == "separator" {
			e.Label = "-"
		}
		e.Enabled = enabled
		var below error
		e.Children, below = entries(l)
		if err = errors.Join(err, below); err != nil {
			return nil, err
		}
		if visible {
			list = append(list, e)
		}
	}
	return list, nil
}

// Text writes the menu as lines: entries of a submenu stand behind "> ", those that do nothing in brackets.
func (i *Item) Text() string {
	i.t.Helper()
	list, _ := i.Menu()
	return text(list, "")
}

func text(list []Entry, indent string) string {
	var b strings.Builder
	for _, e := range list {
		line := e.Label
		if e.Checked {
			line += " ✓"
		}
		if !e.Enabled {
			line = "[" + line + "]"
		}
		b.WriteString(indent + line + "\n" + text(e.Children, "> "))
	}
	return b.String()
}

// Click clicks the entry of a label, which must be there.
func (i *Item) Click(label string) {
	i.t.Helper()
	list, _ := i.Menu()
	id, ok := find(list, label)
	if !ok {
		i.t.Fatalf("there is no %q in\n%s", label, text(list, ""))
	}
	err := i.conn.Object(i.dest, menuPath).Call(menuName+".Event", 0, id, "clicked", dbus.MakeVariant(""),
		uint32(0)).Err
	if err != nil {
		i.t.Fatal(err)
	}
}

func find(list []Entry, label string) (int32, bool) {
	for _, e := range list {
		if e.Label == label && e.Enabled && len(e.Children) == 0 {
			return e.ID, true
		}
		if id, ok := find(e.Children, label); ok {
			return id, true
		}
	}
	return 0, false
}
