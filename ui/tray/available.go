package tray

import (
	"os"
	"path/filepath"
)

// Available reports whether there may be a tray here, and if not, why, in a few words for the log.
func Available(goos string, env func(string) string) (ok bool, why string) {
	switch goos {
	case "windows":
		return true, ""
	case "linux", "freebsd", "openbsd", "netbsd":
		if busAddress(env) == "" {
			return false, "there is no session bus"
		}
		return true, ""
	}
	return false, "this build has none for " + goos
}

// busAddress returns where the session bus is, "" if there is none. Nothing is started: the library that speaks to the
// bus would start one of its own, which nobody else uses and nobody ends.
func busAddress(env func(string) string) string {
	if address := env("DBUS_SESSION_BUS_ADDRESS"); address != "" && address != "autolaunch:" {
		return address
	}
	dir := env("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(dir) {
		return ""
	}
	path := filepath.Join(dir, "bus")
	if info, err := os.Stat(path); err != nil || info.Mode().Type() != os.ModeSocket {
		return ""
	}
	return "unix:path=" + escapeBusPath(path)
}

// escapeBusPath writes a path as addresses of buses have it.
func escapeBusPath(path string) string {
	const hex = "0123456789abcdef"
	var out []byte
	for i := range len(path) {
		c := path[i]
		if c == '/' || c == '-' || c == '_' || c == '.' || c == '\\' || c == '*' || '0' <= c && c <= '9' ||
			'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			out = append(out, c)
			continue
		}
		out = append(out, '%', hex[c>>4], hex[c&15])
	}
	return string(out)
}
