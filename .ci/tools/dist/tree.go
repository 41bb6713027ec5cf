package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// file is one of an installed program.
type file struct {
	path string // below /usr, with slashes
	data []byte
	mode os.FileMode // permissions
}

// iconSizes are the PNGs that desktops look for.
var iconSizes = []int{16, 24, 32, 48, 64, 128, 256, 512}

// tree is everything that a package for Linux installs, sorted by path. bin has the programs.
func (b *builder) tree(ctx context.Context, f facts, t target, bin map[string]string) ([]file, error) {
	var l listing
	for _, p := range programs {
		l.copy("bin/"+p.name, bin[p.name], 0o755)
	}
	id := f.Details.ID
	source := func(name string) string { return filepath.Join(b.root, "assets", filepath.FromSlash(name)) }
	l.copy("share/applications/"+id+".desktop", source("linux/"+id+".desktop"), 0o644)
	l.copy("share/metainfo/"+id+".metainfo.xml", source("linux/"+id+".metainfo.xml"), 0o644)
	l.copy("lib/systemd/user/forage.service", source("linux/forage.service"), 0o644)
	for _, size := range iconSizes {
		l.copy(fmt.Sprintf("share/icons/hicolor/%dx%[1]d/apps/%s.png", size, id), source(fmt.Sprintf("icons/forage-%d.png", size)), 0o644)
	}
	l.copy("share/icons/hicolor/scalable/apps/"+id+".svg", source("icons/forage.svg"), 0o644)
	l.copy("share/icons/hicolor/symbolic/apps/"+id+"-symbolic.svg", source("icons/forage-symbolic.svg"), 0o644)
	l.copy("share/doc/forage/copyright", source("linux/copyright"), 0o644)
	l.copy("share/doc/forage/README.md", filepath.Join(b.root, "README.md"), 0o644)
	changes, err := os.ReadFile(filepath.Join(b.root, "CHANGELOG.md"))
	l.add("share/doc/forage/CHANGELOG.md.gz", zipped(changes), err)
	l.add("share/doc/forage/changelog.gz", zipped(debChanges(f)), nil)
	manual, err := os.ReadFile(source("linux/forage-window.1"))
	l.add("share/man/man1/forage-window.1.gz", zipped(manual), err)
	texts, err := b.licences(ctx, t)
	l.add("share/doc/forage/licenses.txt.gz", zipped(texts), err)
	l.printed(ctx, b, bin["forage"])
	return l.files, l.err
}

// printed adds what the program itself prints.
func (l *listing) printed(ctx context.Context, b *builder, forage string) {
	for _, p := range []struct {
		path string
		args []string
	}{
		{"share/man/man1/forage.1.gz", []string{"man"}},
		{"share/bash-completion/completions/forage", []string{"completion", "bash"}},
		{"share/zsh/vendor-completions/_forage", []string{"completion", "zsh"}},
		{"share/fish/vendor_completions.d/forage.fish", []string{"completion", "fish"}},
	} {
		// It must not look at a node of whoever builds.
		data, err := b.output(ctx, []string{"FORAGE_HOME=" + filepath.Join(b.work, "home")}, forage, p.args...)
		if path.Ext(p.path) == ".gz" {
			data = zipped(data)
		}
		l.add(p.path, data, err)
	}
}

// listing gathers files, and keeps the first error.
type listing struct {
	files []file
	err   error
}

func (l *listing) add(path string, data []byte, err error) {
	if l.err == nil {
		l.err = err
	}
	l.files = append(l.files, file{path, data, 0o644})
}

func (l *listing) copy(path, from string, mode os.FileMode) {
	data, err := os.ReadFile(from)
	l.add(path, data, err)
	l.files[len(l.files)-1].mode = mode
}

// zipped packs bytes, without a date.
func zipped(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // no such level
	}
	_, _ = w.Write(data) // a bytes.Buffer takes everything
	_ = w.Close()
	return b.Bytes()
}
