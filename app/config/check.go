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

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/scope"
)

// The checks return nil or what is wrong, to be read after the value.

func checkNetwork(s string) error {
	if len(s) < 1 || len(s) > 32 {
		return notAllowed
	}
	for i := range len(s) {
		if c := s[i]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return notAllowed
		}
	}
	return nil
}

// checkDoor and checkListen look at the form alone; what is in it is found out
// when it is used.
func checkDoor(s string) error {
	if !strings.HasPrefix(s, "/") || len(s) > 512 || strings.ContainsAny(s, " \t\n") {
		return words.New("said.settings.is-no-address-of-a-node", nil)
	}
	return nil
}

func checkListen(s string) error {
	if s == ListenAuto {
		return nil
	}
	if !strings.HasPrefix(s, "/ip4/") && !strings.HasPrefix(s, "/ip6/") || len(s) > 512 ||
		strings.ContainsAny(s, " \t\n") {
		return words.New("said.settings.is-no-address-to-listen-on", nil)
	}
	return nil
}

// checkListFile looks at the form alone.
func checkListFile(s string) error {
	switch {
	case strings.Contains(s, "://"):
		return words.New("said.settings.is-an-address", nil)
	case s == "" || len(s) > maxText || strings.ContainsFunc(s, unicode.IsControl):
		return notAllowed
	}
	return nil
}

func checkAddr(s string) error {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return words.New("said.settings.is-no-address-with-a-port", nil)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return words.New("said.settings.has-no-port-from-0-to", nil)
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "localhost" {
		return words.New("said.settings.has-no-address-of-this-computer", nil)
	}
	return nil
}

// checkHost lets names and addresses through by which a browser can call, with or without a port.
func checkHost(s string) error {
	host := s
	if h, port, err := net.SplitHostPort(s); err == nil {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return notAllowed
		}
		host = h
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	if host == "" || len(host) > 253 || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_") != "" {
		return notAllowed
	}
	return nil
}

// checkFile looks at the form alone: the file may come later.
func checkFile(s string) error {
	if len(s) > maxText || strings.ContainsRune(s, 0) {
		return notAllowed
	}
	if s != "" && !filepath.IsAbs(s) {
		return words.New("said.settings.is-no-absolute-path", nil)
	}
	return nil
}

// maxText bounds one text of a list, in bytes: a long path, or a URL.
const maxText = 4096

func checkSeed(s string) error {
	if s == "" || len(s) > maxText {
		return notAllowed
	}
	if !IsURL(s) {
		return nil
	}
	switch _, err := crawl.ParseURL(s); {
	case errors.Is(err, crawl.ErrScheme):
		return words.New("said.settings.is-neither-an-http", nil)
	case err != nil:
		return words.New("said.settings.is-no-web-address", nil)
	}
	return nil
}

// IsURL reports whether a seed is an address, of whatever scheme, rather than a file name.
func IsURL(seed string) bool { return strings.Contains(seed, "://") }

func checkNever(s string) error {
	_, err := scope.NeverPattern(s)
	return patternTrouble(s, err)
}

func checkUntrap(s string) error {
	_, err := scope.NewPatterns([]string{s})
	return patternTrouble(s, err)
}

func checkMine(s string) error {
	_, err := scope.OwnDomain(s)
	return patternTrouble(s, err)
}

func checkTLD(s string) error {
	_, err := scope.TopLevel(s)
	return patternTrouble(s, err)
}

func checkTopic(s string) error {
	if !slices.Contains(scope.TopicNames(), s) {
		return words.New("said.settings.is-none", nil)
	}
	return nil
}

// patternTrouble returns what crawl/scope says is wrong with s.
func patternTrouble(s string, err error) error {
	var bad *scope.PatternError
	switch {
	case errors.As(err, &bad):
		return bad.Reason
	case err != nil || len(s) > crawl.MaxURL:
		return notAllowed
	}
	return nil
}

// checkPattern keeps out what cannot be a pattern; crawl/scope reads the rest.
func checkPattern(s string) error {
	if s == "" || len(s) > crawl.MaxURL || strings.ContainsAny(s, " \t") {
		return notAllowed
	}
	return nil
}
