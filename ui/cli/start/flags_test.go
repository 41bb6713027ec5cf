package start

import (
	"fmt"
	"testing"

	"github.com/spf13/pflag"

	"github.com/forage-net/forage/app/config"
)

func TestRunFlags_Apply(t *testing.T) {
	cfg := config.Defaults()
	before := config.Defaults()
	given := pflag.NewFlagSet("run", pflag.ContinueOnError)
	given.Int("depth", -1, "")
	given.Int("fetchers", 0, "")
	(&runFlags{depth: -1}).apply(&cfg, given)
	if fmt.Sprint(cfg) != fmt.Sprint(before) {
		t.Errorf("flags that were not given changed the settings: %+v", cfg)
	}
	f := &runFlags{seeds: []string{"a"}, scope: []string{"b"}, depth: 3, api: "127.0.0.1:1", fetchers: 500}
	if err := given.Parse([]string{"--depth=3", "--fetchers=500"}); err != nil {
		t.Fatal(err)
	}
	f.apply(&cfg, given)
	if cfg.Crawl.Seeds[0] != "a" || cfg.Crawl.Scope[0] != "b" || cfg.Crawl.Depth != 3 || cfg.Web.Addr != "127.0.0.1:1" ||
		cfg.Limits.Budget.Full.Fetchers != 500 || cfg.Limits.Budget.Full.Sockets < 500 {
		t.Errorf("settings %+v", cfg)
	}
}
