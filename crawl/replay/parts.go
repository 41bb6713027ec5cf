package replay

import (
	"slices"
	"strings"

	"github.com/forage-net/forage/crawl"
)

// Parts are what was needed, each once.
type Parts struct {
	// List is in the order of need, of at most MaxParts.
	List []Part
	// More counts the needs beyond those of the list. What is needed twice
	// counts twice there.
	More int

	known map[Part]bool
}

// need notes a part. It is a Places.Part for which the archive has nothing.
func (p *Parts) need(part Part) string {
	switch {
	case p.known[part]:
	case len(p.List) == MaxParts:
		p.More++
	default:
		if p.known == nil {
			p.known = make(map[Part]bool)
		}
		p.known[part] = true
		p.List = append(p.List, part)
	}
	return ""
}

// place resolves the addresses of one document.
type place struct {
	base   crawl.URL
	places Places
}

// part returns the address to write for an address that was read. ok is false if
// there is none.
func (p *place) part(ref string, kind Kind) (address string, ok bool) {
	ref = trim(ref)
	if ref == "" {
		return "", false
	}
	if isData(ref, kind) {
		return ref, true
	}
	u, err := p.base.Resolve(ref)
	if err != nil {
		return "", false
	}
	address = p.places.Part(Part{u.String(), kind})
	return address, address != "" && plainAddress(address)
}

// plainAddress reports whether an address can stand anywhere without escapes.
func plainAddress(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && !strings.ContainsRune("-._~/?=", rune(c)) {
			return false
		}
	}
	return true
}

// dataKinds are the media types that are taken from data: addresses.
var dataKinds = map[Kind][]string{
	Image: {"image/"},
	Font: {"font/", "application/font", "application/x-font", "application/vnd.ms-fontobject",
		"application/octet-stream"},
}

func isData(ref string, kind Kind) bool {
	if len(ref) < len("data:") || !strings.EqualFold(ref[:len("data:")], "data:") {
		return false
	}
	mediaType := strings.ToLower(ref[len("data:"):min(len(ref), 100)])
	return slices.ContainsFunc(dataKinds[kind], func(begin string) bool { return strings.HasPrefix(mediaType, begin) })
}

// trim removes what browsers remove at both ends of an address.
func trim(ref string) string {
	return strings.TrimFunc(ref, func(r rune) bool { return r <= ' ' })
}

func isLetter(c byte) bool { return (c|0x20)-'a' < 26 }

func isDigit(c byte) bool { return c-'0' < 10 }

func isAlphanumeric(c byte) bool { return isLetter(c) || isDigit(c) }
