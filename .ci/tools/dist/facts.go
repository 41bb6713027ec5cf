package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// facts are what the packages say of the program.
type facts struct {
	Website string
	Details struct {
		Name, ID, Version, Icon string
		Build                   int
	}
	LinuxAndBSD struct{ GenericName, Comment string }

	// date is that of everything in the packages.
	date time.Time
}

const copyright = "The Forage developers. Apache-2.0"

var versionLine = regexp.MustCompile(`(?m)^const Version = "([^"]+)"$`)

// readFacts reads FyneApp.toml, the version of the source, and the date of the commit.
func readFacts(ctx context.Context, b *builder) (facts, error) {
	var f facts
	if _, err := toml.DecodeFile(filepath.Join(b.root, "FyneApp.toml"), &f); err != nil {
		return f, fmt.Errorf("read FyneApp.toml: %w", err)
	}
	source, err := os.ReadFile(filepath.Join(b.root, "crawl", "useragent.go"))
	if err != nil {
		return f, err
	}
	m := versionLine.FindSubmatch(source)
	if m == nil || string(m[1]) != f.Details.Version {
		return f, fmt.Errorf("FyneApp.toml has the version %q, crawl.Version is %q", f.Details.Version, m)
	}
	f.date, err = dateOf(ctx, b)
	return f, err
}

// dateOf is SOURCE_DATE_EPOCH (reproducible-builds.org), or the date of the last commit.
func dateOf(ctx context.Context, b *builder) (time.Time, error) {
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		out, err := b.output(ctx, nil, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return time.Time{}, fmt.Errorf("the date of the source is not known; set SOURCE_DATE_EPOCH: %w", err)
		}
		epoch = strings.TrimSpace(string(out))
		if out, err := b.output(ctx, nil, "git", "status", "--porcelain"); err == nil && len(out) > 0 {
			fmt.Fprintf(b.say, "These are not the packages of a commit: the checkout has changes.\n%s", out)
		}
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
