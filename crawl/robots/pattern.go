package robots

// Pattern is the path of a rule in the form in which it is compared. Files
// other than robots.txt have such paths too, and match them in the same way.
type Pattern string

// NewPattern returns the pattern of a path as a file has it: "*" stands for
// anything and "$" at the end for the end of the URL (RFC 9309 §2.2.3).
func NewPattern(path string) Pattern { return Pattern(appendPattern(nil, path, decoded)) }

// Matches reports whether a URL of this path and query is one of the pattern's.
func (p Pattern) Matches(path string) bool { return matches(string(p), normalPath(path, decoded)) }
