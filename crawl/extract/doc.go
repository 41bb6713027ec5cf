// Package extract finds in a page what a crawl needs to know of it (HTML): its
// links, title and language, its preferred address, its feeds and its other
// versions, and what its author wants crawlers to leave alone. It
// also reads what sites publish to be crawled by, sitemaps and feeds (Source).
//
// Links are those a visitor could follow or is taken along: a and area,
// frame and iframe, the a of SVG, and the refresh of meta; what object and embed
// show unless it is no text; what longdesc and cite name; the next page, the
// previous one and other neighbours that link elements name. The headers
// Refresh and Link say the same. Images, scripts, style sheets and forms are no
// links. They are resolved as a browser would do
// it: from decoded text, against the first base, with the query in the encoding
// of the page, into canonical form. A page may declare its encoding anywhere; one
// that does so late is read twice.
//
// A page is scanned, not parsed: no tree is built, and of most tags only the
// end is looked for. The scanner splits text into tags exactly as the
// tokenizer of golang.org/x/net/html does, which a fuzz target holds it to, at
// a fraction of the cost. In SVG and MathML, where the tree decides what a tag
// is, it keeps the few open elements that this takes. Text in an encoding of
// one byte a character is scanned as it is, and only what is kept is decoded.
//
// What browsers do when they build the tree changes where a link stands, not
// whether it is there: foster parenting, closing what was left open, reopening
// formatting. Where tree and text differ in what is there, this is decided:
//   - noscript is read: we run no scripts.
//   - template is read for links, for scripts and shadow roots show what it
//     holds. Its base, title, link and meta say nothing about the page.
//   - The title of a drawing is not that of the page.
//   - The content of noframes, noembed and iframe is text.
//   - A link counts also where a tree would drop it: a frame outside a
//     frameset, an a within one. Someone wrote it for visitors to follow.
//   - SVG or MathML that is not closed ends with the next tag that is HTML
//     alone. Which end tags of elements around it do the same is a guess.
//
// All functions work on any bytes, take time and memory in proportion to
// them, and are safe for concurrent use.
package extract
