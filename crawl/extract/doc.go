// Package extract finds in a page what a crawl needs to know of it: its
// links, title and language, and what its author wants crawlers to leave
// alone.
//
// Links are those a visitor could follow or is taken along: a and area,
// frame and iframe, and the refresh of meta. Images, scripts, style sheets
// and forms are no links. They are resolved as a browser would do it: from
// decoded text, against the first base, into canonical form.
//
// A page is scanned, not parsed: no tree is built, and of most tags only the
// end is looked for. The scanner splits text into tags exactly as the
// tokenizer of golang.org/x/net/html does, which a fuzz target holds it to,
// at a fraction of the cost. One thing is different on purpose: what noscript holds
// is read, for we run no scripts.
//
// All functions work on any bytes, take time and memory in proportion to
// them, and are safe for concurrent use.
package extract
