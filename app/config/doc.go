// Package config knows where a node keeps its files and what its user has set.
//
// # Settings
//
// Settings live in one TOML file that people edit: config.toml. Every setting
// is one row of a table (schema.go) that holds its name, type, default, range
// and meaning; loading, checking, the documentation (Keys) and the file
// written at first start (WriteDefault) all read that table, so they cannot
// disagree. A file may set any subset; what it leaves out has its default.
//
// Load reports everything that is wrong with a file at once, each with its
// line and what would be right. Nothing unknown is passed over in silence: a
// limit that was misspelled would be a limit that does not hold.
//
// Set changes the bytes of one value and leaves the rest of the file as it
// was, comments and layout included: package toml reads and changes the text.
//
// # Sizes
//
// A size is a number and a unit: "500 MB", "1.5 GiB", or plain bytes. kB, MB,
// GB and TB are powers of 1000; KiB, MiB, GiB and TiB are powers of 1024.
//
// # Places
//
// Resolve finds the directories of a node: all in one place with --home or
// FORAGE_HOME, else where the operating system wants them.
//
// The package keeps no state. Functions that write a file must not run at the
// same time for the same file.
package config
