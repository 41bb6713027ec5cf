package surt

import (
	"testing"
)

func TestSURT(t *testing.T) {
	tests := []struct{ url, want string }{
		{"http://example.com/", "com,example)/"},
		{"https://example.com", "com,example)/"},
		{"HTTPS://WWW.Example.COM/Index.HTML#Top", "com,example)/index.html"},
		{"http://www2.example.co.uk/robots.txt", "uk,co,example)/robots.txt"},
		{"http://wwwexample.com/", "com,wwwexample)/"},
		{"http://www2.www2foo.com/", "com,www2foo)/"},
		{"http://www./", "www)/"},
		{"http://example.com:80/", "com,example)/"},
		{"https://example.com:443/", "com,example)/"},
		{"http://example.com:443/", "com,example:443)/"},
		{"https://example.com:8443/a", "com,example:8443)/a"},
		{"http://user:pass@example.com./big/", "com,example)/big"},
		{"http://example.com/?", "com,example)/"},
		{"http://example.com?x", "com,example)/?x"},
		{"http://example.com/goo/?a=2&b&a=1", "com,example)/goo?a=1&a=2&b"},
		{"http://example.com/?b=1&a.b=1&a=1&", "com,example)/?&a=1&a.b=1&b=1"},
		{"http://example.com/a?u=http://x/#y", "com,example)/a?u=http://x/"},
		{"http://192.0.2.1:8080/x", "1,2,0,192:8080)/x"},
		{"http://[2001:DB8::1]/x", "[2001:db8::1])/x"},
		{"http://[2001:db8::1]:81/x", "[2001:db8::1]:81)/x"},
		{"http://xn--bcher-kva.example/%C3%A9", "example,xn--bcher-kva)/%c3%a9"},
		{"dns:Example.com", "dns:example.com"},
		{"urn:x://y", "urn:x://y"},
		{"http://", ")/"},
		{"http://@:/", ")/"},
	}
	for _, tt := range tests {
		if got := string(Append(nil, tt.url)); got != tt.want {
			t.Errorf("SURT of %s is %s, want %s", tt.url, got, tt.want)
		}
	}
}
