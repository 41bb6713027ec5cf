package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tc-hib/winres"
	"github.com/tc-hib/winres/version"
)

// mingw compiles C for Windows on Linux; the package is gcc-mingw-w64-x86-64-win32.
const mingw = "x86_64-w64-mingw32-gcc"

// windows makes the package for Windows on amd64.
func windows(ctx context.Context, b *builder, f facts, out string) error {
	if _, err := exec.LookPath(mingw); err != nil {
		return leftOut{"package for Windows", "there is no " + mingw + " (.ci/needs mingw)"}
	}
	t := target{os: "windows", arch: "amd64", cc: mingw}
	top := "Forage/"
	var files []file
	for _, p := range programs {
		plain, err := b.build(ctx, t, p)
		if err != nil {
			return err
		}
		data, err := b.withResources(plain, f, t, p)
		if err != nil {
			return fmt.Errorf("resources of %s: %w", t.file(p), err)
		}
		files = append(files, file{top + t.file(p), data, 0o755})
	}
	texts, err := b.licences(ctx, t)
	if err != nil {
		return err
	}
	files = append(files, file{top + "licenses.txt", forWindows(texts), 0o644})
	for from, to := range map[string]string{"LICENSE": "LICENSE.txt", "assets/windows/README.txt": "README.txt", "CHANGELOG.md": "CHANGELOG.txt"} {
		data, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(from)))
		if err != nil {
			return err
		}
		files = append(files, file{top + to, forWindows(data), 0o644})
	}
	fmt.Fprintln(b.say, "packing for Windows ...")
	return writeZip(filepath.Join(out, fmt.Sprintf("forage-%s-windows-%s.zip", f.Details.Version, t.arch)), f, files)
}

// forWindows ends lines as Windows does.
func forWindows(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }

// withResources returns a program with icon, manifest and version.
func (b *builder) withResources(exe string, f facts, t target, p program) ([]byte, error) {
	rs, err := b.resources(f, t, p)
	if err != nil {
		return nil, err
	}
	plain, err := os.ReadFile(exe)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := rs.WriteToEXE(&out, bytes.NewReader(plain)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// winIconSizes are the PNGs that Windows has use for.
var winIconSizes = []int{16, 24, 32, 48, 64, 128, 256}

func (b *builder) resources(f facts, t target, p program) (*winres.ResourceSet, error) {
	var rs winres.ResourceSet
	var images []image.Image
	for _, size := range winIconSizes {
		img, err := readPNG(filepath.Join(b.root, "assets", "icons", fmt.Sprintf("forage-%d.png", size)))
		if err != nil {
			return nil, err
		}
		images = append(images, img)
	}
	icon, err := winres.NewIconFromImages(images)
	if err != nil {
		return nil, err
	}
	if err := rs.SetIcon(winres.Name("APPICON"), icon); err != nil {
		return nil, err
	}
	rs.SetManifest(winres.AppManifest{
		Description: f.LinuxAndBSD.Comment, Compatibility: winres.Win10AndAbove, ExecutionLevel: winres.AsInvoker,
		DPIAwareness: winres.DPIPerMonitorV2, LongPathAware: true, UseCommonControlsV6: p.window,
	})
	var v version.Info
	v.SetFileVersion(fmt.Sprintf("%s.%d", f.Details.Version, f.Details.Build))
	v.SetProductVersion(fmt.Sprintf("%s.%d", f.Details.Version, f.Details.Build))
	v.Timestamp = f.date
	what := f.Details.Name
	if !p.window {
		what += " node"
	}
	for _, s := range [][2]string{
		{version.ProductName, f.Details.Name}, {version.FileDescription, what}, {version.CompanyName, "The Forage developers"},
		{version.LegalCopyright, copyright}, {version.InternalName, p.name}, {version.OriginalFilename, t.file(p)},
	} {
		if err := v.Set(version.LangDefault, s[0], s[1]); err != nil {
			return nil, err
		}
	}
	rs.SetVersionInfo(v)
	return &rs, nil
}

func readPNG(name string) (image.Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return png.Decode(f)
}

// writeZip writes files, sorted, all of one date.
func writeZip(name string, f facts, files []file) error {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer out.Close()
	z := zip.NewWriter(out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, x := range files {
		h := &zip.FileHeader{Name: x.path, Method: zip.Deflate, Modified: f.date}
		h.SetMode(x.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := w.Write(x.data); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return out.Close()
}
