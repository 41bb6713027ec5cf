package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// law is what a web wants of its visitors. All but knows are asked only for
// hosts that are known.
type law interface {
	knows(host string) bool
	forbids(host, target string) bool
	isRobots(host, target string) bool
	// delay is what the host's robots.txt asks for between two requests.
	delay(host string) time.Duration
	// names reports whether there is a way to the URL.
	names(host, target string) bool
}

// claim is what a truth file says of a URL.
type claim uint8

const (
	claimNone claim = iota
	claimExpected
	claimForbidden
	claimOptional
	claimRobots
)

// claims is a truth file: see parseClaims.
type claims struct {
	exact  map[pageKey]claim
	under  map[string][]prefixClaim // by host
	delays map[string]time.Duration // by host
}

// prefixClaim is a claim of all that begins with a prefix.
type prefixClaim struct {
	prefix string
	claim  claim
}

// readTruthFile reads a truth file.
func readTruthFile(name string) (claims, truth, error) {
	f, err := os.Open(name)
	if err != nil {
		return claims{}, truth{}, err
	}
	defer f.Close()
	c, err := parseClaims(f)
	if err != nil {
		return claims{}, truth{}, fmt.Errorf("%s: %w", name, err)
	}
	t := truth{pages: make(map[pageKey]bool), barred: make(map[pageKey]bool)}
	for key, kind := range c.exact {
		switch kind {
		case claimExpected:
			t.pages[key] = true
		case claimForbidden:
			t.barred[key] = true
		}
	}
	return c, t, nil
}

// parseClaims reads lines of a word and a URL with a tab between: expected (to
// be fetched once), forbidden, optional, robots (a robots.txt), delay (with a
// third field, how long the URL's host wants to be left alone between two
// requests). A * at the end of a URL stands for any text; exact lines count for
// more than those, and longer prefixes for more than shorter ones.
func parseClaims(r io.Reader) (claims, error) {
	c := claims{exact: make(map[pageKey]claim), under: make(map[string][]prefixClaim),
		delays: make(map[string]time.Duration)}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if n > maxPages {
			return claims{}, fmt.Errorf("more than %d lines", maxPages)
		}
		if err := c.add(strings.Split(lines.Text(), "\t")); err != nil {
			return claims{}, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return c, lines.Err()
}

func (c *claims) add(fields []string) error {
	if len(fields) < 2 {
		return errors.New("no tab")
	}
	host, path, ok := strings.Cut(strings.TrimPrefix(fields[1], "http://"), "/")
	if !ok || host == "" || !strings.HasPrefix(fields[1], "http://") {
		return fmt.Errorf("%q is no http URL", fields[1])
	}
	var kind claim
	switch fields[0] {
	case "expected":
		kind = claimExpected
	case "forbidden":
		kind = claimForbidden
	case "optional":
		kind = claimOptional
	case "robots":
		kind = claimRobots
	case "delay":
		if len(fields) < 3 {
			return errors.New("a delay without a duration")
		}
		delay, err := time.ParseDuration(fields[2])
		if err != nil {
			return fmt.Errorf("delay: %w", err)
		}
		c.delays[host] = delay
		return nil
	default:
		return fmt.Errorf("%q is not a word for what to do with a URL", fields[0])
	}
	// A host without prefixes is known all the same.
	c.under[host] = append(c.under[host], []prefixClaim{}...)
	if prefix, ok := strings.CutSuffix(path, "*"); ok {
		c.under[host] = append(c.under[host], prefixClaim{keyOf(host, "/"+prefix).target, kind})
		return nil
	}
	c.exact[keyOf(host, "/"+path)] = kind
	return nil
}

// of returns what the file says of a URL.
func (c claims) of(host, target string) claim {
	key := keyOf(host, target)
	if kind := c.exact[key]; kind != claimNone {
		return kind
	}
	longest, kind := -1, claimNone
	for _, p := range c.under[host] {
		if len(p.prefix) > longest && strings.HasPrefix(key.target, p.prefix) {
			longest, kind = len(p.prefix), p.claim
		}
	}
	return kind
}

// knows implements law.
func (c claims) knows(host string) bool {
	_, ok := c.under[host]
	return ok
}

// forbids implements law.
func (c claims) forbids(host, target string) bool { return c.of(host, target) == claimForbidden }

// isRobots implements law.
func (c claims) isRobots(host, target string) bool { return c.of(host, target) == claimRobots }

// delay implements law.
func (c claims) delay(host string) time.Duration { return c.delays[host] }

// names implements law.
func (c claims) names(host, target string) bool { return c.of(host, target) != claimNone }
