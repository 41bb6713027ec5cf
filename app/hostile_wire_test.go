package app

import (
	"fmt"
	"strings"
	"testing"
)

func sizeCases(t testing.TB) []*hostileCase {
	const head, body = "a head has 64 KiB, three tries", "a body has 2 MiB"
	flood := func(begin, piece string) func(*visit) bool {
		return once(func(v *visit) bool { v.print(begin); v.flood(piece); return false })
	}
	text := strings.Repeat("a body without end ", 1000)
	list := []*hostileCase{
		{name: "endless", what: "a body without end", why: body, requests: 2, bytes: bodyBytes, answer: flood(okHead+"\r\n", text)},
		{name: "endless-length", what: "a body of 2^62 bytes, so it says", why: body, requests: 2, bytes: bodyBytes,
			answer: flood(fmt.Sprintf("%sContent-Length: %d\r\n\r\n", okHead, int64(1)<<62), text)},
		{name: "endless-chunks", what: "chunks without end", why: body, requests: 2, bytes: bodyBytes,
			answer: flood(okHead+"Transfer-Encoding: chunked\r\n\r\n", fmt.Sprintf("%x\r\n%s\r\n", len(text), text))},
		{name: "endless-trailers", what: "trailers without end", why: body, requests: 2, bytes: bodyBytes,
			answer: flood(okHead+"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", "X-Trailer: more\r\n")},
		{name: "endless-404", what: "an error page without end", why: "a body of anything but 200 has 64 KiB", requests: 2, bytes: 64<<10 + 512<<10,
			answer: func(v *visit) bool {
				v.print("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n")
				v.flood(text)
				return false
			}},
		{name: "endless-image", what: "an image without end at a page's address", why: "of what is no text only the head is read", requests: 2, bytes: 768 << 10,
			answer: flood("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n", text)},
		{name: "head-1mb", what: "a header of 1 MB", why: head, requests: 4, bytes: 3 * headBytes,
			answer: raw("HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 1<<20) + "\r\n\r\n")},
		{name: "head-lines", what: "10,000 headers", why: "a head has 256 fields; three tries", requests: 4, bytes: 3 * headBytes,
			answer: raw("HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: b\r\n", 10_000) + "\r\n")},
		{name: "head-endless", what: "a head without end", why: head, requests: 4, bytes: 3 * headBytes,
			answer: flood("HTTP/1.1 200 OK\r\n", strings.Repeat("X-Header: more of the same\r\n", 100))},
		{name: "interim", what: "100,000 interim responses", why: "8 are read, three tries", requests: 4, bytes: 3 * headBytes,
			answer: raw(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 100_000) + okHead + "\r\n")},
		{name: "etag", what: "an ETag and a Last-Modified of 30 KB", why: "validators have 256 bytes; longer ones are not kept", requests: 2, bytes: 2 * fewBytes,
			answer: once(func(v *visit) bool {
				long := strings.Repeat("e", 30_000)
				return v.reply(200, htmlType+"ETag: \""+long+"\"\r\nLast-Modified: "+long+"\r\n", "a page")
			})},
	}
	for _, b := range bombs(t) {
		list = append(list, &hostileCase{
			name: "bomb-" + b.name, what: fmt.Sprintf("%d KB that unfold to %d MB (%s)", (len(b.body)+1023)/1024, bombSize>>20, b.coding),
			why: "decoded text has 8 MiB and 100 times the length; two codings at most", requests: 2, bytes: int64(len(b.body)) + fewBytes,
			answer: once(func(v *visit) bool {
				return v.reply(200, htmlType+"Content-Encoding: "+b.coding+"\r\n", b.body)
			}),
		})
	}
	return list
}

