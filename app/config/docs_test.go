package config

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/scope"
)

var update = flag.Bool("update", false, "write the documentation of the settings anew")

// writeNever writes what is never visited, from the lists of crawl/scope.
func writeNever(b *strings.Builder) {
	b.WriteString("\n## What is never visited\n\n`forage never DOMAIN` adds a site to `sites.never`, in the running node at once; `forage never --undo DOMAIN`\n" +
		"takes it off, `forage never --list` shows all. What other computers visit is theirs to choose, and no reason is told.\n\n" +
		"The files of `safety.blocklists` are looked at every half minute and read again when they were saved. A name in them stands for the site and every host\n" +
		"below it; names under which anybody may have a site (`co.uk`) are passed over. Forage fetches no lists itself; one that cannot be read is refused, and\n" +
		"keeps a node from starting; one that vanishes or turns into something else while it runs stays in force as " +
		"it was.\n\n" +
		"### Topics\n\nTold by names alone: by top-level domain, and by words that are a label of the host name or a " +
		"part of one\nbetween hyphens. " +
		"No page is looked at and there is no list of sites, so most sites of a topic are missed, and\na few are " +
		"taken for what they are not.\n\n" +
		"| topic | meaning | top-level domains | words |\n| --- | --- | --- | --- |\n")
	for _, t := range scope.Topics() {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", t.Name, words.Text(words.English, "settings.choice."+t.Name, nil), strings.Join(t.TLDs, ", "),
			strings.Join(t.Words, ", "))
	}
	b.WriteString("\n### The built-in list\n\nAlways in force in the public network, never in a lab.\n\n| pattern | " +
		"why |\n| --- | --- |\n")
	for _, e := range scope.Builtin() {
		fmt.Fprintf(b, "| `%s` | %s |\n", e.Pattern, e.Reason)
	}
}

// The page is made from the table of settings, so it cannot say anything else.
func TestDocs_AreUpToDate(t *testing.T) {
	const path = "../../docs/settings.md"
	var b strings.Builder
	b.WriteString("# Settings\n\nIn config.toml (`forage paths` says where it is), or with `forage set KEY=VALUE`. Those about limits\n" +
		"(idle, level, schedule, budget, data, disk, ram, pause, heat, footing), about what is never visited (sites, " +
		"tld, topics, safety) and about the search index\n(index) take " +
		"effect when the file is saved, the others at the next start. The local API and the dashboard write the same " +
		"file: comments in it\n" +
		"stay, and so does what an editor saves at the same time. Wrong values are refused, with the line and the " +
		"range; the last good settings stay in force. This page is made from\n" +
		"the program's table of settings.\n\n| setting | default | values | meaning |\n| --- | --- | --- | --- |\n")
	for _, k := range Keys() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s: %s | %s |\n", k.Name, k.Default, k.Type, k.Range(), k.Meaning())
	}
	b.WriteString("\nSizes: `GB` is 10⁹ bytes, `GiB` 2³⁰. Sizes and lengths of time take a unit: `forage set`, the dashboard and the API refuse a text that has none, except 0\n" +
		"and -1; JSON numbers are bytes and seconds. In the file, a number without a unit still counts as earlier " +
		"versions meant it: bytes from a million on, minutes in\n" +
		"`idle.after`, seconds in `pause.hold_in` and `pause.hold_out`. Of a faulty line, errors say its number and what should stand there; they quote nothing of the file.\n")
	b.WriteString("\n## Sites you run\n\nA domain in `sites.mine` comes first while a line of its robots.txt, or a record in its DNS, names this node; `forage doctor`\n" +
		"shows both and says what is proved. What is fetched there is not counted, proved or not. More in " +
		"[webmasters.md](webmasters.md).\n")
	writeNever(&b)
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Error("docs/settings.md is not what the settings say; \"go test ./app/config -run TestDocs -update\" writes it")
	}
}
