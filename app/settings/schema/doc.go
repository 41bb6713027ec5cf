// Package schema says of settings all that front ends draw: their order, groups and cards, with what control each is
// changed, its units, its value in words, and what is asked on the first run. It reads a configuration and nothing
// else, and is the one place that knows how settings are shown. It may be called from any goroutine.
package schema
