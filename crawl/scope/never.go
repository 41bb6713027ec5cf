package scope

import (
	"net/netip"
	"strings"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
)

// NeverPattern returns the canonical form of a pattern of the setting
// sites.never: a domain (it and every host below it) or a host with a path, as
// in Config.Patterns. The error is a *PatternError. What is
// wrong is told apart where people are likely to go wrong: a whole URL, or a
// top-level domain.
func NeverPattern(text string) (string, error) {
	if u, err := crawl.ParseURL(strings.TrimSpace(text)); err == nil {
		return "", &PatternError{text, pageAddress(u)}
	}
	p, err := parsePattern(text)
	if err != nil {
		return "", err
	}
	host := strings.Trim(p.host, "[]")
	if _, err := netip.ParseAddr(host); err != nil && !strings.Contains(host, ".") {
		return "", &PatternError{text, words.New("said.settings.is-no-domain-of", nil)}
	}
	return p.String(), nil
}

// NeverFrom returns the pattern a person means who typed or pasted text: for the address of a page, as browsers
// show it, the registrable domain of the site, for a name what it is without a port and "www.", and else what
// NeverPattern returns. The error is a *PatternError.
func NeverFrom(text string) (string, error) {
	bare := pasted(text)
	if u, err := crawl.ParseURL(bare); err == nil {
		return NeverPattern(bracketed(string(u.Domain())))
	}
	host, path, _ := strings.Cut(bare, "/")
	name := strings.TrimPrefix(host, "*.")
	// of another scheme, of none, or with a query alone
	if strings.HasPrefix(bare, "//") || strings.HasSuffix(host, ":") || strings.Contains(host, "?") {
		_, rest, found := strings.Cut(bare, "//")
		if !found {
			rest = bare
		}
		u, err := crawl.ParseURL("http://" + rest)
		if err != nil {
			return "", &PatternError{text, words.New("said.settings.is-no-web-address", nil)}
		}
		return NeverPattern(bracketed(string(u.Domain())))
	}
	u, err := crawl.ParseURL("http://" + bracketed(name) + "/")
	switch {
	case err == nil && strings.Contains(name, "@"):
		why := words.New("said.settings.is-an-e-mail-address", words.Args{"domain": u.Domain()})
		return "", &PatternError{text, why}
	case err != nil || strings.Trim(path, "*") != "":
		return NeverPattern(bare)
	}
	if site := string(u.Domain()); u.Hostname() == "www."+site {
		return NeverPattern(site)
	}
	return NeverPattern(bracketed(u.Hostname()))
}

// pasted returns a text without what comes along when it is copied: quotes, brackets, marks of a sentence, a
// fragment, and the marks of filters.
func pasted(text string) string {
	text = strings.TrimFunc(text, func(r rune) bool {
		return isBlank(r) || strings.ContainsRune("\"'`<>()“”„‚‘’«»,;", r)
	})
	text = strings.TrimPrefix(text, "view-source:")
	text, _, _ = strings.Cut(text, "#")
	return strings.TrimSuffix(strings.TrimLeft(text, "|."), "^")
}

// bracketed returns a host as it stands in an address: IPv6 in brackets.
func bracketed(host string) string {
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() {
		return "[" + host + "]"
	}
	return host
}

// TopLevel returns the canonical form of a top-level domain written without a
// dot, as in the setting tld.never; one in another script ("рф") in its ASCII
// form. The error is a *PatternError. It need not exist.
func TopLevel(text string) (string, error) {
	wrong := words.New("said.settings.is-no-top-level-domain", nil)
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text, `.:/@?#\%*[]`) || strings.ContainsFunc(text, isBlank) {
		return "", &PatternError{text, wrong}
	}
	u, err := crawl.ParseURL("http://a." + text + "/")
	if err != nil {
		return "", &PatternError{text, wrong}
	}
	tld := u.Hostname()[2:]
	if len(tld) < 2 || len(tld) > 63 || '0' <= tld[len(tld)-1] && tld[len(tld)-1] <= '9' &&
		!strings.HasPrefix(tld, "xn--") {
		return "", &PatternError{text, wrong}
	}
	return tld, nil
}
