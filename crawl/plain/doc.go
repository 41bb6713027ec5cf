// Package plain makes text for people of pages that nobody has to trust:
// headings, paragraphs, list items and preformatted text, and nothing else. What it returns
// is text, never markup, without control characters and without those that
// change the direction of what follows.
//
// HTML is read as a row of tags: no tree is built. What a browser would not
// show is left out as far as the page itself says so: scripts, styles,
// templates, what stands in for scripts, drawings, forms' buttons and lists,
// and elements that are hidden by an attribute. Style sheets are not read.
//
// All functions take any bytes, take time in proportion to them, and stop at
// the limits below; Text.Cut says that they did.
package plain

const (
	// MaxInput is how much of a page is read, in bytes of UTF-8.
	MaxInput = 2 << 20
	// MaxParagraphs and MaxText (in bytes) bound what is returned.
	MaxParagraphs = 2000
	MaxText       = 200_000
	// maxDepth is how many open elements are kept; those within them are read
	// as if they had no end.
	maxDepth = 512
)

// Kind says what a paragraph is, by the names of HTML.
type Kind string

// The kinds of paragraphs.
const (
	Heading1     Kind = "h1"
	Heading2     Kind = "h2"
	Heading3     Kind = "h3"
	Heading4     Kind = "h4"
	Heading5     Kind = "h5"
	Heading6     Kind = "h6"
	Ordinary     Kind = "p"
	ListItem     Kind = "li"
	Preformatted Kind = "pre" // line ends and blanks count
)

// Paragraph is a piece of text. It is valid UTF-8 and not empty.
type Paragraph struct {
	Kind Kind
	Text string
}

// Text is what was found, in the order of the page.
type Text struct {
	Paragraphs []Paragraph
	// Cut says that there was more than is returned or read.
	Cut bool
}
