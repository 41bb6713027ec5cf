package crawl

import (
	"cmp"
	"slices"
	"strings"
)

// Identity decides which URLs name the same page. Beyond the canonical form,
// which any server must treat alike, it takes off what advertising and old
// application servers hang on URLs to tell visitors apart: it changes the visitor,
// not the page. The zero value takes off both kinds.
type Identity struct {
	// KeepTracking leaves parameters of advertising and newsletters in the query.
	KeepTracking bool
	// KeepSessions leaves session ids in query and path.
	KeepSessions bool
}

// trackingParams are query parameters that only ever say by which
// advertisement, newsletter or share a visitor came. All beginning with "utm_" are, too.
// Names are compared without regard to case: no server is known to mean
// something else by "GCLID", and people type them by hand.
var trackingParams = []string{
	"gclid", "gclsrc", "dclid", "wbraid", "gbraid", "gad_source", "srsltid", // Google
	"fbclid", "igshid", // Meta
	"msclkid", "yclid", "twclid", "ttclid", // Microsoft, Yandex, X, TikTok
	"mc_cid", "mc_eid", "_hsenc", "_hsmi", "mkt_tok", // Mailchimp, HubSpot, Marketo
}

// sessionParams are query parameters that hold a session id whatever their
// value: nobody but PHP and Java servers uses the names. All beginning with
// "ASPSESSIONID" do, too.
var sessionParams = []string{"phpsessid", "jsessionid"}

// pairedSessionParams hold one where both are in a query, as ColdFusion writes them.
var pairedSessionParams = []string{"cfid", "cftoken"}

// maybeSessionParams hold a session id if the value looks like one (isToken).
// Conferences have sessions, too, and the name says nothing.
var maybeSessionParams = []string{"sid", "sessionid", "session_id"}

// Of returns the URL under which u is fetched and remembered. Order and
// spelling of what stays are untouched. It is idempotent, and allocates
// nothing if there is nothing to take off.
func (i Identity) Of(u URL) URL {
	if i.KeepTracking && i.KeepSessions {
		return u
	}
	path, query, _ := strings.Cut(u.Path(), "?")
	p := path
	if !i.KeepSessions && (strings.IndexByte(path, ';') >= 0 || strings.Contains(path, "/(S(")) {
		p = withoutPathSession(path)
	}
	q := query
	if query != "" {
		q = i.withoutParams(query)
	}
	if len(p) == len(path) && len(q) == len(query) {
		return u
	}
	text := u.Origin() + p
	if q != "" {
		text += "?" + q
	}
	// What is left of a segment may be "..", so it is read again.
	if v, err := ParseURL(text); err == nil {
		return v
	}
	return u
}

// withoutParams returns query without the parameters that are taken off.
func (i Identity) withoutParams(query string) string {
	var out []byte
	from := 0                   // what begins here is not in out yet
	asked, pair := false, false // whether the query has a pair is looked up once
	for at := 0; at <= len(query); {
		end := len(query)
		if n := strings.IndexByte(query[at:], '&'); n >= 0 {
			end = at + n
		}
		name, value, _ := strings.Cut(query[at:end], "=")
		if !asked && containsFold(pairedSessionParams, name) {
			asked, pair = true, hasPair(query)
		}
		if i.drops(name, value, pair) {
			out = append(out, query[from:at]...)
			from = end + 1
		}
		at = end + 1
	}
	if from > len(query) { // the last one, and the "&" before it
		return string(out[:max(len(out)-1, 0)])
	}
	if from == 0 {
		return query
	}
	return string(append(out, query[from:]...))
}

// hasPair reports whether all of pairedSessionParams are in a query.
func hasPair(query string) bool {
	var found [2]bool
	for more := true; more; {
		var param string
		param, query, more = strings.Cut(query, "&")
		name, _, _ := strings.Cut(param, "=")
		for i, n := range pairedSessionParams {
			found[i] = found[i] || strings.EqualFold(name, n)
		}
	}
	return found[0] && found[1]
}

// drops reports whether a query parameter is taken off; pair says that those
// of pairedSessionParams are.
func (i Identity) drops(name, value string, pair bool) bool {
	const utm, asp = "utm_", "aspsessionid"
	if !i.KeepTracking && (hasPrefixFold(name, utm) || containsFold(trackingParams, name)) {
		return true
	}
	return !i.KeepSessions && (hasPrefixFold(name, asp) || containsFold(sessionParams, name) ||
		pair && containsFold(pairedSessionParams, name) || containsFold(maybeSessionParams, name) && isToken(value))
}

// isToken reports whether s looks like what a server draws at random to tell
// visitors apart: at least 64 bits of hexadecimal, which is the least that OWASP
// asks of a session id, a UUID (RFC 9562), or base 64. Numbers, words, slugs and
// names with a year do not.
func isToken(s string) bool {
	return isHexToken(s) || isUUID(s) || isBase64Token(s)
}

