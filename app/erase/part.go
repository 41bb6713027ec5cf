package erase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/requestlog"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/requests"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
)

// part is what is erased of the web: sites and single addresses. Which addresses there are is kept: other members know
// them too, and a node that forgot them would visit them again.
type part struct {
	sites *scope.Refusals
	urls  map[string]bool
	// names are how they are written in logs, domains whose they are.
	names   []string
	domains []crawl.Domain
}

func partOf(what api.Erasure) (*part, error) {
	p := &part{urls: make(map[string]bool)}
	var sites []string
	for _, text := range what.Sites {
		site, err := scope.NeverFrom(text)
		if err != nil {
			return nil, err
		}
		host, _, _ := strings.Cut(strings.TrimPrefix(site, "*."), "/")
		sites, p.names, p.domains = append(sites, site), append(p.names, host), append(p.domains, crawl.DomainOf(host))
	}
	for _, text := range what.URLs {
		u, err := crawl.ParseURL(text)
		if err != nil {
			return nil, fmt.Errorf("%.200q is not a web address", text)
		}
		p.urls[u.String()] = true
		p.names, p.domains = append(p.names, u.String()), append(p.domains, u.Domain())
	}
	var err error
	p.sites, err = scope.NewRefusals(scope.RefusalsConfig{Sites: sites, Lab: true})
	return p, err
}

// gone reports whether an address is of the part.
func (p *part) gone(address string) bool {
	u, err := crawl.ParseURL(address)
	return err == nil && (p.urls[u.String()] || p.sites.Reason(u) != nil)
}

// erase takes the part out of the files of a node, which must not be running. Whenever it is interrupted, a second call
// goes on.
func (p *part) erase(ctx context.Context, paths config.Paths) error {
	cfg, err := config.Read(paths.Config)
	if err != nil {
		cfg = config.Defaults() // what is wrong with them is told elsewhere
	}
	db, err := storage.Open(paths.Store(), storage.Options{}) // a running node holds it
	if err != nil {
		return words.New("said.trouble.erase", words.Args{"error": err})
	}
	err = p.eraseBeside(ctx, paths, cfg)
	if err == nil {
		err = db.Update(func(tx *storage.Tx) error { return p.eraseRecords(tx, paths.WARC()) })
	}
	if err = errors.Join(err, db.Close()); err == nil {
		err = storage.Compact(paths.Store()) // what was deleted is still in the file
	}
	if err != nil {
		return words.New("said.trouble.erase", words.Args{"error": err})
	}
	return nil
}

// eraseBeside erases from the files beside the store.
func (p *part) eraseBeside(ctx context.Context, paths config.Paths, cfg config.Config) error {
	files, err := warc.Open(warc.Config{Dir: paths.WARC(), Info: ledger.ArchiveInfo(false, cfg.Net.Name)})
	if err != nil {
		return err
	}
	_, err = files.Erase(ctx, warc.Erasing{Gone: p.gone, Whole: makeWhole})
	if err = errors.Join(err, files.Close()); err != nil {
		return err
	}
	if _, err := os.Stat(paths.Index()); err == nil {
		if err := find.Purge(ctx, library.IndexConfig(paths, cfg)); err != nil {
			return err
		}
	}
	logs := p.eraseLogs(paths.State, filepath.Dir(paths.Config))
	err = requests.Dir(requestlog.Dir(paths.State)).Drop(ctx, func(r *requests.Record) bool {
		return p.gone(r.URL) || p.sites.Domain(crawl.Domain(r.Domain)) != nil
	})
	return errors.Join(err, os.RemoveAll(export.Scratch(paths)), logs)
}

// makeWhole makes of a revisit a capture with a payload of its own.
func makeWhole(c *capture.Capture, original []byte) error {
	u, err := crawl.ParseURL(c.URL)
	if err != nil {
		return err
	}
	if c.Response, err = ledger.WithBody(u, c.Response[:c.HeadLen], original); err != nil {
		return err
	}
	c.Metadata = append(c.Metadata, [2]string{ledger.FieldSettled, "yes"})
	return nil
}

// eraseLogs takes the lines that name the part out of the logs of programs.
func (p *part) eraseLogs(dirs ...string) (all error) {
	for _, dir := range dirs {
		for _, pattern := range []string{"*.log", "*.log.1"} {
			names, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is right
			for _, name := range names {
				all = errors.Join(all, p.eraseLog(name))
			}
		}
	}
	return all
}

// eraseLog leaves the file the same one: a process may have it open to append to it.
func (p *part) eraseLog(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var kept []byte
	for line := range bytes.Lines(text) {
		if !p.named(strings.ToLower(string(line))) {
			kept = append(kept, line...)
		}
	}
	if len(kept) == len(text) {
		return nil
	}
	return os.WriteFile(name, kept, 0o600)
}

func (p *part) named(line string) bool {
	return slices.ContainsFunc(p.names, func(name string) bool { return strings.Contains(line, strings.ToLower(name)) })
}

// eraseRecords erases from the store what pages said: titles, robots.txt, and where payloads are. dir is the archive.
func (p *part) eraseRecords(tx *storage.Tx, dir string) error {
	for _, d := range p.domains {
		if err := forgetTitle(tx, d); err != nil {
			return err
		}
	}
	return ledger.Forget(tx, dir, p.gone)
}

func forgetTitle(tx *storage.Tx, d crawl.Domain) error {
	return stream.Rewrite(stream.FromStorage(tx), d, store.RecordKey, func(value []byte) []byte {
		r, err := store.DecodeRecord(value)
		if err != nil {
			return value
		}
		r.Title, r.TitleDepth = "", 0
		return r.Encode()
	})
}
