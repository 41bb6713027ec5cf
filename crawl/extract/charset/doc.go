// Package charset knows the encodings of the web: it finds out which one a text is in, and writes queries as a
// browser does in the encoding of their page. Names of encodings are those of the WHATWG encoding standard.
//
// What a page says of itself in a meta element is looked for by package extract. All functions work on any
// bytes and are safe for concurrent use; a QueryEncoder is for one goroutine.
package charset
