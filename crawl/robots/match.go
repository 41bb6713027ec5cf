package robots

import "strings"

// The paths of rules and of URLs are compared octet by octet, so both are
// brought into one form (RFC 9309 §2.2.2): unreserved characters stand for
// themselves, and every other octet that is not a delimiter is
// percent-encoded in upper case, brackets included: they delimit nothing in a
// path or query. Which of the remaining octets a browser encodes
// depends on where in the URL they stand; here they always are. "*" and "$"
// mean themselves in a URL and are encoded there, so that
// what is left of them in a rule is special.
//
// The standard has percent-encoded unreserved characters decoded "in the URI"
// and says nothing of rules. We decode them in both, with one exception. Nobody has
// ever had to encode a letter or a digit, and to matchers that take rules as
// written, Google's among them, "Allow: /%62" does not open "/b". What such a
// rule means is in doubt, and doubt never means yes: an allow rule with
// encoded letters or digits opens the path that is spelt the same way and no
// other. A disallow rule forbids every spelling.

// spelling is which encoded octets are brought back to the character they stand for.
type spelling *[256]bool

var (
	decoded   = spelling(&unreserved)
	asWritten = spelling(byteSet("-._~"))
)

// spellsLetters reports whether a rule has percent-encoded letters or digits.
func spellsLetters(path []byte) bool {
	for i, c := range path {
		if c != '%' {
			continue
		}
		if octet, ok := unhex(string(path[i+1 : min(i+3, len(path))])); ok && unreserved[octet] && !asWritten[octet] {
			return true
		}
	}
	return false
}

// normalPath brings path and query of a URL into the form that is compared.
func normalPath(path string, s spelling) string {
	for i := range len(path) {
		if !plain[path[i]] {
			return string(appendNormal(make([]byte, 0, len(path)+16), path, s))
		}
	}
	return path
}

// appendPattern appends the path of a rule in the form that is compared. In
// it "*" is a wildcard, none follows another, and "$" can only be last,
// where it marks the end.
func appendPattern(b []byte, path string, s spelling) []byte {
	path, anchored := strings.CutSuffix(path, "$")
	if path == "" || path[0] != '/' && path[0] != '*' {
		b = append(b, '/') // "Disallow: private" wants to say something
	}
	for wild := false; ; wild = true {
		literal, rest, more := strings.Cut(path, "*")
		if wild && (literal != "" || !more) {
			b = append(b, '*')
		}
		b = appendNormal(b, literal, s)
		if !more {
			break
		}
		path = rest
	}
	if anchored {
		b = append(b, '$')
	}
	return b
}

// appendNormal appends text without wildcards in the form that is compared.
func appendNormal(b []byte, text string, s spelling) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case plain[c]:
			b = append(b, c)
		case c != '%':
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		default:
			octet, ok := unhex(text[i+1:])
			switch {
			case !ok:
				b = append(b, '%')
				continue
			case s[octet]:
				b = append(b, octet)
			default:
				b = append(b, '%', upperHex[octet>>4], upperHex[octet&15])
			}
			i += 2
		}
	}
	return b
}

const upperHex = "0123456789ABCDEF"

// unhex reads the two hexadecimal digits s begins with.
func unhex(s string) (octet byte, ok bool) {
	if len(s) < 2 {
		return 0, false
	}
	for _, c := range []byte(s[:2]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		default:
			return 0, false
		}
		octet = octet<<4 | c
	}
	return octet, true
}

// unreserved are the characters that mean the same encoded or not; plain are
// those and the delimiters that are compared as they are.
var (
	unreserved = *byteSet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
	plain      = *byteSet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~" + "/?:@!&()+,;=")
)

func byteSet(s string) *[256]bool {
	var set [256]bool
	for _, c := range []byte(s) {
		set[c] = true
	}
	return &set
}

// matches reports whether pattern, as appendPattern wrote it, matches path,
// as normalPath returned it. Taking for every piece between wildcards the
// first place it fits loses no match, so nothing is tried twice.
func matches(pattern, path string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	piece, pattern, wild := strings.Cut(pattern, "*")
	path, ok := strings.CutPrefix(path, piece)
	if !ok {
		return false
	}
	for wild {
		piece, pattern, wild = strings.Cut(pattern, "*")
		if anchored && !wild {
			return strings.HasSuffix(path, piece)
		}
		i := strings.Index(path, piece)
		if i < 0 {
			return false
		}
		path = path[i+len(piece):]
	}
	return !anchored || path == ""
}
