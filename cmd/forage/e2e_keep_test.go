//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// keep leaves what the nodes said and what the web was asked for among the artifacts of the
// test ("go test -artifacts -outputdir DIR"), a file for each run of each node.
func (c *crowd) keep() {
	dir := c.t.ArtifactDir()
	runs := make(map[string]int)
	for _, m := range c.nodes {
		runs[m.name()]++
		c.write(filepath.Join(dir, fmt.Sprintf("node-%s-%02d.log", m.name(), runs[m.name()])), m.stderr.String())
	}
	var asked strings.Builder
	for _, h := range c.visits() {
		fmt.Fprintf(&asked, "%s %d %s %s %s\n", h.Start.Format(time.RFC3339Nano), h.Status, h.End.Sub(h.Start), h.Client, h.URL)
	}
	c.write(filepath.Join(dir, "requests.log"), asked.String())
}

func (c *crowd) write(name, text string) {
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		c.t.Error(err)
	}
}
