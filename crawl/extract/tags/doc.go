// Package tags splits a page into the tags that matter for links and metadata. It is a scanner and no parser:
// no tree is built, and of most tags only the end is looked for.
//
// It splits text into tags exactly as the tokenizer of golang.org/x/net/html does, which a fuzz target of
// package extract holds it to, at a fraction of the cost. In SVG and MathML, where the tree decides what a tag
// is, it keeps the few open elements that this takes.
//
// It works on any bytes, in time in proportion to them. A Scanner is for one goroutine.
package tags
