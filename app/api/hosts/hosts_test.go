package hosts

import (
	"crypto/tls"
	"net/http"
	"testing"
)

func TestGate_UsualPort(t *testing.T) {
	g := New("443", []string{"nas", "fd00::7"})
	for _, host := range []string{"nas", "nas:443", "[fd00::7]", "[fd00::7]:443"} {
		if !g.Knows(&http.Request{TLS: new(tls.ConnectionState)}, host) {
			t.Errorf("%s is not known at the usual port", host)
		}
	}
}

func TestGate_OwnNames(t *testing.T) {
	g := New("7707", nil)
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:7707": true, "localhost:80": true, "[::1]": true, "[::1]:1": true,
		"": false, "nas": false, "127.0.0.1:": false, "127.0.0.1:0": false, "127.0.0.1:070": false, "::1": false,
		"localhost.": false, "127.0.0.2": false,
	} {
		if got := g.Knows(new(http.Request), host); got != want {
			t.Errorf("%q is this computer: %v, want %v", host, got, want)
		}
	}
}
