package content

import (
	"net/http"
	"testing"
)

func TestContentType(t *testing.T) {
	for _, c := range []struct {
		values             []string
		mediaType, charset string
	}{
		{[]string{"text/html"}, "text/html", ""},
		{[]string{"TEXT/HTML ; Charset = \"UTF-8\""}, "text/html", ""}, // no blank may stand before "="
		{[]string{"TEXT/HTML ;\tCharset=\"UTF-8\" ; charset=koi8-r"}, "text/html", "UTF-8"},
		{[]string{"text/html;"}, "text/html", ""},
		{[]string{"text/html;;x=y; charset= windows-1251 "}, "text/html", "windows-1251"},
		{[]string{"text/html, text/html; charset=utf-8"}, "text/html", "utf-8"},
		{[]string{"text/html; charset=koi8-r, text/html"}, "text/html", "koi8-r"},
		{[]string{"text/html; charset=koi8-r, text/plain"}, "text/plain", ""},
		{[]string{"text/html; charset=koi8-r", "text/html; charset=big5"}, "text/html", "big5"},
		{[]string{"text/plain", "text/html"}, "text/html", ""},
		{[]string{"text/html", "text/plain"}, "text/plain", ""},
		{[]string{"text/html, */*", "html", ""}, "text/html", ""},
		{[]string{`text/html; x="a,text/plain"; charset=big5`}, "text/html", "big5"},
		{[]string{`text/html; x="a\",text/plain;"; charset=big5`}, "text/html", "big5"},
		{[]string{"unknown/unknown; charset=big5"}, "", "big5"},
		{[]string{"text/html, application/unknown"}, "", ""},
		{[]string{"*/*"}, "", ""},
		{[]string{"*/*; charset=big5"}, "", ""},
		{[]string{"html"}, "", ""},
		{[]string{"text/"}, "", ""},
		{[]string{"/html"}, "", ""},
		{[]string{"text html"}, "", ""},
		{[]string{"text/html charset=utf-8"}, "", ""},
		{[]string{"text/html\u00a0; charset=utf-8"}, "", ""},
		{[]string{"; charset=utf-8"}, "", ""},
		{[]string{`"text/html"`}, "", ""},
		{[]string{",", ",,", `"`}, "", ""},
		{nil, "", ""},
	} {
		mediaType, charset := Type(http.Header{"Content-Type": c.values})
		if mediaType != c.mediaType || charset != c.charset {
			t.Errorf("Type(%q) = %q, %q, want %q, %q", c.values, mediaType, charset, c.mediaType, c.charset)
		}
	}
}

func TestSniffText(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"<!DOCTYPE html><p>x", "text/html"},
		{"\n\t <html>", "text/html"},
		{"<!-- note --><p>", "text/html"},
		{"<meta name=robots content=noarchive>x", "text/html"},
		{"<LINK rel=canonical href=/>", "text/html"},
		{"\xef\xbb\xbf<!doctype html>", "text/html"},
		{"\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", "text/html"},
		{"\xfe\xff\x00<\x00h\x00t\x00m\x00l\x00>", "text/html"},
		{"\xef\xbb\xbf<?xml version='1.0'?>", "text/xml"},
		{"\xef\xbb\xbfwords", "text/plain"},
		{"words of <html>", "text/plain"},
		{"<metal>", "text/plain"},
		{"", "text/plain"},
		{"\x00\x01", "application/octet-stream"},
		{"%PDF-1.4", "application/pdf"},
	} {
		if got := sniffText([]byte(c.body)); got != c.want {
			t.Errorf("sniffText(%q) = %q, want %q", c.body, got, c.want)
		}
	}
}
