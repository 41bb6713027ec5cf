package config

import (
	"errors"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/scope"
)

// The checks return "" or what is wrong, to be read after the value.

func checkNetwork(s string) string {
	if len(s) < 1 || len(s) > 32 {
		return notAllowed
	}
	for i := range len(s) {
		if c := s[i]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return notAllowed
		}
	}
	return ""
}

// checkDoor and checkListen look at the form alone; what is in it is found out
// when it is used.
func checkDoor(s string) string {
	if !strings.HasPrefix(s, "/") || len(s) > 512 || strings.ContainsAny(s, " \t\n") {
		return "is not the address of a node"
	}
	return ""
}

func checkListen(s string) string {
	if s == ListenAuto {
		return ""
	}
	if !strings.HasPrefix(s, "/ip4/") && !strings.HasPrefix(s, "/ip6/") || len(s) > 512 ||
		strings.ContainsAny(s, " \t\n") {
		return "is not an address to listen on"
	}
	return ""
}

func checkRole(s string) string {
	if s != "node" && s != "bootstrap" {
		return notAllowed
	}
	return ""
}

// checkListFile looks at the form alone.
func checkListFile(s string) string {
	switch {
	case strings.Contains(s, "://"):
		return "is an address; save the list, and name the file"
	case s == "" || len(s) > maxText || strings.ContainsFunc(s, unicode.IsControl):
		return notAllowed
	}
	return ""
}

func checkTableMode(s string) string {
	if s != "auto" && s != "client" && s != "server" {
		return notAllowed
	}
	return ""
}

func checkAddr(s string) string {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return "is not an address with a port"
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return "has no port from 0 to 65535"
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "localhost" {
		return "has no address of this computer before the port"
	}
	return ""
}

// checkHost lets names and addresses through by which a browser can call, with or without a port.
func checkHost(s string) string {
	host := s
	if h, port, err := net.SplitHostPort(s); err == nil {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return notAllowed
		}
		host = h
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	if host == "" || len(host) > 253 || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_") != "" {
		return notAllowed
	}
	return ""
}

// checkFile looks at the form alone: the file may come later.
func checkFile(s string) string {
	if len(s) > maxText || strings.ContainsRune(s, 0) {
		return notAllowed
	}
	if s != "" && !filepath.IsAbs(s) {
		return "is not an absolute path"
	}
	return ""
}

// maxText bounds one text of a list, in bytes: a long path, or a URL.
const maxText = 4096

func checkSeed(s string) string {
	if s == "" || len(s) > maxText {
		return notAllowed
	}
	if IsURL(s) {
		if _, err := crawl.ParseURL(s); err != nil {
			return "is not a web address"
		}
		return ""
	}
	if strings.Contains(s, "://") {
		return "is neither an http or https address nor the name of a file"
	}
	return ""
}

// IsURL reports whether a seed is an address rather than a file name.
func IsURL(seed string) bool {
	scheme, _, found := strings.Cut(seed, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

func checkNever(s string) string {
	_, err := scope.NeverPattern(s)
	return patternTrouble(s, err)
}

func checkUntrap(s string) string {
	_, err := scope.NewPatterns([]string{s})
	return patternTrouble(s, err)
}

func checkMine(s string) string {
	_, err := scope.OwnDomain(s)
	return patternTrouble(s, err)
}

func checkTLD(s string) string {
	_, err := scope.TopLevel(s)
	return patternTrouble(s, err)
}

func checkTopic(s string) string {
	if !slices.Contains(scope.TopicNames(), s) {
		return "is none"
	}
	return ""
}

// patternTrouble returns what crawl/scope says is wrong with s.
func patternTrouble(s string, err error) string {
	var bad *scope.PatternError
	switch {
	case errors.As(err, &bad):
		return bad.Reason
	case err != nil || len(s) > crawl.MaxURL:
		return notAllowed
	}
	return ""
}

// checkPattern keeps out what cannot be a pattern; crawl/scope reads the rest.
func checkPattern(s string) string {
	if s == "" || len(s) > crawl.MaxURL || strings.ContainsAny(s, " \t") {
		return notAllowed
	}
	return ""
}
