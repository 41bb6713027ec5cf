// Package scope decides which URLs belong to a crawl, and which this computer
// leaves to others.
//
// A Scope is of the crawl: by the patterns a publisher gave, by depth, and by
// the world the node lives in it keeps links out. Refusals are of one node: the
// sites, top-level domains and topics its user does not want visited from here, and
// a small built-in list of places where nobody should be sent (builtin.txt). A
// URL that is refused here may be in scope, and queued.
//
// Both are immutable and safe for concurrent use.
package scope

import (
	"net/netip"
	"strings"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
)

// maxPatterns bounds a scope; each link is held against all of them.
const maxPatterns = 1000

// Config says what a crawl takes.
type Config struct {
	// Patterns are domains ("example.org": it and every host below it) or
	// hosts with a path ("www.example.org/docs/*": "*" stands for anything, the
	// end is open). Empty means everything.
	Patterns []string
	// Depth is the largest number of links from a seed, 0 to crawl.MaxDepth.
	Depth int
	// Lab, if set, makes this the scope of a closed test network: only hosts
	// it returns true for are in.
	Lab func(hostname string) bool
	// Seeds are what the user named: a host that is an address is in the crawl only if it is among them, or a
	// pattern. Who links to an address may mean a device of somebody's own.
	Seeds []crawl.URL
	// Identity decides how links are spelt.
	Identity crawl.Identity
	// Everywhere takes in both worlds: for reading what was archived before.
	Everywhere bool
}

// Scope is the set of URLs a crawl takes.
type Scope struct {
	patterns Patterns
	depth    int
	lab      func(string) bool
	any      bool
	numbers  map[string]bool // hosts that are addresses

	identity crawl.Identity
}

// New returns the scope of a configuration, or an error that names the
// pattern that is wrong.
func New(cfg Config) (*Scope, error) {
	if cfg.Depth < 0 || cfg.Depth > crawl.MaxDepth {
		return nil, words.New("said.settings.depth-is-out-of-range-a",
			words.Args{"depth": cfg.Depth, "most": crawl.MaxDepth})
	}
	patterns, err := NewPatterns(cfg.Patterns)
	if err != nil {
		return nil, err
	}
	s := &Scope{patterns: patterns, depth: cfg.Depth, lab: cfg.Lab, any: cfg.Everywhere, identity: cfg.Identity,
		numbers: make(map[string]bool)}
	for _, u := range cfg.Seeds {
		if isNumber(u.Hostname()) {
			s.numbers[u.Hostname()] = true
		}
	}
	for _, host := range patterns.hosts() {
		if isNumber(host) {
			s.numbers[host] = true
		}
	}
	return s, nil
}

// Depth returns the largest depth.
func (s *Scope) Depth() int { return s.depth }

// Allows reports whether a link to u, found at that depth, belongs to the crawl.
func (s *Scope) Allows(u crawl.URL, depth int) bool { return s.Outside(u, depth) == Inside }

// Place says where a URL is, as seen from a crawl.
type Place uint8

const (
	// Inside is what belongs to the crawl.
	Inside Place = iota
	// OutsideDepth is too many links away from a seed.
	OutsideDepth
	// OutsideWorld could not be fetched from here: see World.
	OutsideWorld
	// OutsidePatterns is of no site that the crawl is confined to.
	OutsidePatterns
	// OutsideText has a name like that of a file that is no text.
	OutsideText
)

// Outside returns where a link to u is, found at that depth.
func (s *Scope) Outside(u crawl.URL, depth int) Place {
	switch {
	case depth > s.depth:
		return OutsideDepth
	case !s.World(u):
		return OutsideWorld
	case !s.matches(u):
		return OutsidePatterns
	case isMedia(u.Path()):
		return OutsideText
	}
	return Inside
}

// World reports whether u could be fetched from here, whatever the patterns
// say: links that could not are not queued. What may be dialled is decided elsewhere, on the address.
func (s *Scope) World(u crawl.URL) bool {
	if s.any {
		return true
	}
	host := u.Hostname()
	if s.lab != nil {
		return s.lab(host)
	}
	if p := u.Port(); p != "80" && p != "443" {
		return false
	}
	if isNumber(host) {
		addr, err := netip.ParseAddr(host)
		return s.numbers[host] && err == nil && addr.IsGlobalUnicast() && !addr.IsPrivate()
	}
	dot := strings.LastIndexByte(host, '.')
	return dot > 0 && !reserved[host[dot+1:]]
}

// isNumber reports whether a host is an address: no name ends in a digit.
func isNumber(host string) bool {
	last := host[max(len(host)-1, 0):]
	return last >= "0" && last <= "9" || strings.Contains(host, ":")
}

// reserved are top-level domains that never lead to a public site (RFC 2606, RFC 6761, RFC 6762,
// RFC 7686, RFC 8375 and ICANN's .internal).
var reserved = map[string]bool{
	"test": true, "example": true, "invalid": true, "localhost": true, "local": true, "onion": true,
	"internal": true, "arpa": true, "lan": true, "home": true, "corp": true,
}

func (s *Scope) matches(u crawl.URL) bool { return s.patterns.IsEmpty() || s.patterns.Match(u) }

// isMedia reports whether a path ends like a file that is no text. Asking for
// it would cost the site a request and a connection for nothing. Wiki pages about
// files ("/wiki/File:Map.png") are text.
func isMedia(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	path = path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 || len(path)-dot > 6 || strings.Contains(path, ":") {
		return false
	}
	return media[strings.ToLower(path[dot+1:])]
}

var media = func() map[string]bool {
	set := make(map[string]bool)
	for _, ext := range strings.Fields(`
		png jpg jpeg gif webp avif svg svgz ico bmp tif tiff psd heic raw
		mp3 ogg oga opus flac wav m4a aac wma mid mp4 m4v webm mkv avi mov wmv flv mpg mpeg ogv
		zip gz tgz bz2 xz zst 7z rar tar jar war deb rpm apk dmg iso msi exe bin img whl crx xpi
		pdf ps eps djvu epub mobi doc docx xls xlsx ppt pptx odt ods odp
		woff woff2 ttf otf eot wasm swf`) {
		set[ext] = true
	}
	return set
}()
