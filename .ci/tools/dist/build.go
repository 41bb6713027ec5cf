package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// builder runs the tools, in the checkout.
type builder struct {
	root, work string
	goTool     string
	say        io.Writer
}

// output runs a command and returns what it prints. env is added to the environment.
func (b *builder) output(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}

// target is a system that programs are built for.
type target struct {
	os, arch string
	cc       string // for what needs C
}

// program is one of ours.
type program struct {
	name   string
	window bool // it needs C, and on Windows no console
}

// programs are what every package holds.
var programs = []program{{name: "forage"}, {name: "forage-window", window: true}}

func (t target) file(p program) string {
	if t.os == "windows" {
		return p.name + ".exe"
	}
	return p.name
}

// env is the environment that a program is built in; everything that would change its bytes is in it.
func (t target) env(p program) []string {
	env := []string{"GOOS=" + t.os, "GOARCH=" + t.arch, "GOAMD64=v1", "CGO_ENABLED=0"}
	if p.window {
		env = append(env, "CGO_ENABLED=1", "CC="+t.cc, "CGO_CFLAGS=-O2 -g", "CGO_LDFLAGS=-O2 -g")
	}
	return env
}

// windowTags are those of a release. The window changes widgets on one goroutine only, which its tests watch; with the
// tag Fyne does not look again. Its emoji stay in: titles of pages have some.
const windowTags = "migrated_fynedo"

// buildFlags are those of every release. The commit is noted in the programs, whatever GOFLAGS says; the manual has its date
// from there.
func (t target) buildFlags(p program) []string {
	flags := []string{"-trimpath", "-buildvcs=auto"}
	linker := "-s -w"
	if p.window {
		flags = append(flags, "-tags", windowTags)
		if t.os == "windows" {
			linker += " -H=windowsgui"
		}
	}
	return append(flags, "-ldflags", linker)
}

// build builds a program and returns where it is.
func (b *builder) build(ctx context.Context, t target, p program) (string, error) {
	out := filepath.Join(b.work, t.os, t.file(p))
	fmt.Fprintf(b.say, "building %s for %s ...\n", t.file(p), t.os)
	args := append([]string{"build", "-o", out}, t.buildFlags(p)...)
	_, err := b.output(ctx, t.env(p), b.goTool, append(args, "./cmd/"+p.name)...)
	return out, err
}
