package robots

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/forage-net/forage/crawl"
)

const (
	// MaxBody is how much of a robots.txt is read, in bytes: what RFC 9309
	// §2.5 asks for at least. Rules beyond it are not seen.
	MaxBody = 500 << 10
	// maxSitemaps bounds how many sitemaps are kept. A site with more has an
	// index of them.
	maxSitemaps = 50
	// maxAnnounced bounds how many sitemap lines are looked at.
	maxAnnounced = 500
	// maxNodes bounds how many nodes are kept that the file names, maxNode the name of one in
	// bytes: peer IDs have about fifty. A person has a handful of computers.
	maxNodes = 8
	maxNode  = 128
)

// field is what a line of robots.txt is about.
type field uint8

const (
	fieldUnknown field = iota
	fieldAgent
	fieldAllow
	fieldDisallow
	fieldDelay
	fieldSitemap
)

// rule is an allow or disallow line, its path as written.
type rule struct {
	allow bool
	path  []byte
}

// group is what the file says to one agent: all its groups, merged.
type group struct {
	seen  bool
	rules []rule
	delay time.Duration
}

// file is what concerns us of a robots.txt. Its slices point into the body.
type file struct {
	ours, others group // for our token, and for "*"
	sitemaps     []crawl.URL
	nodes        []string // that comments name
}

// readFile takes a robots.txt apart. It reads any bytes; lines that make no
// sense are passed over and end no group (RFC 9309 §2.2.4). Sitemaps are resolved against base; where that is the zero
// value, relative ones are passed over.
func readFile(body []byte, base crawl.URL) file {
	var f file
	// Who the next rules are for. A user-agent line after a rule begins a new group.
	var current []*group
	ruled := false
	announced := 0
	for body = trimMark(cutBody(body)); len(body) > 0; {
		var line []byte
		line, body = cutLine(body)
		f.addNode(line)
		what, value := readLine(line)
		switch what {
		case fieldAgent:
			if ruled {
				current, ruled = current[:0], false
			}
			if g := f.groupOf(value); g != nil && !slices.Contains(current, g) {
				g.seen = true
				current = append(current, g)
			}
		case fieldAllow, fieldDisallow:
			if what == fieldAllow && !opens(value) {
				continue
			}
			ruled = true
			if len(value) == 0 {
				continue // "Disallow:" forbids nothing
			}
			for _, g := range current {
				g.rules = append(g.rules, rule{what == fieldAllow, value})
			}
		case fieldDelay:
			for _, g := range current {
				g.delay = max(g.delay, readDelay(value))
			}
		case fieldSitemap:
			if announced++; announced <= maxAnnounced {
				f.addSitemap(value, base)
			}
		}
	}
	return f
}

// opens reports whether the value of an allow line can be a path. A value that begins with anything else matches
// nothing, by the standard and to others; of a disallow line we guess what it wants to say, but doubt never means yes.
// An empty one ends the lines that name agents.
func opens(value []byte) bool { return len(value) == 0 || value[0] == '/' || value[0] == '*' }

// addSitemap keeps the URL of a sitemap line, if it is one, once.
func (f *file) addSitemap(value []byte, base crawl.URL) {
	if len(f.sitemaps) == maxSitemaps {
		return
	}
	u, err := crawl.ParseURL(string(value))
	if err != nil && len(value) > 0 && !base.IsZero() {
		u, err = base.Resolve(string(value))
	}
	if err == nil && !slices.Contains(f.sitemaps, u) {
		f.sitemaps = append(f.sitemaps, u)
	}
}

// nodeField begins a comment that names a node whose user runs the site: "# forage-node: 12D3KooW…".
const nodeField = "forage-node:"

// addNode keeps the node that a line names, if it is a comment that does, once.
func (f *file) addNode(line []byte) {
	if len(f.nodes) == maxNodes || bytes.IndexByte(line, '#') < 0 {
		return
	}
	if node := readNode(line); node != "" && !slices.Contains(f.nodes, node) {
		f.nodes = append(f.nodes, node)
	}
}

// readNode returns the node that a line names, "" if it is no comment that does. A node is named by letters and
// digits alone.
func readNode(line []byte) string {
	line = bytes.TrimSpace(bytes.ReplaceAll(line, []byte{0}, nil)) // see readLine
	comment, ok := bytes.CutPrefix(line, []byte("#"))
	if !ok {
		return ""
	}
	comment = bytes.TrimSpace(comment)
	if len(comment) <= len(nodeField) || !strings.EqualFold(string(comment[:len(nodeField)]), nodeField) {
		return ""
	}
	node := bytes.TrimSpace(comment[len(nodeField):])
	if len(node) == 0 || len(node) > maxNode {
		return ""
	}
	for _, c := range node {
		if !isTokenByte(c) || c == '-' || c == '_' {
			return ""
		}
	}
	return string(node)
}

// group returns the group we have to obey.
func (f *file) group() *group {
	if f.ours.seen {
		return &f.ours
	}
	return &f.others
}

// groupOf returns the group a user-agent line opens, nil if it is not for us. Bytes that belong to no name, such as the
// no-break spaces that editors leave, change nothing.
func (f *file) groupOf(agent []byte) *group {
	agent = bytes.TrimLeftFunc(agent, isStray)
	if len(agent) > 0 && agent[0] == '*' && (len(agent) == 1 || !isTokenByte(agent[1]) && agent[1] != '*') {
		return &f.others
	}
	n := 0
	for n < len(agent) && isTokenByte(agent[n]) {
		n++
	}
	if strings.EqualFold(string(agent[:n]), crawl.Token) {
		return &f.ours
	}
	return nil
}

