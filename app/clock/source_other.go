//go:build !linux && !darwin && !windows

package clock

func system() Sources { return portable() }
