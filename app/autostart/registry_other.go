//go:build !windows

package autostart

// systemRegistry returns nil: there is none.
func systemRegistry() Registry { return nil }
