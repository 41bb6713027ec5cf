package main

import (
	"debug/elf"
	"fmt"
	"strconv"
	"strings"
)

// debianPackages say where Debian and Ubuntu keep the libraries that the window is linked with. The node is linked with none.
var debianPackages = map[string]string{
	"libGL.so.1":             "libgl1",
	"libwayland-client.so.0": "libwayland-client0",
	"libc.so.6":              "",
	"libm.so.6":              "",
	"libpthread.so.0":        "",
	"libdl.so.2":             "",
	"librt.so.1":             "",
	"ld-linux-x86-64.so.2":   "",
	"ld-linux-aarch64.so.1":  "",
}

// opened are the packages of libraries that the window looks for when it runs: screens, pointers and keyboards of X11 and
// Wayland, and what draws its frame on GNOME.
var opened = []string{
	"libx11-6", "libx11-xcb1", "libxcursor1", "libxext6", "libxi6", "libxinerama1", "libxrandr2", "libxrender1", "libxxf86vm1",
	"libxkbcommon0", "libegl1", "libwayland-cursor0", "libwayland-egl1", "libdecor-0-0",
}

// needs are what the programs need of a system.
type needs struct {
	libc     string   // the least version of the C library
	packages []string // of the libraries of the window
}

// needsOf reads what a program is linked with.
func needsOf(name string) (needs, error) {
	var n needs
	f, err := elf.Open(name)
	if err != nil {
		return n, err
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return n, err
	}
	for _, library := range libraries {
		pkg, known := debianPackages[library]
		if !known {
			return n, fmt.Errorf("%s is linked with %s, whose package nobody named", name, library)
		}
		if pkg != "" {
			n.packages = append(n.packages, pkg)
		}
	}
	n.packages = append(n.packages, opened...)
	symbols, err := f.ImportedSymbols()
	if err != nil {
		return n, err
	}
	least := []int{2, 17}
	for _, s := range symbols {
		if v := libcVersion(s.Version); v != nil && (v[0] > least[0] || v[0] == least[0] && v[1] > least[1]) {
			least = v
		}
	}
	n.libc = fmt.Sprintf("%d.%d", least[0], least[1])
	return n, nil
}

// libcVersion reads the version of a symbol of the C library, nil if it is none.
func libcVersion(symbol string) []int {
	text, ok := strings.CutPrefix(symbol, "GLIBC_")
	if !ok {
		return nil
	}
	major, minor, _ := strings.Cut(text, ".")
	minor, _, _ = strings.Cut(minor, ".")
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if err != nil || err2 != nil {
		return nil
	}
	return []int{a, b}
}
