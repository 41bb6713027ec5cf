package local

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

func TestDial_OpensNoSocketOfANetwork(t *testing.T) {
	for _, name := range []string{"", "/nowhere/x", strings.Repeat("x", 200), "@nobody listens here"} {
		if c, err := Dial(t.Context(), name); err == nil {
			c.Close()
			t.Errorf("Dial(%q) connects", name)
		}
	}
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := fmt.Sprint(c.RemoteAddr().Network()); got != "unix" {
		t.Errorf("it is a socket of %s", got)
	}
}
