// Package replay rewrites archived pages and style sheets so that a browser can
// show them without asking anybody but the archive.
//
// A page is read token by token and written again as it is, except for what
// runs, what embeds other documents, what sends something, and every address.
// The address of a picture, style sheet or font becomes that of its capture,
// or goes, if the archive has none. A link becomes an address below
// Places.Link, or goes, if it leads to no web page. Nothing that a stranger wrote
// is left as an address, except data: pictures and fonts, and fragments.
//
// The result is meant for a frame with sandbox="" and a Content-Security-Policy
// that allows nothing from elsewhere. Each of the three is enough by itself; a
// browser that reads a page in another way than this package does still has the
// other two.
//
// All functions take any bytes, take time in proportion to them, and write at
// most twice what they read and Slack. They are safe for concurrent use.
package replay

import "strings"

const (
	// MaxParts is how many parts of one page are looked for. Few pages have
	// more than 200; the bound keeps a page from filling the archive's desk.
	MaxParts = 500
	// Slack is what a result may have beyond twice its source. Short addresses
	// become long ones: this is room for some thousand.
	Slack = 1 << 20
)

// Kind says what a part is needed for.
type Kind string

const (
	Style Kind = "style"
	Image Kind = "image"
	Font  Kind = "font"
	// Other is what is never shown: films, sounds, and documents in frames.
	Other Kind = "other"
)

// Part is something that a page or style sheet needs.
type Part struct {
	URL  string
	Kind Kind
}

// Places says where a rewritten page finds things.
type Places struct {
	// Part returns the address of a part, "" if the archive has none. It must
	// be plain ASCII without quotes, blanks and brackets.
	Part func(Part) string
	// Link is what the addresses of links begin with; the URL follows as
	// EscapeLink writes it.
	Link string
}

// EscapeLink returns a URL as it stands in the query of another one: read
// without escapes once, it is the same again. Browsers escape apostrophes and
// quotes in queries by themselves, which would make another address.
func EscapeLink(url string) string { return linkEscapes.Replace(url) }

var linkEscapes = strings.NewReplacer("%", "%25", "'", "%27", `"`, "%22", "<", "%3C", ">", "%3E")
