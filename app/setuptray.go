package app

// What is known of the tray of the desktop.
const (
	trayUnknown = iota // nobody has looked
	traySeen
	trayMissing
)

// SetTray is told by whoever shows the node's icon in the tray whether it can be seen.
func (n *Node) SetTray(seen bool) {
	if seen {
		n.tray.Store(traySeen)
	} else {
		n.tray.Store(trayMissing)
	}
}

// tray adds whether there is an icon in the tray, if somebody has looked.
func (f *facts) tray(is int32) {
	switch is {
	case traySeen:
		f.add("tray", true, "tray", nil)
	case trayMissing:
		f.add("tray", false, "tray.none", nil)
	}
}
