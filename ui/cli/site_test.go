package cli

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/cli/env"
)

// A site of which there is nothing is no failure: a script gets a site without pages.
func TestSite_OfWhichThereIsNothing(t *testing.T) {
	home := t.TempDir()
	serve(t, home, func(boot string) api.Node { return &mouth{fullNode{boot: boot}} })
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"site", "b.example", "--json", "--home", home}, &stdout, &stderr); code != env.ExitOK {
		t.Fatalf("it ends with %d: %s", code, stderr.String())
	}
	var site api.SiteSummary
	if err := json.Unmarshal(stdout.Bytes(), &site); err != nil || site.Domain != "b.example" || site.Pages != 0 || site.Top == nil || site.TopLinks == nil || site.Languages == nil {
		t.Errorf("it prints %s, %v", stdout.String(), err)
	}
}
