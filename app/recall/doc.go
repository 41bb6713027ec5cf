// Package recall reads and writes notes in which the makers of the program ask versions of it to pause their requests
// to sites: a fault that harms sites can be stopped before everybody has a newer version.
//
// A note says below which version, why in a few fixed words (text of a stranger is never shown), when it was made and
// until when it counts, and is signed with a release key. It is one line, which travels between nodes as it is
// (app/recaller) and lies in a file. The later note replaces the earlier; one without a version takes an earlier one
// back. Nothing else can be asked by a note, and the user may overrule it (the setting pause.recall).
//
// All functions are pure. docs/recall.md says how a note is made.
package recall
