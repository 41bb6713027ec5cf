package desktop

import (
	"fyne.io/fyne/v2/theme"

	"github.com/forage-net/forage/ui/desktop/about"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/domains"
	"github.com/forage-net/forage/ui/desktop/overview"
	"github.com/forage-net/forage/ui/desktop/search"
	"github.com/forage-net/forage/ui/desktop/settings"
	"github.com/forage-net/forage/ui/desktop/statistics"
)

// entries are the pages, in the order in which they are listed.
func entries(d *desk.Desk, node Node) []entry {
	return []entry{
		{desk.PageOverview, theme.HomeIcon(), overview.New(d, node)},
		{desk.PageSearch, theme.SearchIcon(), search.New(d, node)},
		{desk.PageDomains, theme.ComputerIcon(), domains.New(d, node)},
		{desk.PageStatistics, theme.HistoryIcon(), statistics.New(d, node)},
		{desk.PageSettings, theme.SettingsIcon(), settings.New(d, node)},
		{desk.PageAbout, theme.InfoIcon(), about.New(d, node)},
	}
}
