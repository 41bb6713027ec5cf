package x11

import (
	"encoding/binary"
	"path/filepath"
	"strconv"

	"github.com/forage-net/forage/app/sense/local"
)

const authName = "MIT-MAGIC-COOKIE-1"

// cookie returns the key to a display, nil if there is none.
func cookie(host local.Host, display int) []byte {
	name := host.Getenv("XAUTHORITY")
	if name == "" {
		home := host.Getenv("HOME")
		if home == "" {
			return nil
		}
		name = filepath.Join(home, ".Xauthority")
	}
	b, err := host.ReadFile(name)
	if err != nil {
		return nil
	}
	return findCookie(b, display)
}

// findCookie reads a file of keys: one of this computer is better than one of another.
func findCookie(b []byte, display int) (cookie []byte) {
	const local, wild = 256, 65535
	next := func() (s []byte, ok bool) {
		if len(b) < 2 {
			return nil, false
		}
		n := int(binary.BigEndian.Uint16(b))
		if n > len(b)-2 {
			return nil, false
		}
		s, b = b[2:2+n], b[2+n:]
		return s, true
	}
	for len(b) >= 2 {
		family := binary.BigEndian.Uint16(b)
		b = b[2:]
		var f [4][]byte // address, number, name, data
		for i := range f {
			var ok bool
			if f[i], ok = next(); !ok {
				return cookie
			}
		}
		if string(f[2]) != authName || len(f[3]) == 0 || len(f[3]) > 255 ||
			len(f[1]) > 0 && string(f[1]) != strconv.Itoa(display) {
			continue
		}
		if family == local || family == wild {
			return f[3]
		}
		if cookie == nil {
			cookie = f[3]
		}
	}
	return cookie
}
