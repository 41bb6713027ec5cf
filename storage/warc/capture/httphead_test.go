package capture

import (
	"strings"
	"testing"
)

func TestMediaType(t *testing.T) {
	for in, want := range map[string]string{
		"text/html": "text/html", " Text/HTML ; charset=utf-8": "text/html", "": "unk", "a b": "unk",
		"x\"y": "unk", "application/xhtml+xml": "application/xhtml+xml", strings.Repeat("x", 200): "unk",
	} {
		if got := MediaType(in); got != want {
			t.Errorf("MediaType(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestParseHead(t *testing.T) {
	tests := []struct {
		in   string
		want httpHead
	}{
		{"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n\r\nbody", httpHead{38, 200, " a/b"}},
		{"HTTP/1.0 404\nCONTENT-TYPE:x\ncontent-type:y\n\nbody\r\n\r\n", httpHead{44, 404, "x"}},
		{"HTTP/1.1 200 OK\r\nX: y", httpHead{21, 200, ""}},
		{"HTTP/1.1 20x\r\n\r\n", httpHead{16, 0, ""}},
		{"HTTP/1.1\r\n\r\n", httpHead{12, 0, ""}},
		{"garbage", httpHead{7, 0, ""}},
		{"", httpHead{}},
	}
	for _, tt := range tests {
		if got := parseHead([]byte(tt.in)); got != tt.want {
			t.Errorf("parseHead(%q) = %+v, want %+v", tt.in, got, tt.want)
		}
	}
}
