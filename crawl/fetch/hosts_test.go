package fetch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl/fetch/guard"
)

func TestParseHosts(t *testing.T) {
	h, err := ParseHosts(strings.NewReader("\ufeff# the lab\n" +
		"127.0.0.1:8080 a.example B.Example # two\r\n" +
		"\n" +
		"10.0.0.7\tc.example\n" +
		"[::1]:81 six.example\n::1 six2.example\n[fd00::2] six3.example\n" +
		"10.0.0.7 c.example c.example\n" +
		"127.0.0.2 bücher.example dot.example.\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		port uint16
		want string
	}{
		{"a.example", 80, "127.0.0.1:8080"},
		{"b.example", 443, "127.0.0.1:8080"},
		{"c.example", 443, "10.0.0.7:443"},
		{"six.example", 80, "[::1]:81"},
		{"six2.example", 80, "[::1]:80"},
		{"six3.example", 80, "[fd00::2]:80"},
		{"xn--bcher-kva.example", 80, "127.0.0.2:80"},
		{"dot.example", 80, "127.0.0.2:80"},
	} {
		if got, ok := h.Lookup(c.name, c.port); !ok || got.String() != c.want {
			t.Errorf("Lookup(%s, %d) = %v, %v, want %s", c.name, c.port, got, ok, c.want)
		}
	}
	if got, ok := h.Lookup("d.example", 80); ok {
		t.Errorf("Lookup(d.example) = %v, want nothing", got)
	}
	if _, ok := (*Hosts)(nil).Lookup("a.example", 80); ok {
		t.Error("Lookup in no file found something")
	}
}

func TestParseHosts_Errors(t *testing.T) {
	many := new(strings.Builder)
	for i := range maxHostsNames + 1 {
		if i%20 == 0 {
			many.WriteString("\n::1")
		}
		fmt.Fprintf(many, " %x.a", i)
	}
	const wrongName = "line 1: host names should stand after the address, such as www.example.test"
	for _, c := range []struct{ in, want string }{
		{"secret-token-xyz", "line 1: the line should begin with ADDRESS or ADDRESS:PORT"},
		{"::1 secret:token", wrongName},
		{"127.0.0.1\n", wrongName},
		{"\n\nexample.com a.example", `line 3: the line should begin with ADDRESS or ADDRESS:PORT`},
		{"127.0.0.1:0 a.example", `line 1: the port should be from 1 to 65535`},
		{"127.0.0.1:99999 a.example", `line 1: the line should begin with ADDRESS or ADDRESS:PORT`},
		{"8.8.8.8 a.example", `line 1: the address is neither private nor loopback, which a lab requires`},
		{"fe80::1%eth0 a.example", `line 1: the address is a scoped address`},
		{"::ffff:127.0.0.1 a.example", `line 1: the address is an IPv4 address in IPv6 form`},
		{"::1 http://a.example", wrongName},
		{"::1 a.example:80", wrongName},
		{"::1 127.0.0.1", wrongName},
		{"::1 a..b", wrongName},
		{"::1 \x00", wrongName},
		{"::1 a.example\n::1 b.example\n127.0.0.1 a.example", `line 3: a name is on line 1 already, with another address`},
		{strings.Repeat("#", maxHostsFile+1), "hosts file is larger than 1048576 bytes"},
		{many.String(), "line 5002: more than 100000 names"},
	} {
		if _, err := ParseHosts(strings.NewReader(c.in)); err == nil || err.Error() != c.want {
			t.Errorf("ParseHosts(%.40q) error = %v, want %s", c.in, err, c.want)
		}
	}
}

func FuzzParseHosts(f *testing.F) {
	f.Add("127.0.0.1:8080 a.example b.example # x\n[::1]:80 c\n::1 d\n")
	f.Add("\ufeff10.0.0.1 a\r\n10.0.0.1 a\n")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := ParseHosts(strings.NewReader(text))
		if err != nil {
			return
		}
		for name := range h.names {
			a, ok := h.Lookup(name, 80)
			if !ok {
				t.Errorf("Lookup(%q) found nothing", name)
			}
			if err := (guard.Guard{World: Lab}).Check(a); err != nil {
				t.Errorf("Lookup(%q) = %v: %v", name, a, err)
			}
		}
	})
}
