package config

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the documentation of the settings anew")

// The page is made from the table of settings, so it cannot say anything else.
func TestDocs_AreUpToDate(t *testing.T) {
	const path = "../../docs/settings.md"
	var b strings.Builder
	b.WriteString("# Settings\n\nIn config.toml (`forage paths` says where it is), or with `forage set KEY=VALUE`. They take effect\n" +
		"at the next start. Wrong values are refused with line, reason and range. This page is made from the\n" +
		"program's table of settings.\n\n| setting | default | values | meaning |\n| --- | --- | --- | --- |\n")
	for _, k := range Keys() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s: %s | %s |\n", k.Name, k.Default, k.Type, k.Range, k.Meaning)
	}
	b.WriteString("\nSizes: `GB` is 10⁹ bytes, `GiB` 2³⁰; a plain number is bytes.\n")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != b.String() {
		t.Errorf("docs/settings.md differs from the settings (%v): go test ./app/config -update writes it", err)
	}
}
