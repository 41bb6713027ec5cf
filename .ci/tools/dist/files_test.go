package main

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
)

const root = "../../.."

// epoch is the date of everything in these tests.
var epoch = time.Unix(1_790_000_000, 0).UTC()

func theFacts(t *testing.T, b *builder) facts {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "1790000000")
	f, err := readFacts(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if !f.date.Equal(epoch) {
		t.Fatalf("the date is %v, want %v", f.date, epoch)
	}
	return f
}

func aBuilder(t *testing.T) *builder {
	t.Helper()
	dir, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	return &builder{root: dir, work: t.TempDir(), goTool: "go", say: t.Output()}
}

// section returns the keys of a section of a desktop entry.
func section(t *testing.T, name, section string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	keys, in := make(map[string]string), ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			in = strings.Trim(line, "[]")
		}
		if key, value, ok := strings.Cut(line, "="); ok && in == section {
			keys[key] = value
		}
	}
	return keys
}

// What is said of the program in several places is the same.
func TestFacts_AgreeEverywhere(t *testing.T) {
	f := theFacts(t, aBuilder(t))
	var full struct {
		LinuxAndBSD struct{ Categories, Keywords []string }
	}
	if _, err := toml.DecodeFile(filepath.Join(root, "FyneApp.toml"), &full); err != nil {
		t.Fatal(err)
	}
	id := f.Details.ID
	entry := section(t, filepath.Join(root, "assets/linux", id+".desktop"), "Desktop Entry")
	for key, want := range map[string]string{
		"Name": f.Details.Name, "Icon": id, "GenericName": f.LinuxAndBSD.GenericName, "Comment": f.LinuxAndBSD.Comment,
		"Categories": strings.Join(full.LinuxAndBSD.Categories, ";") + ";", "Keywords": strings.Join(full.LinuxAndBSD.Keywords, ";") + ";",
	} {
		if entry[key] != want {
			t.Errorf("the desktop entry has %s=%s, FyneApp.toml says %s", key, entry[key], want)
		}
	}
	var meta struct {
		ID         string   `xml:"id"`
		Name       []string `xml:"name"`
		Launchable string   `xml:"launchable"`
		Releases   []struct {
			Version string `xml:"version,attr"`
		} `xml:"releases>release"`
	}
	data, err := os.ReadFile(filepath.Join(root, "assets/linux", id+".metainfo.xml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(data, &meta); err != nil {
		t.Fatal(err)
	}
	if meta.ID != id || meta.Name[0] != f.Details.Name || meta.Launchable != id+".desktop" {
		t.Errorf("the metainfo is of %+v, FyneApp.toml of %s", meta, id)
	}
	if len(meta.Releases) == 0 || meta.Releases[0].Version != f.Details.Version {
		t.Errorf("the newest release of the metainfo is %+v, want %s", meta.Releases, f.Details.Version)
	}
	if _, err := os.Stat(filepath.Join(root, f.Details.Icon)); err != nil {
		t.Error(err)
	}
}

// tool runs a program that judges a file; the test is left out where it is not installed.
func tool(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(name, "is not installed")
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
}

func TestDesktopEntry_IsValid(t *testing.T) {
	tool(t, nil, "desktop-file-validate", filepath.Join(root, "assets/linux/io.github.forage_net.forage.desktop"))
}

func TestMetainfo_IsValid(t *testing.T) {
	tool(t, nil, "appstreamcli", "validate", "--no-net", filepath.Join(root, "assets/linux/io.github.forage_net.forage.metainfo.xml"))
}

// systemd understands the unit.
func TestUnit_IsValid(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "assets/linux/forage.service"))
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "forage.service")
	text := strings.Replace(string(data), "ExecStart=/usr/bin/forage", "ExecStart=/bin/true", 1)
	if err := os.WriteFile(unit, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	tool(t, []string{"XDG_RUNTIME_DIR=" + t.TempDir()}, "systemd-analyze", "verify", "--user", "--man=no", unit)
}

// What the desktop entry starts, the program understands.
func TestDesktopEntry_StartsWhatThereIs(t *testing.T) {
	name := filepath.Join(root, "assets/linux/io.github.forage_net.forage.desktop")
	verbs, err := os.ReadDir(filepath.Join(root, "ui/cli/help/pages"))
	if err != nil {
		t.Fatal(err)
	}
	actions := strings.Split(strings.Trim(section(t, name, "Desktop Entry")["Actions"], ";"), ";")
	for _, action := range actions {
		words := strings.Fields(section(t, name, "Desktop Action "+action)["Exec"])
		if len(words) < 2 || words[0] != "forage" || !slices.ContainsFunc(verbs, func(v os.DirEntry) bool { return strings.HasPrefix(v.Name(), words[1]) }) {
			t.Errorf("the action %s starts %q", action, words)
		}
	}
}
