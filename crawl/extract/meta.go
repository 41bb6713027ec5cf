package extract

import (
	"bytes"
	"strings"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract/tags"
)

// Wishes are what page or server ask of crawlers in general or of us.
type Wishes struct {
	NoIndex, NoFollow, NoArchive bool
	// NoSnippet wants no text of the page shown where it is found.
	NoSnippet bool
	// NoAI is noai or noimageai: nothing, or no picture, is to train a model.
	NoAI bool
	// Reservation is what the meta elements named tdm-reservation say together.
	Reservation Reservation
}

// obey notes the directives of a meta element for crawlers.
func (w *Wishes) obey(content string) {
	for word := range strings.FieldsFuncSeq(content, func(c rune) bool { return c <= ' ' || c == ',' || c == ';' }) {
		switch strings.ToLower(word) {
		case "none":
			w.NoIndex, w.NoFollow = true, true
		case "noindex":
			w.NoIndex = true
		case "nofollow":
			w.NoFollow = true
		case "noarchive":
			w.NoArchive = true
		case "nosnippet", "max-snippet:0":
			w.NoSnippet = true
		case "noai", "noimageai":
			w.NoAI = true
		}
	}
}

// obeyHeader notes the directives of one X-Robots-Tag: "noindex, nofollow"
// is for everybody, "forage: noindex" for us, and what comes behind another's
// name for that one alone, up to the next name.
func (w *Wishes) obeyHeader(value string) {
	agent := ""
	for part := range strings.SplitSeq(value, ",") {
		if name, rest, ok := strings.Cut(part, ":"); ok {
			switch name = strings.ToLower(strings.TrimSpace(name)); name {
			case "max-snippet":
				if forUs(agent) {
					w.obey(name + ":" + strings.TrimSpace(rest))
				}
				continue
			case "unavailable_after", "max-image-preview", "max-video-preview":
				continue // directives with a value, of no concern to us
			}
			if strings.ContainsAny(name, " \t") {
				continue // a time of day: "25 Jun 2030 15:00:00"
			}
			agent, part = name, rest
		}
		if forUs(agent) {
			w.obey(part)
		}
	}
}

// forUs reports whether a directive for an agent is for us, too.
func forUs(agent string) bool {
	return agent == "" || agent == "*" || agent == "robots" || agent == crawl.Token
}

// refreshTarget returns the URL in the content of a refresh, as the HTML
// standard reads it ("shared declarative refresh steps"); empty if there is none.
func refreshTarget(content []byte) []byte {
	content = content[tags.SkipBlanks(content, 0):]
	n := 0
	for n < len(content) && (tags.IsDigit(content[n]) || content[n] == '.') {
		n++
	}
	content = content[n:]
	if n == 0 || len(content) == 0 || tags.SkipBlanks(content, 0) == 0 && content[0] != ';' && content[0] != ',' {
		return nil
	}
	content = content[tags.SkipBlanks(content, 0):]
	if len(content) > 0 && (content[0] == ';' || content[0] == ',') {
		content = content[1+tags.SkipBlanks(content[1:], 0):]
	}
	if len(content) >= len("url") && bytes.EqualFold(content[:len("url")], []byte("url")) {
		rest := content[len("url")+tags.SkipBlanks(content[len("url"):], 0):]
		if len(rest) == 0 || rest[0] != '=' {
			return content // "url" begins the URL itself
		}
		content = rest[1+tags.SkipBlanks(rest[1:], 0):]
	}
	if len(content) > 0 && (content[0] == '"' || content[0] == '\'') {
		content, _, _ = bytes.Cut(content[1:], content[:1])
	}
	return content
}

// Reservation is whether rights to mine text and data are reserved (TDM
// Reservation Protocol, W3C Community Group Final Report of 10 May 2024).
type Reservation uint8

// The values of tdm-reservation. Any other value counts as unset.
const (
	ReservationUnset Reservation = iota
	NotReserved
	Reserved
)

// ReservationHeader is the header that states a reservation.
const ReservationHeader = "Tdm-Reservation"

// ParseReservation reads one value of tdm-reservation.
func ParseReservation(value string) Reservation {
	switch strings.TrimSpace(value) {
	case "0":
		return NotReserved
	case "1":
		return Reserved
	}
	return ReservationUnset
}

// HeaderReservation returns what the lines of ReservationHeader say together:
// one that reserves is enough.
func HeaderReservation(lines []string) (r Reservation) {
	for _, line := range lines {
		for value := range strings.SplitSeq(line, ",") {
			r = max(r, ParseReservation(value))
		}
	}
	return r
}
