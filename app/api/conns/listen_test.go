package conns

import (
	"net"
	"strings"
	"testing"
	"time"
)

func TestListen(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.com:0", "127.0.0.2:0",
		"127.0.0.1", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1", ""} {
		if ln, err := Listen(addr); err == nil {
			ln.Close()
			t.Errorf("Listen(%q) succeeded", addr)
		}
	}
	ln, err := Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	host, port, _ := net.SplitHostPort(ln.Addr().String())
	if host != "127.0.0.1" {
		t.Errorf("localhost is %s, want 127.0.0.1", host)
	}
	want := "port " + port + " is taken by another program; start with --api 127.0.0.1:0 to take any free port"
	if _, err := Listen("127.0.0.1:" + port); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Listen on a taken port = %v, want %s", err, want)
	}
}

func TestListenLAN(t *testing.T) {
	for _, addr := range []string{"", "127.0.0.1", "nas:0", ":0", "127.0.0.1:65536", "127.0.0.1:http",
		"203.0.113.254:0"} {
		if lns, err := ListenLAN(addr); err == nil {
			lns[0].Close()
			t.Errorf("ListenLAN(%q) succeeded", addr)
		}
	}
	for _, addr := range []string{"127.0.0.1:0", "localhost:0", "[::1]:0", "0.0.0.0:0", "[::]:0"} {
		lns, err := ListenLAN(addr)
		if err != nil || len(lns) != 1 {
			t.Fatalf("ListenLAN(%s) = %v, %v", addr, lns, err)
		}
		own := OwnAddr(lns[0])
		if !strings.HasPrefix(own, "127.0.0.1:") || lns[0].Addr().(*net.TCPAddr).IP.IsLoopback() {
			t.Errorf("ListenLAN(%s) is at %s, for us at %s", addr, lns[0].Addr(), own)
		}
		conn, err := net.DialTimeout("tcp", own, time.Minute)
		if err != nil {
			t.Errorf("ListenLAN(%s): %v", addr, err)
		} else {
			conn.Close()
		}
		lns[0].Close()
	}
	ln, err := Listen("[::1]:0")
	if err == nil { // there is no IPv6 everywhere
		if got := OwnAddr(ln); got != ln.Addr().String() {
			t.Errorf("OwnAddr = %s, want %s", got, ln.Addr())
		}
		ln.Close()
	}
}
