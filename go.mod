module github.com/forage-net/forage

go 1.26.0

require (
	github.com/andybalholm/brotli v1.2.8
	github.com/creachadair/tomledit v0.0.28
	github.com/fxamacker/cbor/v2 v2.9.6
	github.com/klauspost/compress v1.20.3
	github.com/nlnwa/whatwg-url v0.6.2
	github.com/temoto/robotstxt v1.1.2
	go.etcd.io/bbolt v1.5.0
	golang.org/x/net v0.62.0
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
	golang.org/x/text v0.43.0
)

require (
	github.com/bits-and-blooms/bitset v1.20.0 // indirect
	github.com/x448/float16 v0.8.4 // indirect
)
