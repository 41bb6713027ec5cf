package wacz

import "testing"

// What getSurt of warcio.js 2.4.11 makes of these URLs.
func TestAppendKey(t *testing.T) {
	for _, tt := range [][2]string{
		{"http://example.com/", "com,example)/"},
		{"https://example.com/dir/", "com,example)/dir/"},
		{"https://www.Example.com:8443/Dir/?b=2&a=1", "com,example:8443)/dir/?a=1&b=2"},
		{"http://www.example.com/", "com,example)/"},
		{"http://www2.example.com/", "com,example)/"},
		{"http://www27.example.com/a", "com,example)/a"},
		{"http://wwwx.example.com/", "com,example,wwwx)/"},
		{"http://www-2.example.com/", "com,example,www-2)/"},
		{"http://www.com/", "com)/"},
		{"http://a.www.example/", "example,www,a)/"},
		{"http://example.com/A%C3%A9", "com,example)/a%c3%a9"},
		{"http://example.com/?", "com,example)/"},
		{"http://example.com/a?x", "com,example)/a?x"},
		{"http://example.com/a?B=1&a=2&a.b=3", "com,example)/a?a.b=3&a=2&b=1"},
		{"http://example.com/a?b&&a=2", "com,example)/a?&a=2&b"},
		{"http://example.com/a?a=1?b=2", "com,example)/a?a=1?b=2"},
		{"http://example.com/a#b?c", "com,example)/a"},
		{"http://user:pw@example.com/", "com,example)/"},
		{"http://127.0.0.1:8080/x", "1,0,0,127:8080)/x"},
		{"http://[::1]:81/x", "[::1]:81)/x"},
		{"http://[::1]/x", "[::1])/x"},
		{"http://xn--bcher-kva.example/", "example,xn--bcher-kva)/"},
		{"dns:example.com", "dns:example.com"},
		{"ftp://www.example.com/A", "ftp://www.example.com/A"},
	} {
		if got := string(appendKey([]byte("|"), tt[0])); got != "|"+tt[1] {
			t.Errorf("appendKey(%s) = %s, want |%s", tt[0], got, tt[1])
		}
	}
}
