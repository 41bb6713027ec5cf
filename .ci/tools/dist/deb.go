package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

func debName(f facts, t target) string {
	return fmt.Sprintf("forage_%s_%s.deb", f.Details.Version, t.arch)
}

// description is the one of the package: its first line is what lists show.
const description = `crawler of the web that people run at home
Forage lends this computer to a crawl of the web that nobody runs from the
middle. It visits public web pages politely, keeps what it finds as standard
WARC files, and works within limits that its user sets. Nodes share the web
among themselves.

This package has the node with its dashboard and tray icon (forage), which
needs no library and runs on a server too, and its window (forage-window),
which needs the recommended packages.`

const maintainer = "The Forage developers <forage-net@users.noreply.github.com>"

// debChanges is the list of changes as tools of Debian read it; people read CHANGELOG.md.
func debChanges(f facts) []byte {
	return fmt.Appendf(nil, "forage (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz beside this file.\n\n -- %s  %s\n",
		f.Details.Version, maintainer, f.date.UTC().Format(time.RFC1123Z))
}

// writeDeb writes the package for Debian and Ubuntu. It has no scripts: what desktops must know of new files they learn
// by triggers of their own, and a node is started by whoever wants one, never by its installation.
func writeDeb(name string, f facts, t target, tree []file, n needs) error {
	info, clean, err := debInfo(f, t, tree, n)
	if err != nil {
		return err
	}
	defer clean()
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := deb.Default.Package(info, out); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return out.Close()
}

// debInfo is what nfpm packs. clean removes the files that it reads.
func debInfo(f facts, t target, tree []file, n needs) (info *nfpm.Info, clean func(), err error) {
	dir, err := os.MkdirTemp("", "forage-deb-")
	if err != nil {
		return nil, nil, err
	}
	clean = func() { os.RemoveAll(dir) }
	var contents files.Contents
	for i, x := range tree {
		from := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(from, x.data, 0o600); err != nil {
			clean()
			return nil, nil, err
		}
		contents = append(contents, &files.Content{
			Source: from, Destination: "/usr/" + x.path,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: x.mode, MTime: f.date},
		})
	}
	info = nfpm.WithDefaults(&nfpm.Info{
		Name: "forage", Arch: t.arch, Platform: "linux", Version: f.Details.Version, Section: "net", Priority: "optional",
		Maintainer: maintainer, Description: description, Homepage: f.Website,
		License: "Apache-2.0", MTime: f.date, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Depends: []string{"libc6 (>= " + n.libc + ")", "ca-certificates"},
			// A server takes the node alone: apt install --no-install-recommends.
			Recommends: append(append([]string{}, n.packages...), "xdg-utils"),
			Contents:   contents,
			Deb:        nfpm.Deb{Compression: "xz"},
		},
	})
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		clean()
		return nil, nil, err
	}
	return info, clean, nil
}
