package membership

import (
	"strings"
	"testing"
)

// "auto" is the same as nothing, and does not go with anything else.
func TestListenAddrs_Auto(t *testing.T) {
	const at = "/ip4/0.0.0.0/tcp/4001"
	for _, c := range []struct {
		list []string
		lab  bool
		want string
	}{
		{nil, false, ""}, {[]string{"auto"}, false, ""}, {[]string{at}, false, at}, {[]string{at}, true, at},
		{nil, true, "/ip4/127.0.0.1/tcp/77"}, {[]string{"auto"}, true, "/ip4/127.0.0.1/tcp/77"},
		{[]string{"auto", at}, false, "stands alone"}, {[]string{at, "auto"}, true, "stands alone"},
	} {
		addrs, err := listenAddrs(c.list, c.lab, 77)
		got := ""
		if len(addrs) > 0 {
			got = addrs[0].String()
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%v, lab %t: %q, want %q", c.list, c.lab, got, c.want)
		}
	}
}
