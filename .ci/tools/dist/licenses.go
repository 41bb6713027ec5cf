package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenceFile is what licences and notices are called.
var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|copyright)([._-].*)?$`)

// licences returns the texts that others ask to be passed on with what they wrote: of every module in the programs, of Go, and of
// the packages in the dashboard.
func (b *builder) licences(ctx context.Context, t target) ([]byte, error) {
	modules, err := b.modules(ctx, t)
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	all.WriteString("Forage contains work of others. These are their names and licences.\n")
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		texts, err := licencesIn(modules[name])
		if err != nil {
			return nil, fmt.Errorf("licences of %s: %w", name, err)
		}
		if len(texts) == 0 {
			return nil, fmt.Errorf("%s has no licence that could be found", name)
		}
		fmt.Fprintf(&all, "\n\n%s\n%s\n", name, strings.Repeat("=", len(name)))
		for _, text := range texts {
			fmt.Fprintf(&all, "\n%s\n", bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
		}
	}
	return all.Bytes(), nil
}

// modules returns the directories of all that is in the programs, by name and version.
func (b *builder) modules(ctx context.Context, t target) (map[string]string, error) {
	dirs := make(map[string]string)
	for _, p := range programs {
		const line = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}|{{.Dir}}{{end}}{{end}}`
		args := []string{"list", "-deps", "-f", line}
		if p.window {
			args = append(args, "-tags", windowTags)
		}
		out, err := b.output(ctx, t.env(p), b.goTool, append(args, "./cmd/"+p.name)...)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			if name, dir, ok := strings.Cut(strings.TrimSpace(line), "|"); ok {
				dirs[name] = dir
			}
		}
	}
	goroot, err := b.output(ctx, nil, b.goTool, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	dirs["Go"] = strings.TrimSpace(string(goroot))
	dirs["zxcvbn (list of passwords)"] = filepath.Join(b.root, "assets", "passwords")
	return dirs, npmPackages(filepath.Join(b.root, "ui", "web"), filepath.Join(b.root, "ui", "web"), dirs)
}

// npmPackages adds what a package of npm needs to run, and what that needs.
func npmPackages(web, dir string, dirs map[string]string) error {
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return fmt.Errorf("is the dashboard built? %w", err)
	}
	var p struct {
		Version      string
		Dependencies map[string]string
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	if dir != web {
		name := strings.TrimPrefix(filepath.ToSlash(dir), filepath.ToSlash(filepath.Join(web, "node_modules"))+"/")
		if dirs[name+" "+p.Version] != "" {
			return nil
		}
		dirs[name+" "+p.Version] = dir
	}
	for name := range p.Dependencies {
		if err := npmPackages(web, filepath.Join(web, "node_modules", filepath.FromSlash(name)), dirs); err != nil {
			return err
		}
	}
	return nil
}

// licencesIn returns the licences at the top of a directory, and those of fonts and code of others below. No text comes twice.
func licencesIn(dir string) ([][]byte, error) {
	var texts [][]byte
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != dir {
			if name := d.Name(); name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || isGoroot(dir) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !licenceFile.MatchString(d.Name()) || strings.HasSuffix(d.Name(), ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && !slices.ContainsFunc(texts, func(t []byte) bool { return bytes.Equal(t, text) }) {
			texts = append(texts, text)
		}
		return err
	})
	return texts, err
}

// isGoroot reports whether a directory is Go's own, below which are licences of much that is in no program.
func isGoroot(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "src", "runtime"))
	return !errors.Is(err, fs.ErrNotExist)
}
