//go:build unix

package traytest

import (
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

const (
	notifyName = "org.freedesktop.Notifications"
	notifyPath = "/org/freedesktop/Notifications"
)

// Notifications is the part of a desktop that shows them.
type Notifications struct {
	t    *testing.T
	conn *dbus.Conn

	mu  sync.Mutex
	all []Notification
}

// Notification is one that was shown.
type Notification struct {
	App, Icon, Title, Text string
	Actions                []string
	Urgency                byte
}

// NewNotifications starts showing notifications.
func NewNotifications(t *testing.T, b *Bus) *Notifications {
	t.Helper()
	n := &Notifications{t: t, conn: b.Conn(t)}
	err := n.conn.ExportMethodTable(map[string]any{"Notify": n.notify}, notifyPath, notifyName)
	if err == nil {
		_, err = n.conn.RequestName(notifyName, dbus.NameFlagDoNotQueue)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (n *Notifications) notify(app string, _ uint32, icon, title, text string, actions []string,
	hints map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	one := Notification{App: app, Icon: icon, Title: title, Text: text, Actions: actions}
	if v, ok := hints["urgency"]; ok {
		one.Urgency, _ = v.Value().(byte)
	}
	n.all = append(n.all, one)
	return uint32(len(n.all)), nil
}

// Wait waits until so many were shown and returns all.
func (n *Notifications) Wait(count int) []Notification {
	n.t.Helper()
	Until(n.t, "a notification", func() bool { return len(n.Shown()) >= count })
	return n.Shown()
}

// Shown returns all that were shown.
func (n *Notifications) Shown() []Notification {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]Notification(nil), n.all...)
}

// Click clicks the notification of that number, the first being 1.
func (n *Notifications) Click(number uint32) {
	n.t.Helper()
	if err := n.conn.Emit(notifyPath, notifyName+".ActionInvoked", number, "default"); err != nil {
		n.t.Fatal(err)
	}
}
