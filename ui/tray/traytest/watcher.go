//go:build unix

package traytest

import (
	"slices"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
)

// Watcher is where icons are registered (StatusNotifierWatcher), and the panel that shows them.
type Watcher struct {
	t     *testing.T
	conn  *dbus.Conn
	props *prop.Properties

	mu    sync.Mutex
	items []string
}

// NewWatcher starts one. host says whether there is a panel too.
func NewWatcher(t *testing.T, b *Bus, host bool) *Watcher {
	t.Helper()
	w := &Watcher{t: t, conn: b.Conn(t)}
	err := w.conn.ExportMethodTable(map[string]any{"RegisterStatusNotifierItem": w.register}, watcherPath, watcherName)
	if err == nil {
		w.props, err = prop.Export(w.conn, watcherPath, prop.Map{watcherName: {
			"IsStatusNotifierHostRegistered": {Value: host, Emit: prop.EmitTrue}, "ProtocolVersion": {Value: int32(0)},
		}})
	}
	if err == nil {
		_, err = w.conn.RequestName(watcherName, dbus.NameFlagDoNotQueue)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *Watcher) register(_ string, from dbus.Sender) *dbus.Error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.items = append(w.items, string(from))
	return nil
}

// Item waits for an icon to be registered and returns it. It returns the same one until there is another.
func (w *Watcher) Item() *Item {
	w.t.Helper()
	var dest string
	Until(w.t, "an icon", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		if n := len(w.items); n > 0 {
			dest = w.items[n-1]
		}
		return dest != ""
	})
	return &Item{t: w.t, conn: w.conn, dest: dest}
}

// Registered returns how often icons were registered.
func (w *Watcher) Registered() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(slices.Clone(w.items))
}

// SetHost has a panel come or go.
func (w *Watcher) SetHost(host bool) {
	w.t.Helper()
	w.props.SetMust(watcherName, "IsStatusNotifierHostRegistered", host)
	signal := "StatusNotifierHostUnregistered"
	if host {
		signal = "StatusNotifierHostRegistered"
	}
	if err := w.conn.Emit(watcherPath, watcherName+"."+signal); err != nil {
		w.t.Fatal(err)
	}
}

// Close ends it.
func (w *Watcher) Close() { w.conn.Close() }
