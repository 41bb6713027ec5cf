// Package open brings a node before its user's eyes: it starts the node if none runs, raises or starts the window, and
// where no window can be shown it opens the dashboard in the browser.
//
// All programs are started detached: in a session of their own, without the terminal of who started them, so that they
// outlive it. What two starts at the same moment do is one after the other, by a lock on the state directory where the
// system has such locks; where it has none, the node's own lock and the one place that it has for a window come to the
// same.
//
// Nothing secret is in the arguments of a program.
package open
