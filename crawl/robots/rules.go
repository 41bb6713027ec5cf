package robots

import (
	"cmp"
	"slices"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/forage-net/forage/crawl"
)

// Rules says what a robots.txt lets us fetch. It is never changed. The zero
// value allows everything.
type Rules struct {
	// patterns holds the patterns of all rules, one after the other. Beside
	// them a rule is sixteen bytes: a site may well have 50,000.
	patterns string
	// spans are sorted so that the first one that matches decides.
	spans []span
	// literal says that there is a literal rule among them.
	literal bool
	// closed forbids everything.
	closed   bool
	delay    time.Duration
	sitemaps []crawl.URL
	nodes    []string
}

// span is a rule: patterns[from:to].
type span struct {
	from, to uint32
	allow    bool
	// octets is how much it says (RFC 9309 §2.2.2): the length of the
	// pattern with unreserved characters decoded.
	octets uint32
}

// Parse reads a robots.txt, of which it looks at no more than MaxBody bytes. Any bytes will
// do; a line that makes no sense costs that line alone, and so does a relative sitemap, since whose file it is is not
// said. It keeps nothing of body.
func Parse(body []byte) *Rules {
	f := readFile(body, crawl.URL{})
	r := &Rules{}
	var ok bool
	if r.delay, r.sitemaps, ok = readHead(&f); !ok {
		return &Rules{closed: true}
	}
	r.nodes = f.nodes
	r.addRules(f.group().rules)
	return r
}

// readHead has the library read what is not a rule. It reports false if that fails.
func readHead(f *file) (delay time.Duration, sitemaps []crawl.URL, ok bool) {
	head := f.appendHead(nil)
	data, err := robotstxt.FromBytes(f.appendSitemaps(head, MaxBody))
	if err != nil {
		return 0, nil, false
	}
	for _, s := range data.Sitemaps {
		if u, err := crawl.ParseURL(s); err == nil {
			sitemaps = append(sitemaps, u)
		}
	}
	return min(roundDelay(data.FindGroup(crawl.Token).CrawlDelay), crawl.MaxCrawlDelay), sitemaps, true
}

// maxPath is the longest path that normalPath returns: every octet encoded.
const maxPath = 3 * crawl.MaxURL

// addRules makes rules ready for matching.
func (r *Rules) addRules(rules []rule) {
	var text []byte
	for _, rule := range rules {
		from := len(text)
		text = appendPattern(text, string(rule.path), decoded)
		n := literals(text[from:])
		if n > maxPath {
			text = text[:from] // no URL is long enough for it
			continue
		}
		octets := len(text) - from
		if rule.allow && spellsLetters(rule.path) {
			text = appendPattern(text[:from], string(rule.path), asWritten)
			r.literal = true
		}
		r.spans = append(r.spans, span{uint32(from), uint32(len(text)), rule.allow, uint32(octets)})
	}
	r.patterns = string(text)
	r.spans = slices.Clip(r.spans)
	// RFC 9309 §2.2.2: the longest rule decides, allow among equals.
	slices.SortFunc(r.spans, func(a, b span) int {
		if c := cmp.Compare(b.octets, a.octets); c != 0 || a.allow == b.allow {
			return c
		}
		if a.allow {
			return -1
		}
		return 1
	})
}

// literals counts the octets of a pattern that each need one in the path.
func literals(pattern []byte) int {
	n := len(pattern)
	for _, c := range pattern {
		if c == '*' || c == '$' {
			n--
		}
	}
	return n
}

// Allowed reports whether u may be fetched. Only its path and query count.
func (r *Rules) Allowed(u crawl.URL) bool { return r.allows(u.Path()) }

// ownPath is always allowed (RFC 9309 §2.2.2).
const ownPath = "/robots.txt"

// allows decides about a path with query, however it is spelt.
func (r *Rules) allows(path string) bool {
	if path == ownPath {
		return true
	}
	if r.closed {
		return false
	}
	s := r.decides(path)
	return s == nil || s.allow
}

// decides returns the rule that decides about a path with query, nil if none does.
func (r *Rules) decides(path string) *span {
	written := path
	path = normalPath(path, decoded)
	if r.literal {
		written = normalPath(written, asWritten)
	}
	for i := range r.spans {
		s := &r.spans[i]
		pattern := r.patterns[s.from:s.to]
		if matches(pattern, path) || r.literal && s.allow && matches(pattern, written) {
			return s
		}
	}
	return nil
}

// CrawlDelay returns the time the site asks us to leave between requests: 0
// if it asks for none, at most crawl.MaxCrawlDelay.
func (r *Rules) CrawlDelay() time.Duration { return r.delay }

// Sitemaps returns the sitemaps that the file names, whoever it names them to,
// each once and in the order of the file: at most 50. They may be on other
// hosts. The caller must not change the slice.
func (r *Rules) Sitemaps() []crawl.URL { return r.sitemaps }

// Nodes returns the peer IDs that comments of the form "# forage-node: ID" hold, each once and in the order of the
// file: at most 8, each of at most 128 letters and digits. Whether they are peer IDs is not looked at. They say that
// the site and the node are in the same hands, and nothing about what may be fetched. The caller must not change the
// slice.
func (r *Rules) Nodes() []string { return r.nodes }

// size returns about how many bytes of memory r takes.
func (r *Rules) size() int {
	const spanSize, urlSize, stringSize = 16, 24, 16
	n := len(r.patterns) + spanSize*len(r.spans)
	for _, u := range r.sitemaps {
		n += urlSize + len(u.String())
	}
	for _, node := range r.nodes {
		n += stringSize + len(node)
	}
	return n
}
