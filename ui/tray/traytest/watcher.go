//go:build unix

package traytest

import (
	"slices"
	"strings"
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
	deaf  bool
}

// NewWatcher starts one. host says whether there is a panel too.
func NewWatcher(t *testing.T, b *Bus, host bool) *Watcher {
	t.Helper()
	return newWatcher(t, b, host, false)
}

func newWatcher(t *testing.T, b *Bus, host, deaf bool) *Watcher {
	t.Helper()
	w := &Watcher{t: t, conn: b.Conn(t), deaf: deaf}
	err := w.conn.ExportMethodTable(map[string]any{"RegisterStatusNotifierItem": w.register}, watcherPath, watcherName)
	if err == nil {
		w.props, err = prop.Export(w.conn, watcherPath, prop.Map{watcherName: {
			"IsStatusNotifierHostRegistered": {Value: host, Emit: prop.EmitTrue}, "ProtocolVersion": {Value: int32(0)},
			"RegisteredStatusNotifierItems": {Value: []string{}},
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

// register takes an icon: the path of it at who asks, or the name of who has it. A watcher that is deaf takes none.
func (w *Watcher) register(service string, from dbus.Sender) *dbus.Error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.deaf {
		w.deaf = false
		return nil
	}
	if strings.HasPrefix(service, "/") {
		service = string(from)
	}
	w.items = append(w.items, service)
	w.props.SetMust(watcherName, "RegisteredStatusNotifierItems", slices.Clone(w.items))
	return nil
}

// NewDeafWatcher starts one that misses the first icon that comes.
func NewDeafWatcher(t *testing.T, b *Bus) *Watcher {
	t.Helper()
	return newWatcher(t, b, true, true)
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
