// Package tray shows a node's icon in the notification area of the desktop, what can be done with a click there, and
// the few notifications that the user wants.
//
// It runs in the process of the node and asks it directly. Run does everything in goroutines of its own and waits
// for them; a desktop that hangs, goes away or was never there costs the node nothing. The node's journal wakes
// the tray, and a slow timer, because sentences speak of times; a node that rests wakes it twice a minute.
//
// Two files know the desktop: show_unix.go speaks to the one over D-Bus (StatusNotifierItem and com.canonical.dbusmenu,
// by fyne.io/systray, and org.freedesktop.Notifications), show_windows.go to that of Windows, where there are no
// notifications. macOS has no tray here: it would need CGO.
//
// fyne.io/systray keeps its state in package variables, so a process has one tray in its life, and two goroutines of
// it stay until the process ends if the bus hangs.
package tray