func framingCases() []*hostileCase {
	const why = "what cannot be understood ends the response, and the connection"
	poison := pageOf("poison", "/poison")
	second := fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", okHead, len(poison), poison)
	var list []*hostileCase
	for _, f := range []struct{ name, what, response string }{
		{"chunk-bad", "a chunk size that is no number", okHead + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + poison + "\r\n0\r\n\r\n"},
		{"chunk-huge", "a chunk of 2^64-1 bytes", okHead + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx"},
		{"chunk-negative", "a chunk of -5 bytes", okHead + "Transfer-Encoding: chunked\r\n\r\n-5\r\n" + poison + "\r\n0\r\n\r\n"},
		{"chunk-cut", "chunks without the last", okHead + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"},
		{"chunk-extension", "a chunk extension of 1 MB", okHead + "Transfer-Encoding: chunked\r\n\r\n5;x=" + strings.Repeat("y", 1<<20) + "\r\nhello\r\n0\r\n\r\n"},
		{"length-long", "a Content-Length beyond the body", okHead + "Content-Length: 1000\r\n\r\nshort"},
		{"length-short", "a Content-Length short of the body, and a response in the rest", okHead + "Content-Length: 5\r\n\r\nhello" + second},
		{"length-two", "two Content-Lengths that differ", okHead + "Content-Length: 5\r\nContent-Length: 500\r\n\r\nhello" + second},
		{"length-negative", "a Content-Length of -5", okHead + "Content-Length: -5\r\n\r\nhello"},
		{"length-and-chunks", "Content-Length and chunks, and a response in between", fmt.Sprintf("%sContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n%s", okHead, 5+len(second), second)},
		{"http-0.9", "an answer without a head", "<html>" + strings.Repeat("garbage ", 1000)},
		{"http-2", "the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"},
		{"tls", "TLS on the plain port", "\x15\x03\x03\x00\x02\x02\x28" + strings.Repeat("\x16\x03\x03", 100)},
		{"status-bad", "a status of 99999", "HTTP/1.1 99999 Odd\r\n\r\n" + poison},
		{"switch", "another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: odd\r\n\r\n" + second},
		{"codings", "3,000 content codings", okHead + "Content-Encoding: " + strings.Repeat("gzip, ", 3000) + "gzip\r\n\r\nhello"},
		{"transfer", "a transfer coding that nobody asked for", okHead + "Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
		{"blank", "64 KB of empty lines before the head", strings.Repeat("\r\n", 32_000) + okHead + "\r\nhello"},
		{"fold", "a header folded over 1,000 lines", "HTTP/1.1 200 OK\r\nX-A: b\r\n" + strings.Repeat(" c\r\n", 1000) + "\r\nhello"},
	} {
		list = append(list, &hostileCase{name: f.name, what: f.what, why: why, answer: raw(f.response), never: []string{"/poison"},
			requests: 4, bytes: 3 * headBytes})
	}
	five := numbered("/%d", 5)
	extra := func(head string) func(*visit) bool {
		return func(v *visit) bool {
			if v.URL.Path == "/" {
				return v.page("a page", five...) && v.print(second+second)
			}
			return v.print(head) && v.print(second)
		}
	}
	short := okHead + "Content-Length: 5\r\n\r\nhello"
	return append(list,
		&hostileCase{name: "pipelined", what: "responses that nobody asked for after each answer", why: "a connection with more in it than the answer is not used again",
			answer: extra(short), never: []string{"/poison"}, requests: 7, bytes: fewBytes},
		&hostileCase{name: "no-content", what: "a response in place of the body that 204 does not have", why: "as pipelined",
			answer: extra("HTTP/1.1 204 No Content\r\n\r\n"), never: []string{"/poison"}, requests: 7, bytes: fewBytes},
		&hostileCase{name: "not-modified", what: "304 to a page that nobody has, and a response in place of its body", why: "as pipelined",
			answer: extra("HTTP/1.1 304 Not Modified\r\n\r\n"), never: []string{"/poison"}, requests: 7, bytes: fewBytes},
		&hostileCase{name: "early", what: "an answer before the request", why: "an answer counts for one request; what comes after it ends the connection",
			begin: func(v *visit) { v.print("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n") }, answer: once(func(v *visit) bool { return v.page("late", "/late") }),
			requests: 8, bytes: fewBytes},
	)
}
