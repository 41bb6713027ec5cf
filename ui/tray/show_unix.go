//go:build linux || freebsd || openbsd || netbsd

package tray

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"fyne.io/systray"

	"github.com/forage-net/forage/assets/icons"
)

// name is what the icon is called among others.
const name = "forage"

// show shows the icon until ctx ends, on as many buses as come one after the other.
func (t *tray) show(ctx context.Context) error {
	address := busAddress(os.Getenv)
	if address == "" {
		return fmt.Errorf("show the tray icon: there is no session bus")
	}
	// What the library finds out for itself may be another one, or one that it starts.
	if err := os.Setenv("DBUS_SESSION_BUS_ADDRESS", address); err != nil {
		return fmt.Errorf("show the tray icon: %w", err)
	}
	quiet(t.Log)
	ctx, cancel := context.WithCancel(ctx)
	defer t.parts.Wait()
	defer cancel()
	now := t.now()
	systray.SetTitle(name)
	systray.SetOnTapped(t.tap)
	systray.SetIcon(icons.Tray(now.icon, runtime.GOOS))
	systray.SetTooltip(now.tooltip)
	t.build(ctx, now)
	start, end := systray.RunWithExternalLoop(nil, nil)
	defer end()
	t.parts.Go(func() { t.listen(ctx) })
	said := false
	for ctx.Err() == nil {
		if err := t.onBus(ctx, address, start, &said); err != nil && ctx.Err() == nil {
			t.none(&said, err.Error())
		}
		t.see(false)
		select {
		case <-ctx.Done():
		case <-time.After(t.again):
		}
	}
	return nil
}

// onBus shows the icon until ctx ends or the bus is gone.
func (t *tray) onBus(ctx context.Context, address string, start func(), said *bool) error {
	b, err := dial(ctx, address)
	if err != nil {
		return err
	}
	defer b.close()
	start()
	t.tell = func(n notice) { b.notify(ctx, n, t.Lang, t.Log) }
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer cancel()
		t.watch(ctx, b, said)
	}()
	t.ask() // what changed while there was no bus
	t.followSafely(ctx)
	cancel()
	<-done
	return nil
}

// watch tells whether there is a tray, and obeys clicks on notifications, until ctx ends or the bus is gone.
func (t *tray) watch(ctx context.Context, b *bus, said *bool) {
	open := func(page string) { t.parts.Go(func() { t.act(ctx, "open", t.open(page)) }) }
	seen := b.hasHost(ctx)
	t.see(seen)
	late := time.NewTimer(t.comes)
	defer late.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.conn.Context().Done():
			if !*said && ctx.Err() == nil {
				t.none(said, "the session bus has gone")
			}
			return
		case <-late.C:
			if !seen {
				t.none(said, "the desktop shows none")
				continue
			}
			if err := b.enrol(ctx); err != nil {
				t.Log.Debug("The icon may not be registered", "error", err)
			}
		case s := <-b.signals:
			if s == nil {
				continue // the connection is about to end
			}
			if b.clicked(s, open) {
				continue
			}
			if is := b.hasHost(ctx); is != seen {
				seen = is
				t.see(seen)
				late.Reset(t.comes)
			}
		}
	}
}

// followSafely is follow where the library may panic: it does when the bus goes away as the icon changes.
func (t *tray) followSafely(ctx context.Context) {
	defer func() {
		if why := recover(); why != nil {
			t.Log.Debug("The tray gave up", "why", why)
		}
	}()
	t.follow(ctx)
}

// none says, once, that there is nothing to be seen.
func (t *tray) none(said *bool, why string) {
	if !*said {
		*said = true
		t.Log.Info("No tray here: the app icon or \"forage\" opens the window", "why", why)
	}
}
