package sense

import (
	"bytes"
	"testing"
)

func FuzzProc(f *testing.F) {
	f.Add([]byte("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1\n"))
	f.Add([]byte(routesHead + route4("eth0", "00000000", "00000000", "0003", 100)))
	f.Add([]byte("00000000000000000000000000000000 00 00000000000000000000000000000000 00 " +
		"fe800000000000000000000000000001 00000400 00000001 00000000 00000003 wlan0\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := parseStat(b); err == nil {
			if share, ok := s.others(cpuTimes{}); ok && !(share >= 0 && share <= 1) {
				t.Errorf("share = %v of %+v", share, s)
			}
		}
		for _, r := range append(parseRoutes4(b), parseRoutes6(b)...) {
			if r.link == "" || bytes.ContainsAny([]byte(r.link), " \n") {
				t.Errorf("a route by %q", r.link)
			}
			linkKind("/nowhere", r.link)
		}
	})
}
