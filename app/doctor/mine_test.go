package doctor

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/crawl"
)

// For each of the user's own sites it is told what proves it, or exactly what would.
func TestRun_TellsOfOwnSites(t *testing.T) {
	p := copyOf(t, crawled(t))
	dry := Options{Paths: p, DryRun: true}
	for _, a := range look(t, dry).Areas {
		if a.Name == "mine" {
			t.Errorf("with no own sites there is %+v", a)
		}
	}
	text := "sites.mine = ['one.example', 'two.example', 'three.example', 'four.example']\nsites.never = " +
		"['four.example']\n"
	if err := os.WriteFile(p.Config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	node, err := nodeapi.NodeName(p)
	if err != nil || node == "" {
		t.Fatalf("the node is %q, %v", node, err)
	}
	c := claims.New(claims.Config{Node: node, Now: time.Now}, nil)
	c.List([]crawl.Domain{"one.example", "four.example"})
	since := time.Date(2020, 1, 2, 12, 0, 0, 0, time.Local)
	c.SawRobots("one.example", []string{node}, since)
	c.SawRobots("one.example", []string{node}, time.Now())
	c.SawRobots("four.example", []string{node}, time.Now())
	if err := c.Save(claims.Path(p.State)); err != nil {
		t.Fatal(err)
	}
	r := look(t, dry)
	var mine Area
	for _, a := range r.Areas {
		if a.Name == "mine" {
			mine = a
		}
	}
	if !r.OK || mine.Verdict != OK || mine.Summary != "1 of 4 proved" || len(mine.Findings) != 4 {
		t.Fatalf("own sites: %+v", mine)
	}
	for i, want := range []string{
		"one.example is proved to be yours by its robots.txt since " + time.Now().Format(time.DateOnly),
		fmt.Sprintf("two.example is not proved to be yours: put the line %q into its robots.txt, or the text %q "+
			"into its DNS, as a TXT record of _forage.two.example.",
			"# forage-node: "+node, "forage-node="+node),
		"three.example is not proved to be yours",
		"four.example is yours and not visited all the same (",
	} {
		if got := mine.Findings[i].Text; !strings.HasPrefix(got, want) {
			t.Errorf("finding %d is %q, want %q", i, got, want)
		}
	}
	if err := os.Remove(membership.KeyPath(p.State)); err != nil {
		t.Fatal(err)
	}
	if _, text := area(t, look(t, dry), "mine"); !strings.Contains(text, "start the node once") ||
		!strings.Contains(text, "0 of 4 proved") {
		t.Errorf("without a name of the node: %s", text)
	}
	if _, err := os.Stat(membership.KeyPath(p.State)); !os.IsNotExist(err) {
		t.Errorf("a dry run has made a key: %v", err)
	}
}
