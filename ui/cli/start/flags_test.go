package start

import (
	"fmt"
	"testing"

	"github.com/forage-net/forage/app/config"
)

func TestRunFlags_Apply(t *testing.T) {
	cfg := config.Defaults()
	before := config.Defaults()
	(&runFlags{depth: -1}).apply(&cfg, map[string]bool{})
	if fmt.Sprint(cfg) != fmt.Sprint(before) {
		t.Errorf("flags that were not given changed the settings: %+v", cfg)
	}
	f := &runFlags{seeds: []string{"a"}, scope: []string{"b"}, depth: 3, api: "127.0.0.1:1", fetchers: 500}
	f.apply(&cfg, map[string]bool{"depth": true, "fetchers": true})
	if cfg.Crawl.Seeds[0] != "a" || cfg.Crawl.Scope[0] != "b" || cfg.Crawl.Depth != 3 || cfg.Web.Addr != "127.0.0.1:1" ||
		cfg.Limits.Budget.Full.Fetchers != 500 || cfg.Limits.Budget.Full.Sockets < 500 {
		t.Errorf("settings %+v", cfg)
	}
}