// isStray reports whether r is nothing that stands in a name: a blank, a control character, a mark, what is no UTF-8.
func isStray(r rune) bool {
	return r <= ' ' || r >= 0x7f && !unicode.IsLetter(r)
}

// isTokenByte reports whether c belongs to a product token. Digits do not by
// the standard, but "forage2" is somebody else.
func isTokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// cutBody returns the lines that lie within MaxBody.
func cutBody(body []byte) []byte {
	if len(body) <= MaxBody {
		return body
	}
	return body[:bytes.LastIndexAny(body[:MaxBody+1], "\r\n")+1]
}

// trimMark cuts off a byte order mark, whole or torn.
func trimMark(body []byte) []byte {
	if rest, ok := bytes.CutPrefix(body, []byte("\xff\xfe")); ok {
		return rest
	}
	if rest, ok := bytes.CutPrefix(body, []byte("\xfe\xff")); ok {
		return rest
	}
	for _, c := range []byte("\xef\xbb\xbf") {
		if len(body) == 0 || body[0] != c {
			break
		}
		body = body[1:]
	}
	return body
}

// cutLine splits after the first line, which may end in LF, CR or CRLF (the
// LF then is an empty line).
func cutLine(body []byte) (line, rest []byte) {
	i := bytes.IndexAny(body, "\r\n")
	if i < 0 {
		return body, nil
	}
	return body[:i], body[i+1:]
}

// readLine splits a line into field and value. The value has no comment and
// no blanks around it; that of a user-agent line is not empty.
func readLine(line []byte) (field, []byte) {
	line, _, _ = bytes.Cut(line, []byte("#"))
	if bytes.IndexByte(line, 0) >= 0 {
		// UTF-16 from a Windows editor: with the zeros gone it is ASCII
		// where it matters.
		line = bytes.ReplaceAll(line, []byte{0}, nil)
	}
	key, value, ok := bytes.Cut(line, []byte(":"))
	key = bytes.TrimSpace(key)
	if !ok {
		// "Disallow /x": two words are a line whose colon was forgotten.
		i := bytes.IndexAny(key, " \t")
		if i < 0 {
			return fieldUnknown, nil
		}
		key, value = key[:i], bytes.TrimSpace(key[i:])
		if bytes.ContainsAny(value, " \t") {
			return fieldUnknown, nil
		}
	}
	what, value := fieldOf(key), bytes.TrimSpace(value)
	if what == fieldAgent && len(value) == 0 {
		return fieldUnknown, nil
	}
	return what, value
}

// fieldOf reads the name of a field. Beside the true ones it knows the
// misspellings that are common on the web and leave no doubt.
func fieldOf(key []byte) field {
	if len(key) > len("crawl-delay") {
		return fieldUnknown
	}
	switch strings.ToLower(string(key)) {
	case "user-agent", "useragent", "user agent":
		return fieldAgent
	case "allow":
		return fieldAllow
	case "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		return fieldDisallow
	case "crawl-delay", "crawldelay", "crawl delay":
		return fieldDelay
	case "sitemap", "site-map":
		return fieldSitemap
	}
	return fieldUnknown
}

// readDelay reads seconds; junk and negative numbers are no delay.
func readDelay(value []byte) time.Duration {
	if len(value) > 32 {
		return 0
	}
	seconds, err := strconv.ParseFloat(string(value), 64)
	if err != nil || !(seconds > 0) {
		return 0
	}
	return roundDelay(time.Duration(min(seconds, crawl.MaxCrawlDelay.Seconds()) * float64(time.Second)))
}

// roundDelay makes a delay one that survives being written in decimal.
func roundDelay(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// condense returns what concerns us of a robots.txt as a robots.txt of at most
// MaxBody bytes, in clean spelling and with one group: Parse makes the same
// rules of either. Relative sitemaps are resolved against base.
func condense(body []byte, base crawl.URL) []byte {
	f := readFile(body, base)
	b := f.appendHead(f.appendNodes(nil))
	for _, r := range f.group().rules {
		key := "disallow:"
		if r.allow {
			key = "allow:"
		}
		if len(b)+len(key)+len(r.path)+len("\n") > MaxBody {
			return b // only misspelt lines grow, so this file is full of them
		}
		b = append(b, key...)
		b = append(b, r.path...)
		b = append(b, '\n')
	}
	return f.appendSitemaps(b, MaxBody)
}

// appendNodes appends the comments that name nodes, none longer than it was.
func (f *file) appendNodes(b []byte) []byte {
	for _, node := range f.nodes {
		b = append(b, "#"+nodeField+node+"\n"...)
	}
	return b
}

// appendHead appends agent and crawl delay of our group.
func (f *file) appendHead(b []byte) []byte {
	switch {
	case f.ours.seen:
		b = append(b, "user-agent:"+crawl.Token+"\n"...)
	case f.others.seen:
		b = append(b, "user-agent:*\n"...)
	}
	if d := f.group().delay; d > 0 {
		b = append(b, "crawl-delay:"...)
		b = strconv.AppendFloat(b, d.Seconds(), 'f', -1, 64)
		b = append(b, '\n')
	}
	return b
}

// appendSitemaps appends the sitemaps that leave b within limit.
func (f *file) appendSitemaps(b []byte, limit int) []byte {
	for _, u := range f.sitemaps {
		if len(b)+len("sitemap:\n")+len(u.String()) > limit {
			break
		}
		b = append(b, "sitemap:"...)
		b = append(b, u.String()...)
		b = append(b, '\n')
	}
	return b
}
