package scope

import (
	"net/netip"
	"strings"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
)

// OwnDomain returns the registrable domain that an entry of the setting sites.mine names: a name under a public
// suffix, in any spelling. The error is a *PatternError. What is wrong is told apart where people are likely to go
// wrong: the address of a page, a host of the domain, or a name under which anybody may have a site.
func OwnDomain(text string) (crawl.Domain, error) {
	text = strings.TrimSpace(text)
	if u, err := crawl.ParseURL(text); err == nil {
		return "", &PatternError{text, pageAddress(u)}
	}
	wrong := words.New("said.settings.is-no-own-domain", nil)
	if text == "" || len(text) > crawl.MaxURL || strings.ContainsAny(text, `:/@?#\%*[]`) ||
		strings.ContainsFunc(text, isBlank) {
		return "", &PatternError{text, wrong}
	}
	u, err := crawl.ParseURL("http://" + text + "/")
	if err != nil {
		return "", &PatternError{text, wrong}
	}
	host, domain := u.Hostname(), u.Domain()
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(host, ".") || isSuffix(host) {
		return "", &PatternError{text, wrong}
	}
	if host != string(domain) {
		return "", &PatternError{text, words.New("said.settings.is-a-host", words.Args{"domain": domain})}
	}
	return domain, nil
}

// isSuffix reports whether anybody may have a domain directly under a name.
func isSuffix(host string) bool {
	below := "x." + host
	return crawl.DomainOf(below) == crawl.Domain(below)
}