// isHexToken reports whether s is hexadecimal, of letters and digits.
func isHexToken(s string) bool {
	digits := 0
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
		if s[i] <= '9' {
			digits++
		}
	}
	return len(s) >= 16 && digits > 0 && digits < len(s)
}

func isUUID(s string) bool {
	const form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(s) != len(form) {
		return false
	}
	for i := range len(s) {
		if (form[i] == '-') != (s[i] == '-') || form[i] == 'x' && !isHex(s[i]) {
			return false
		}
	}
	return true
}

// isBase64Token reports whether s is 20 characters of base 64 at least, in
// either alphabet (RFC 4648 §4, §5), mixed as chance does it: more than half of
// neighbours are of different kinds. In words they are alike, even if each word
// begins with a capital.
func isBase64Token(s string) bool {
	const digit, upper, lower, other = 1, 2, 4, 8
	kinds, last, changes, n := 0, 0, 0, 0
	for i := 0; i < len(s); i, n = i+1, n+1 {
		kind := other
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			kind = digit
		case 'A' <= c && c <= 'Z':
			kind = upper
		case 'a' <= c && c <= 'z':
			kind = lower
		case c == '+' || c == '/' || c == '_' || c == '=':
		case c == '%' && i+2 < len(s) && (s[i+1:i+3] == "2B" || s[i+1:i+3] == "2F" || s[i+1:i+3] == "3D"):
			i += 2
		default:
			return false
		}
		if kind != last {
			changes++
		}
		kinds, last = kinds|kind, kind
	}
	return n >= 20 && kinds&(digit|upper|lower) == digit|upper|lower && 20*changes > 11*n
}

// withoutPathSession takes ";jsessionid=…" off the segments of a path, and
// whole segments "(S(…))", in which ASP.NET keeps sessions without cookies.
func withoutPathSession(path string) string {
	var out []byte
	from := 0 // what begins here is not in out yet
	for at := 1; at <= len(path); {
		end := len(path)
		if n := strings.IndexByte(path[at:], '/'); n >= 0 {
			end = at + n
		}
		segment := withoutJSession(path[at:end])
		if isASPSession(segment) {
			out = append(out, path[from:at]...)
			from = min(end+1, len(path))
		} else if len(segment) < end-at {
			out = append(out, path[from:at]...)
			out = append(out, segment...)
			from = end
		}
		at = end + 1
	}
	if from == 0 {
		return path
	}
	return string(append(out, path[from:]...))
}

// withoutJSession takes the session id of Java servers off a segment.
func withoutJSession(segment string) string {
	const param = ";jsessionid="
	for at := 0; ; {
		n := strings.IndexByte(segment[at:], ';')
		if n < 0 {
			return segment
		}
		at += n
		if !hasPrefixFold(segment[at:], param) {
			at++
			continue
		}
		end := len(segment)
		if n := strings.IndexByte(segment[at+1:], ';'); n >= 0 {
			end = at + 1 + n
		}
		segment = segment[:at] + segment[end:]
	}
}

// isASPSession reports whether a segment is "(S(" letters and digits "))".
func isASPSession(segment string) bool {
	id, ok := strings.CutPrefix(segment, "(S(")
	if !ok {
		return false
	}
	if id, ok = strings.CutSuffix(id, "))"); !ok || id == "" {
		return false
	}
	for i := range len(id) {
		if c := id[i]; !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return false
		}
	}
	return true
}

// SeenKey returns the text under which u is remembered as seen: its canonical
// text with the parameters of the query sorted by name, then value, so that
// URLs that differ only in their order are one. It is a key, not always a
// URL anybody linked to: fetch u. It allocates nothing if the
// parameters are in order.
func (u URL) SeenKey() string {
	_, query, _ := strings.Cut(u.Path(), "?")
	if paramsInOrder(query) {
		return u.text
	}
	params := strings.Split(query, "&")
	slices.SortFunc(params, compareParams)
	return u.text[:len(u.text)-len(query)] + strings.Join(params, "&")
}

func paramsInOrder(query string) bool {
	last, rest, more := strings.Cut(query, "&")
	for more {
		var param string
		param, rest, more = strings.Cut(rest, "&")
		if compareParams(last, param) > 0 {
			return false
		}
		last = param
	}
	return true
}

// compareParams orders parameters by name, then value; "a" comes before "a=".
func compareParams(a, b string) int {
	an, av, _ := strings.Cut(a, "=")
	bn, bv, _ := strings.Cut(b, "=")
	return cmp.Or(strings.Compare(an, bn), strings.Compare(av, bv), cmp.Compare(len(a), len(b)))
}

func containsFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
