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
	"github.com/forage-net/forage/assets/words"
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
				return nil, words.New("said.cli.seed", words.Args{"url": arg, "error": err})
			}
			seeds = append(seeds, u)
			continue
		}
		f, err := os.Open(arg)
		if err != nil {
			return nil, words.New("said.cli.read-seeds", words.Args{"error": withSite(err, arg)})
		}
		more, err := parseSeeds(arg, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, more...)
	}
	if len(seeds) == 0 {
		return nil, words.New("said.cli.no-seed-in", words.Args{"names": strings.Join(args, ", ")})
	}
	return seeds, nil
}

// withSite returns the error about a file of seeds that cannot be opened. Who wrote the name of a site learns from it
// how it is written.
func withSite(err error, name string) error {
	if filepath.IsAbs(name) { // the settings begin it at their directory
		name = filepath.Base(name)
	}
	site, wrong := crawl.ParseURL("https://" + name)
	if wrong != nil || !strings.Contains(site.Hostname(), ".") {
		return err
	}
	return words.New("said.cli.for-the-site-write", words.Args{"error": err, "address": site})
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
			why := words.New("said.cli.write-the-address-with-https", words.Args{"error": crawl.ErrSyntax})
			return nil, fmt.Errorf("%s:%d: %w", name, n, why)
		} else if err != nil && limited.N > 0 {
			return nil, fmt.Errorf("%s:%d: %w", name, n, unquoted(err))
		}
		seeds = append(seeds, u)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		why := words.New("said.cli.the-line-is-longer", words.Args{"most": bufio.MaxScanTokenSize})
		return nil, fmt.Errorf("%s:%d: %w", name, n, why)
	} else if err != nil {
		return nil, words.New("said.cli.read-seeds-from", words.Args{"path": name, "error": err})
	}
	if limited.N <= 0 {
		return nil, words.New("said.cli.seeds-longer-than", words.Args{"name": name, "most": maxSeedFile >> 20})
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
