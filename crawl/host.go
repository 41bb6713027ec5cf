package crawl

import (
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/idna"
)

// Host names are brought to ASCII here and not by the URL library, whose rules
// are older than today's standard: a name that is ASCII already passes as it
// is, whatever its "xn--" labels decode to, and characters that Unicode 15.1
// and 16 gave another mapping have the new one. Nodes with different mappings would
// disagree about who owns a name.

// invalidHost is a host the library refuses.
const invalidHost = "\x00"

// toLibraryHost hands the library a host that its own rules leave alone. It
// would look into the labels that begin with "xn--", so these go under another name.
func toLibraryHost(u *whatwg.Url, host string) string {
	if s := u.Scheme(); s != "http" && s != "https" || host == "" || host[0] == '[' {
		return host
	}
	name, ok := domainToASCII(host)
	if !ok {
		return invalidHost
	}
	if !strings.Contains(name, "n--") {
		return name
	}
	labels := strings.Split(name, ".")
	for i, l := range labels {
		if strings.HasPrefix(l, "xn--") || strings.HasPrefix(l, hiddenLabel) {
			labels[i] = hiddenLabel + l
		}
	}
	return strings.Join(labels, ".")
}

// hiddenLabel stands before labels that the library must not look into, and
// before those that begin with it themselves.
const hiddenLabel = "yn--"

// fromLibraryHost undoes what toLibraryHost did to labels.
func fromLibraryHost(_ *whatwg.Url, host string) string {
	if !strings.Contains(host, hiddenLabel) {
		return host
	}
	labels := strings.Split(host, ".")
	for i, l := range labels {
		labels[i] = strings.TrimPrefix(l, hiddenLabel)
	}
	return strings.Join(labels, ".")
}

// domainToASCII is the "domain to ASCII" of the WHATWG URL standard, with the
// percent-decoding before it and the check for forbidden code points after it.
func domainToASCII(host string) (string, bool) {
	name := decodePercent(host)
	if !utf8.ValidString(name) {
		return "", false
	}
	if isTooLong(name) {
		return "", false
	}
	if isASCII(name) {
		name = strings.ToLower(name)
	} else {
		var err error
		if name, err = idnaProfile.ToASCII(strings.Map(newMapping, name)); err != nil {
			return "", false
		}
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7F || strings.IndexByte(`#%/:<>?@[\]^|`, c) >= 0 {
			return "", false
		}
	}
	return name, name != ""
}

const (
	maxLabel = 63  // characters, RFC 1035 §2.3.4
	maxHost  = 253 // without a dot at the end
)

// isTooLong reports whether a name cannot be one of the DNS: no label has fewer characters in ASCII. The time that IDNA
// takes grows with the square of a label's length.
func isTooLong(name string) bool {
	all, label := 0, 0
	for i, r := range name {
		switch all++; r {
		case '.', 0x3002, 0xFF0E, 0xFF61: // which IDNA all takes for a dot
			label = 0
			if i == len(name)-1 {
				all--
			}
		default:
			if label++; label > maxLabel {
				return true
			}
		}
		if all > maxHost {
			return true
		}
	}
	return false
}

// idnaProfile is UTS #46 as the URL standard calls it: no limits of length, no
// rules about hyphens, no transitional mapping.
var idnaProfile = idna.New(
	idna.MapForLookup(),
	idna.BidiRule(),
	idna.CheckJoiners(true),
	idna.ValidateLabels(true),
	idna.CheckHyphens(false),
	idna.StrictDomainName(false),
	idna.VerifyDNSLength(false),
	idna.Transitional(false),
)

// ReadableHost returns a host name in the letters of its language, the name itself if it has no others than ASCII.
func ReadableHost(name string) string {
	if !strings.Contains(name, "xn--") {
		return name
	}
	readable, err := idnaProfile.ToUnicode(name)
	if err != nil {
		return name
	}
	return readable
}

// newMapping maps the characters whose mapping changed after Unicode 15.0,
// which the tables of our IDNA library are of, as UTS #46 maps them since
// Unicode 16; -1 drops the character. All others are left to the library.
func newMapping(r rune) rune {
	switch {
	case r < 0x04C0:
		return r
	case 0x10A0 <= r && r <= 0x10C5: // Georgian capitals
		return r - 0x10A0 + 0x2D00
	case 0x2061 <= r && r <= 0x2063, 0x206A <= r && r <= 0x206F, 0x1D173 <= r && r <= 0x1D17A: // invisible
		return -1
	}
	switch r {
	case 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x3164, 0xFFA0: // fillers
		return -1
	case 0x04C0:
		return 0x04CF
	case 0x1E9E:
		return 0x00DF
	case 0x2132:
		return 0x214E
	case 0x2183:
		return 0x2184
	case 0x2F868:
		return 0x36FC
	case 0x2F874:
		return 0x5F53
	case 0x2F91F:
		return 0x243AB
	case 0x2F95F:
		return 0x7AEE
	case 0x2F9BF:
		return 0x45D7
	}
	return r
}

// decodePercent decodes percent-encoded octets; a "%" that encodes nothing stays.
func decodePercent(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			out = append(out, unhex(s[i+1])<<4|unhex(s[i+2]))
			i += 2
		} else {
			out = append(out, s[i])
		}
	}
	return string(out)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// asciiHost returns a host name as the parser writes it.
func asciiHost(host string) (string, error) {
	w, err := standard.Parse("http://" + host + "/")
	if err != nil {
		return "", fmt.Errorf("%w: host %.100q", ErrSyntax, host)
	}
	return w.Hostname(), nil
}

func isIP(host string) bool {
	if c := host[len(host)-1]; host[0] != '[' && (c < '0' || c > '9') && !strings.Contains(host, ":") {
		return false // the last label of an IPv4 address is a number
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}
