package tray

import (
	"context"
	"runtime"

	"fyne.io/systray"

	"github.com/forage-net/forage/assets/icons"
)

// show shows the icon until ctx ends. Its window belongs to one thread.
func (t *tray) show(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	quiet(t.Log)
	ctx, cancel := context.WithCancel(ctx)
	defer t.parts.Wait()
	defer cancel()
	systray.SetOnTapped(t.tap)
	systray.Run(func() {
		now := t.now()
		t.build(ctx, now)
		systray.SetIcon(icons.Tray(now.icon, runtime.GOOS))
		systray.SetTooltip(tip(now.tooltip))
		t.parts.Go(func() { t.listen(ctx) })
		t.parts.Go(func() {
			t.see(true)
			t.follow(ctx)
			systray.Quit()
		})
	}, nil)
	return nil
}
