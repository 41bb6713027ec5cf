package settings

import (
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"github.com/forage-net/forage/ui/desktop/desktest"
)

// office is the page of settings in a window, with a node that keeps them.
type office struct {
	*desktest.Bench
	k   *desktest.Keeper
	p   *Page
	win fyne.Window
}

func newOffice(t *testing.T, lang, theme string, w, h float32) *office {
	t.Helper()
	o := &office{Bench: desktest.NewBench(t, lang, theme)}
	o.Now = desktest.AtNoon
	o.k = desktest.NewKeeper(t, o.Bench.Node)
	o.p = New(o.Desk, o.k)
	o.p.after = func(_ time.Duration, fn func()) { o.UI(fn) } // when the test looks again
	o.win = desktest.NewPageWindow(t, o.p, w, h)
	o.p.Shown(true)
	t.Cleanup(func() { o.p.Shown(false) })
	o.Until(t, "the settings", func() bool { return o.p.have && len(o.p.choices) > 0 })
	desktest.Settle(o.win)
	return o
}

// field returns a field by its key.
func (o *office) field(t *testing.T, key string) *settingField {
	t.Helper()
	f := o.p.fields[key]
	if f == nil {
		t.Fatalf("%s is not on the page", key)
	}
	return f
}

// sent returns what the node was told of a key, in order.
func (o *office) sent(key string) (list []string) {
	o.k.Mu.Lock()
	defer o.k.Mu.Unlock()
	for _, c := range o.k.Changes {
		if raw, ok := c.Set[key]; ok {
			list = append(list, string(raw))
		}
		if slices.Contains(c.Reset, key) {
			list = append(list, "reset")
		}
	}
	return list
}
