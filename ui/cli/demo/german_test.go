package demo

import (
	"bytes"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/cli/clitest"
	"github.com/forage-net/forage/ui/cli/env"
)

// aGermanDemo is what a demo shows to who speaks German.
func aGermanDemo(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	scene := aScene()
	scene.Lang = "de"
	swarm := &members{lang: "de", nodes: []*node{{lang: "de", number: 1, id: "QmaBc123"}}}
	scene.Notice = swarm.shrink()
	for _, line := range scene.lines(100, 24, false) {
		b.WriteString(line + "\n")
	}
	b.WriteString(scene.sentence() + "\n")
	node := &node{lang: "de"}
	for _, text := range []string{"12 Links gingen an aBc123", "1 Link kam von aBc123", "3 Domains an xyz789 übergeben", "1 Domain wird für aBc123 besucht"} {
		node.note(api.Event{Kind: api.KindSwarm, Text: text}, time.Unix(0, 0), swarm.nameOf)
		b.WriteString(node.now.Last + "\n")
	}
	e := &env.Env{Out: &b, Err: &b, Lang: "de", Home: "/h"}
	nodes := []nodeResult{{state{Number: 1, Pages: 1200, Domains: 61, Sent: 1, Archive: 1500}, "/h/1/data/warc"}}
	for _, r := range []Result{
		{Complete: true, Pages: 3000, Fetched: 3000, Seconds: 18.7, Links: 1200, Nodes: nodes},
		{Complete: true, Pages: 3, Fetched: 2, Links: 1, Nodes: nodes}, {Pages: 3, Fetched: 3, Twice: 2, Nodes: nodes},
	} {
		if err := printSummary(e, r); err != nil {
			b.WriteString(e.Explain(err) + "\n")
		}
	}
	return b.String()
}

// What the demo shows to who speaks German.
func TestDemo_InGerman(t *testing.T) {
	text := aGermanDemo(t)
	clitest.Golden(t, "shown_de.txt", text)
	if word := clitest.EnglishWords.FindString(clitest.QuotedText.ReplaceAllString(text, "")); word != "" {
		t.Errorf("it says %q", word)
	}
}
