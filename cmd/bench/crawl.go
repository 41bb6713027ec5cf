package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/forage-net/forage/app/demo"
)

// crawled is what one crawl showed.
type crawled struct {
	usage
	verdict
	disk  disk
	sizes sizes // only where they were asked for
}

// crawlOnce serves a fresh web, lets the child crawl it into a fresh home, and
// removes both. A crawl that ended but was wrong is no error.
func crawlOnce(ctx context.Context, o options, profile string, withSizes bool) (_ *crawled, err error) {
	asked := newTally()
	web, err := demo.Start(demo.Options{Pages: o.pages, PageBytes: o.bytes, Log: asked.add})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, web.Close()) }()
	if err := web.Warm(ctx); err != nil {
		return nil, fmt.Errorf("warm the practice web: %w", err)
	}
	dir, err := os.MkdirTemp("", "forage-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a home for the child: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	home, hosts := filepath.Join(dir, "node"), filepath.Join(dir, "hosts")
	if err := os.WriteFile(hosts, []byte(web.Hosts()), 0o600); err != nil {
		return nil, fmt.Errorf("write the hosts file: %w", err)
	}

	c := new(crawled)
	if c.usage, err = runChild(ctx, childEnv(profile), o.forage, childArgs(home, hosts, web.StartURL())...); err != nil {
		return nil, err
	}
	c.verdict = asked.judge(web.Expected(), web.Forbidden(), 0)
	if c.disk, err = diskOf(home); err != nil {
		return nil, fmt.Errorf("look at what the child wrote: %w", err)
	}
	if withSizes {
		c.sizes, err = sizesOf(ctx, web)
	}
	return c, err
}

// childArgs returns the arguments of the node: as fast as it can, and
// everything durable.
func childArgs(home, hosts, seed string) []string {
	return []string{
		"run", "--home", home, "--accept", "--lab", "--hosts", hosts, "--seeds", seed,
		"--gap", "0s", "--fetchers", "16", "--no-limits", "--no-tray", "--api", "127.0.0.1:0", "--exit-when-idle", "2s",
	}
}

// disk is what a node left, in bytes.
type disk struct {
	warc, index, store int64
}

// diskOf tells a node's files apart by their names.
func diskOf(home string) (disk, error) {
	var d disk
	err := filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch name := entry.Name(); {
		case strings.HasSuffix(name, ".warc.gz"):
			d.warc += info.Size()
		case strings.HasSuffix(name, ".cdxj"):
			d.index += info.Size()
		case strings.HasSuffix(name, ".db"):
			d.store += info.Size()
		}
		return nil
	})
	return d, err
}
