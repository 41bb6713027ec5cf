// Package sense tells what the user's computer is doing: whether somebody is at
// it, what it runs on, what its network costs, how busy other programs keep it.
//
// A [Hub] has one ladder for each quantity: an ordered list of sources, the best first.
// The first that answers is read; when it dies, the next one takes over, and it is tried again
// from time to time. If none answers, the reading is not known, and says why, source by
// source. This package judges nothing: it does not decide what an unknown reading
// counts as.
//
// # Cost
//
// Sources listen where the system tells of changes (signals on D-Bus, events of a
// display, route and uevent sockets of the kernel) and then poll slowly, only so
// that a lost signal is made up for. Nothing here writes to a disk, reads a device that
// sleeps, starts a service on a bus, or keeps the computer awake.
//
// # Trust
//
// Whatever answers on a bus or a display is another program, which may hang, lie or be
// made to hurt: messages, strings and lists are bounded, each call has a deadline,
// signals only ever cause one more read after a pause, and text of others is
// stripped of control characters before anybody shows it. Sockets are of the local kind: nothing
// here can send a packet to a network.
package sense
