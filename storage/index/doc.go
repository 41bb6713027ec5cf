// Package index is an inverted index of archived pages: which page has which words, and which links to which
// other site.
//
// It consists of segments: files that are written once, of about a thousand pages, or of several merged ones. A
// segment has a dictionary of terms (package dictionary), postings (package posting), a dictionary of link
// targets, and a table of its pages. Pages that were added last are in memory until Commit. A page that is
// replaced or removed is marked as deleted (a roaring bitmap beside its segment), and left out when its segment
// is merged.
//
// The index holds nothing that the archive does not: it can be made from it at any time. A manifest names the
// segments that count and how far in the archive they go; it is replaced in one step, so a crash loses what was
// added since, and nothing else. Whoever adds pages goes on from Checkpoint.
//
// The package knows no language and no markup: terms come in the form in which they are looked for.
package index

import "time"

const (
	// MaxTerm is the longest term in bytes.
	MaxTerm = 64
	// MaxLinks is how many links to other sites are kept of a page, the first ones.
	MaxLinks = 200
	// MaxMemory is how many pages are held in memory at most, and MaxMemoryBytes about how much they may take.
	// Then Add fails until a Commit succeeds. A thousand pages of documentation take about 20 MB.
	MaxMemory      = 4000
	MaxMemoryBytes = 64 << 20
)

// Place is where in the archive a page is.
type Place struct {
	File   string `json:"file"`   // of the archive
	Offset int64  `json:"offset"` // of the record
}

// Doc is a page to be indexed.
type Doc struct {
	Place
	// Bytes is what its record takes in the archive.
	Bytes uint32
	// URL, Domain and Content are hashes of its address, its registrable domain and what it consists of;
	// Content is 0 if that is not known.
	URL, Content uint64
	Domain       uint32
	// Time is when it was fetched.
	Time time.Time
	// Language is a tag of two or three letters, "" if it is not known.
	Language string
	// Words is how many words it has.
	Words int
	// Terms are its words, each once or several times.
	Terms []Term
	// Links are links to other sites.
	Links []Link
}

// Term is a term of a page.
type Term struct {
	Text string
	// Times is how often it stands in the text.
	Times int
	// Marks say where else.
	Marks Marks
}

// Marks say where on a page a term stands beside its text.
type Marks uint8

// The places that count.
const (
	InAside Marks = 1 << iota
	InHeading
	InAddress
	InTitle
)

// Link is a link to another site. Domain is that of URL, Hash the hash of Domain, as in Doc.
type Link struct {
	Domain, URL string
	Hash        uint32
	// Text is what the page calls it.
	Text string
}
