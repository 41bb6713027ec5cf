// Package words splits text into the words that a search looks for, brings them into one form, and reads queries.
//
// A word is a run of letters, marks and digits, in lower case. Text of scripts that are written without spaces between
// words (Chinese, Japanese, Korean, Thai and their like) becomes pairs of neighbouring characters, and the last
// character of a run by itself. A word's term is what is left of it after its language's ending (Snowball, Porter 2001)
// and its accents are taken off: a search finds "Häuser" by "haus".
//
// Of a language, stemmers has the ending, and common the words that tell it; spaceless has the scripts without spaces.
// Pages that are in an index keep the terms that they had: whoever changes what a term is raises manifestVersion in
// storage/index, and each node makes its index again from the archive.
//
// All functions take any bytes, take time in proportion to them, and never panic.
package words

// Place says where on a page a word stands.
type Place uint8

// The places, the least telling first.
const (
	Aside   Place = iota // menus, side bars, footers and forms
	Body                 // the text itself
	Heading              // headings of the first three levels
	Address              // the page's URL
	Title
	places
)

const (
	// MaxWord is the longest word in bytes; longer ones are cut off.
	MaxWord = 48
	// MaxDistinct is how many different words of a page count, the first ones.
	MaxDistinct = 8192
	// MaxText is how much text of a page is read, in bytes.
	MaxText = 1 << 20
)
