package settings

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets"
	"github.com/forage-net/forage/crawl"
)

const maxSeedFile = 64 << 20 // bytes

// ReadSeeds returns the seeds that the arguments name: an http(s) URL is a
// seed itself, anything else a file with one URL a line, where blank lines
// and those that begin with # are passed over. No argument means the built-in
// list. The error names file and line.
func ReadSeeds(args []string) ([]crawl.URL, error) {
	if len(args) == 0 {
		return parseSeeds("built-in seeds", strings.NewReader(assets.Seeds()))
	}
	var seeds []crawl.URL
	for _, arg := range args {
		if config.IsURL(arg) {
			u, err := crawl.ParseURL(arg)
			if err != nil {
				return nil, fmt.Errorf("seed %s: %w", arg, err)
			}
			seeds = append(seeds, u)
			continue
		}
		f, err := os.Open(arg)
		if err != nil {
			return nil, fmt.Errorf("read seeds: %w%s", err, siteHint(arg))
		}
		more, err := parseSeeds(arg, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, more...)
	}
	if len(seeds) == 0 {
		return nil, fmt.Errorf("no seed in %s", strings.Join(args, ", "))
	}
	return seeds, nil
}

// siteHint goes on from an error about a file of seeds that cannot be opened: who wrote the name of a site learns how
// it is written.
func siteHint(name string) string {
	if filepath.IsAbs(name) { // the settings begin it at their directory
		name = filepath.Base(name)
	}
	site, err := crawl.ParseURL("https://" + name)
	if err != nil || !strings.Contains(site.Hostname(), ".") {
		return ""
	}
	return "; for the site, write " + site.String()
}

func parseSeeds(name string, r io.Reader) ([]crawl.URL, error) {
	var seeds []crawl.URL
	limited := &io.LimitedReader{R: r, N: maxSeedFile + 1}
	lines := bufio.NewScanner(limited)
	n := 1
	for ; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if text == "" || text[0] == '#' {
			continue
		}
		u, err := crawl.ParseURL(text)
		_, bare := crawl.ParseURL("https://" + text)
		if err != nil && bare == nil && !strings.Contains(text, "://") && limited.N > 0 { // the line is not told
			return nil, fmt.Errorf("%s:%d: %w; write the address with https:// before it", name, n, crawl.ErrSyntax)
		} else if err != nil && limited.N > 0 {
			return nil, fmt.Errorf("%s:%d: %w", name, n, unquoted(err))
		}
		seeds = append(seeds, u)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: the line is longer than %d bytes", name, n, bufio.MaxScanTokenSize)
	} else if err != nil {
		return nil, fmt.Errorf("read seeds from %s: %w", name, err)
	}
	if limited.N <= 0 {
		return nil, fmt.Errorf("%s is longer than %d MB; divide it and give each part with --seeds",
			name, maxSeedFile>>20)
	}
	return seeds, nil
}

// unquoted returns what is wrong with a line without what it says: the file may be another than its user meant, a key
// for instance.
func unquoted(err error) error {
	for _, why := range []error{crawl.ErrTooLong, crawl.ErrScheme} {
		if errors.Is(err, why) {
			return why
		}
	}
	return crawl.ErrSyntax
}
