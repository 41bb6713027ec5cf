package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tc-hib/winres"
	"github.com/tc-hib/winres/version"
	"github.com/ulikunitz/xz"
)

var update = flag.Bool("update", false, "write the golden files")

var thisTarget = target{os: "linux", arch: "amd64", cc: "gcc"}

// aTree is everything that is installed, with scripts in the place of the programs.
func aTree(t *testing.T, b *builder, f facts) []file {
	t.Helper()
	bin := make(map[string]string)
	for _, p := range programs {
		bin[p.name] = filepath.Join(t.TempDir(), p.name)
		if err := os.WriteFile(bin[p.name], []byte("#!/bin/sh\necho \"$@\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	files, err := b.tree(t.Context(), f, thisTarget, bin)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// members reads an ar archive (deb(5)).
func members(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	rest, ok := bytes.CutPrefix(data, []byte("!<arch>\n"))
	if !ok {
		t.Fatal("no ar archive")
	}
	all := make(map[string][]byte)
	for len(rest) >= 60 {
		var size int
		if _, err := fmt.Sscan(string(rest[48:58]), &size); err != nil {
			t.Fatal(err)
		}
		all[strings.TrimRight(string(rest[:16]), " /")] = rest[60 : 60+size]
		rest = rest[min(len(rest), 60+size+size%2):]
	}
	return all
}

// entries lists the tar of that name in a package as "tar -tv" does, and returns the texts of its files.
func entries(t *testing.T, parts map[string][]byte, name string) (lines []string, texts map[string]string) {
	t.Helper()
	var plain io.Reader
	var err error
	if packed, ok := parts[name+".gz"]; ok {
		plain, err = gzip.NewReader(bytes.NewReader(packed))
	} else {
		plain, err = xz.NewReader(bytes.NewReader(parts[name+".xz"]))
	}
	if err != nil {
		t.Fatal(err)
	}
	texts = make(map[string]string)
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if err == io.EOF {
			return lines, texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(epoch) || h.Uid != 0 || h.Gid != 0 {
			t.Errorf("%s is of %v and belongs to %d:%d", h.Name, h.ModTime, h.Uid, h.Gid)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimPrefix(h.Name, ".")] = string(text)
		lines = append(lines, fmt.Sprintf("%s %s", h.FileInfo().Mode(), strings.TrimPrefix(h.Name, ".")))
	}
}

// The package installs exactly these files, needs these packages, and runs nothing when it is installed.
func TestDeb_HasExactlyThis(t *testing.T) {
	b := aBuilder(t)
	f := theFacts(t, b)
	files := aTree(t, b, f)
	var packages [2][]byte
	for i := range packages {
		name := filepath.Join(t.TempDir(), "forage.deb")
		if err := writeDeb(name, f, thisTarget, files, needs{libc: "2.34", packages: []string{"libgl1"}}); err != nil {
			t.Fatal(err)
		}
		var err error
		if packages[i], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
		rand.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	}
	if !bytes.Equal(packages[0], packages[1]) {
		t.Error("files in another order make another package")
	}
	parts := members(t, packages[0])
	data, _ := entries(t, parts, "data.tar")
	control, texts := entries(t, parts, "control.tar")
	got := strings.Join(control, "\n") + "\n\n" + texts["/control"] + "\n" + strings.Join(data, "\n") + "\n"
	got = regexp.MustCompile(`(?m)^Installed-Size: \d+$`).ReplaceAllString(got, "Installed-Size: SIZE")
	golden(t, "deb.txt", strings.Replace(got, "Version: "+f.Details.Version+"\n", "Version: VERSION\n", 1))
}

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant what is in %s (go test -update writes it)", got, path)
	}
}

// The archive installs what the package does, wherever one says, and removes all of it.
func TestTarball_InstallsAndRemoves(t *testing.T) {
	for _, name := range []string{"make", "tar", "xz"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name, "is not installed")
		}
	}
	b := aBuilder(t)
	f := theFacts(t, b)
	files := aTree(t, b, f)
	name := filepath.Join(t.TempDir(), "forage.tar.xz")
	if err := b.writeTarball(name, f, files); err != nil {
		t.Fatal(err)
	}
	dir, home := t.TempDir(), t.TempDir()
	make := func(target string) {
		t.Helper()
		cmd := exec.Command("make", "-s", "-C", filepath.Join(dir, "forage-"+f.Details.Version), target)
		cmd.Env = append(os.Environ(), "HOME="+home, "MAKEFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("make %s: %v\n%s", target, err, out)
		}
	}
	if out, err := exec.Command("tar", "-xJf", name, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, out)
	}
	make("user-install")
	if got := below(t, home); len(got) < len(files) {
		t.Errorf("%d files are installed, want %d: %q", len(got), len(files), got)
	}
	for path, want := range map[string]string{
		"share/applications/io.github.forage_net.forage.desktop": "\nExec=" + home + "/.local/bin/forage\n",
		"lib/systemd/user/forage.service":                        "\nExecStart=" + home + "/.local/bin/forage run",
	} {
		text, err := os.ReadFile(filepath.Join(home, ".local", path))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no line %q, %v", path, want, err)
		}
	}
	if info, err := os.Stat(filepath.Join(home, ".local/bin/forage")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("forage is there as %v, %v", info, err)
	}
	make("user-uninstall")
	left := slices.DeleteFunc(below(t, home), func(name string) bool {
		// What tools of the desktop keep for all programs.
		return strings.HasSuffix(name, "mimeinfo.cache") || strings.HasSuffix(name, "icon-theme.cache")
	})
	if len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

// below lists the files below a directory.
func below(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A program for Windows gets an icon, a manifest and a version, and the same ones each time.
func TestResources_AreInTheProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles Go's runtime for Windows")
	}
	b := aBuilder(t)
	f := theFacts(t, b)
	win := target{os: "windows", arch: "amd64"}
	dir := t.TempDir()
	source := "module x\n\ngo 1.26\n"
	for name, text := range map[string]string{"go.mod": source, "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	exe := filepath.Join(dir, "forage.exe")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", exe)
	build.Dir = dir
	build.Env = append(os.Environ(), win.env(programs[0])...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	first, err := b.withResources(exe, f, win, programs[0])
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.withResources(exe, f, win, programs[0])
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("the second time it is another program, %v", err)
	}
	rs, err := winres.LoadFromEXE(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rs.GetIcon(winres.Name("APPICON")); err != nil {
		t.Error(err)
	}
	info, err := version.FromBytes(rs.Get(winres.RT_VERSION, winres.ID(1), version.LangDefault))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(f.Details.Version, ".", " ") + fmt.Sprint(" ", f.Details.Build)
	if got := strings.Trim(fmt.Sprint(info.FileVersion), "[]"); got != want {
		t.Errorf("the version is %s, want %s", got, want)
	}
	if !bytes.Contains(rs.Get(winres.RT_MANIFEST, winres.ID(1), winres.LCIDDefault), []byte("longPathAware")) {
		t.Error("there is no manifest")
	}
}

func TestLibcVersion(t *testing.T) {
	for symbol, want := range map[string][]int{"GLIBC_2.34": {2, 34}, "GLIBC_2.2.5": {2, 2}, "GLIBC_PRIVATE": nil, "": nil, "GCC_3.0": nil} {
		if got := libcVersion(symbol); !slices.Equal(got, want) {
			t.Errorf("libcVersion(%q) = %v, want %v", symbol, got, want)
		}
	}
}
