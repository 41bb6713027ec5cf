// Package toml reads and changes a settings file that people write by hand.
//
// Parse knows where in the text each setting stands. Put, Without, WithItem and WithoutItems return the text
// with one change, and everything else in it, comments and layout included, as it was. Who writes such a text
// parses it first: what is laid out in an unusual way may not come out as it was meant.
//
// It takes the part of TOML that settings need: no texts over several lines, no headings in double brackets.
// Errors say where they are and what would be right; they never quote the file, which may hold secrets. What
// reading takes is bounded.
//
// The package knows no settings; package config does. A Document must not be changed; it is safe for concurrent use.
package toml
