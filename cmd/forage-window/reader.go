package main

import (
	"context"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	// readerVariable set to "no" opens the window although a screen reader is on.
	readerVariable = "FORAGE_SCREEN_READER"
	// readerWait is how long the session bus has to answer.
	readerWait = time.Second
)

// errScreenReader is why whoever uses a screen reader is shown the dashboard.
const errScreenReader = noWindowError("a screen reader is on, and reads the dashboard better than the window")

// screenReader reports whether a screen reader is on in the user's session (AT-SPI). It could say nothing of the
// window, which tells it of no texts and no buttons. Nothing is started to find out.
func screenReader() bool {
	ctx, cancel := context.WithTimeout(context.Background(), readerWait)
	defer cancel()
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return false
	}
	defer bus.Close()
	var on dbus.Variant
	err = bus.Object("org.a11y.Bus", "/org/a11y/bus").CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get",
		dbus.FlagNoAutoStart, "org.a11y.Status", "ScreenReaderEnabled").Store(&on)
	is, _ := on.Value().(bool)
	return err == nil && is
}
