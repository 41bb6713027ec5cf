// Package autostart has the system start a node: with the user's session, or as a service that the
// system keeps running.
//
// On Linux that is a file in the autostart directory of the desktop (XDG Autostart), or a user
// unit of systemd; on macOS a LaunchAgent; on Windows a value of the registry's Run key. Each is for this
// user alone and needs no other rights. What is written says that it is ours, by a marker; what has
// none is never replaced or removed. Files are there in full or not at all.
//
// Every system's texts are made by functions that run on all of them, so that
// they are tested everywhere. No program is run and no service manager is spoken to: what is written counts from the
// next login on.
package autostart
