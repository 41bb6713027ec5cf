// Package sense tells what the user's computer is doing: whether somebody is at
// it, what it runs on, what its network costs, how busy other programs keep it.
//
// A [Hub] has one ladder of sources for each quantity (package ladder), which it builds for the operating system. On
// Linux sources ask the files of the kernel (machine), services on D-Bus (bus), a display (x11) and a compositor
// (wayland). A reading that nobody knows says why, source by source. This package judges nothing: it does not decide
// what an unknown reading counts as.
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
// Whatever answers on a bus or a display is another program, which may hang, lie or be made to hurt (package local):
// messages, strings and lists are bounded, each call has a deadline, signals only ever cause one more read after a
// pause, and text of others is stripped of control characters before anybody shows it. Nothing here can send a packet
// to a network.
package sense
