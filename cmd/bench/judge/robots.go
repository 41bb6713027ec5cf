package main

import (
	"strconv"
	"strings"
	"time"
)

// agent is the product token whose rules apply; without a group of its own,
// those for * do.
const agent = "forage"

// rules are the lines that apply to agent: allow and disallow (RFC 9309), and
// the crawl delay, 0 if there is none.
type rules struct {
	list  []rule
	delay time.Duration
}

type rule struct {
	allow   bool
	pattern string // percent-encoding in normal form
}

// maxDelay is the longest crawl delay that counts, in seconds.
const maxDelay = 3600

// parseRobots reads a robots.txt: all groups that name agent, or all for *.
func parseRobots(text string) rules {
	var own, star rules
	var forOwn, forStar, hasOwn bool
	inRules := true // whether the last line was a rule, so that an agent line begins a group
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch key {
		case "user-agent":
			if inRules {
				forOwn, forStar, inRules = false, false, false
			}
			forOwn = forOwn || strings.EqualFold(value, agent)
			forStar = forStar || value == "*"
			hasOwn = hasOwn || forOwn
		case "allow", "disallow":
			inRules = true
			if value == "" {
				continue
			}
			r := rule{allow: key == "allow", pattern: normalPercent(value)}
			if forOwn {
				own.list = append(own.list, r)
			}
			if forStar {
				star.list = append(star.list, r)
			}
		case "crawl-delay":
			inRules = true
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil || !(seconds >= 0 && seconds <= maxDelay) {
				continue
			}
			delay := time.Duration(seconds * float64(time.Second))
			if forOwn {
				own.delay = delay
			}
			if forStar {
				star.delay = delay
			}
		}
	}
	if hasOwn {
		return own
	}
	return star
}

// allows reports whether path and query, as requested, may be fetched: the
// longest pattern decides, allow at a tie.
func (rs rules) allows(target string) bool {
	if target == "/robots.txt" {
		return true
	}
	target = normalPercent(target)
	longest, allow := -1, true
	for _, r := range rs.list {
		if n := len(r.pattern); (n > longest || n == longest && r.allow) && matches(r.pattern, target) {
			longest, allow = n, r.allow
		}
	}
	return allow
}

// matches reports whether a pattern matches the beginning of s; * stands for any
// text and $ at the end for the end of s.
func matches(pattern, s string) bool {
	anchored := strings.HasSuffix(pattern, "$")
	pattern = strings.TrimSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for i, part := range parts[1:] {
		if anchored && i == len(parts)-2 {
			return strings.HasSuffix(s, part)
		}
		at := strings.Index(s, part)
		if at < 0 {
			return false
		}
		s = s[at+len(part):]
	}
	return !anchored || s == ""
}

// normalPercent decodes octets of unreserved characters and writes all others
// that are not plain ASCII in upper-case percent-encoding.
func normalPercent(s string) string {
	const upper = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		encoded := c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])
		if encoded {
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
		}
		if encoded && !isUnreserved(c) || c >= 0x80 || c <= ' ' {
			b.WriteString(string([]byte{'%', upper[c>>4], upper[c&15]}))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
