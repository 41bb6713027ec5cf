package app

import (
	"testing"

	"github.com/forage-net/forage/crawl/scope"
)

func TestSeeds_AreNotRefused(t *testing.T) {
	r, err := scope.NewRefusals(scope.RefusalsConfig{Topics: scope.TopicNames()})
	if err != nil {
		t.Fatal(err)
	}
	seeds, err := ReadSeeds(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range seeds {
		if why := r.Reason(u); why != "" {
			t.Errorf("the seed %s is refused: %s", u, why)
		}
	}
}
