package main

import (
	"archive/tar"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ulikunitz/xz"
)

// windowLibraries are what the compiler asks pkg-config for.
var windowLibraries = []string{"gl", "x11", "xcursor", "xrandr", "xinerama", "xi", "xxf86vm", "xkbcommon", "wayland-client"}

// linux makes the packages for Linux, of the architecture of this machine.
func linux(ctx context.Context, b *builder, f facts, out string) error {
	const what = "packages for Linux"
	if runtime.GOOS != "linux" {
		return leftOut{what, "they are built on Linux"}
	}
	t := target{os: "linux", arch: runtime.GOARCH, cc: cmp.Or(os.Getenv("CC"), "gcc")}
	if _, err := exec.LookPath(t.cc); err != nil {
		return leftOut{what, "there is no C compiler"}
	}
	for _, library := range windowLibraries {
		if _, err := b.output(ctx, nil, "pkg-config", "--exists", library); err != nil {
			return leftOut{what, "pkg-config does not find " + library + ", which the window is built with (.ci/needs window)"}
		}
	}
	bin := make(map[string]string)
	for _, p := range programs {
		var err error
		if bin[p.name], err = b.build(ctx, t, p); err != nil {
			return err
		}
	}
	files, err := b.tree(ctx, f, t, bin)
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	fmt.Fprintln(b.say, "packing for Linux ...")
	depends, err := needsOf(bin["forage-window"])
	if err != nil {
		return err
	}
	if err := writeDeb(filepath.Join(out, debName(f, t)), f, t, files, depends); err != nil {
		return err
	}
	return b.writeTarball(filepath.Join(out, fmt.Sprintf("forage-%s-linux-%s.tar.xz", f.Details.Version, t.arch)), f, files)
}

// writeTarball writes the archive that is unpacked anywhere: a Makefile installs what is below usr/local in it.
func (b *builder) writeTarball(name string, f facts, files []file) error {
	top := "forage-" + f.Details.Version
	all := make([]file, 0, len(files)+3)
	for from, to := range map[string]string{"assets/linux/archive/Makefile": "Makefile", "assets/linux/archive/README.txt": "README.txt", "LICENSE": "LICENSE"} {
		data, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(from)))
		if err != nil {
			return err
		}
		all = append(all, file{top + "/" + to, data, 0o644})
	}
	for _, x := range files {
		// Where zsh looks without a package manager.
		x.path = strings.Replace(x.path, "zsh/vendor-completions", "zsh/site-functions", 1)
		x.path = top + "/usr/local/" + x.path
		all = append(all, x)
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer out.Close()
	packed, err := xz.NewWriter(out)
	if err != nil {
		return err
	}
	if err := writeTar(packed, all, f.date); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return out.Close()
}

// writeTar writes files and the directories that they are in, sorted, owned by root, all of one date.
func writeTar(w io.Writer, files []file, date time.Time) error {
	entries := make(map[string]file)
	for _, f := range files {
		entries[f.path] = f
		for dir := path.Dir(f.path); dir != "."; dir = path.Dir(dir) {
			entries[dir+"/"] = file{path: dir + "/", mode: 0o755}
		}
	}
	t := tar.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		e := entries[name]
		h := &tar.Header{
			Name: name, Size: int64(len(e.data)), Mode: int64(e.mode), ModTime: date, Uname: "root", Gname: "root",
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		}
		if strings.HasSuffix(name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	return t.Close()
}
