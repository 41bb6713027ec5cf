package desktop

import (
	"fyne.io/fyne/v2/theme"

	"github.com/forage-net/forage/ui/desktop/about"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/domains"
	"github.com/forage-net/forage/ui/desktop/search"
	"github.com/forage-net/forage/ui/desktop/statistics"
)

// entries are the pages, in the order in which they are listed.
func entries(d *desk.Desk, node Node) []entry {
	return []entry{
		{pageOverview, theme.HomeIcon(), newOverview(d, node)},
		{pageSearch, theme.SearchIcon(), search.New(d, node)},
		{pageDomains, theme.ComputerIcon(), domains.New(d, node)},
		{pageStatistics, theme.HistoryIcon(), statistics.New(d, node)},
		{pageSettings, theme.SettingsIcon(), newSettings(d, node)},
		{pageAbout, theme.InfoIcon(), about.New(d, node)},
	}
}
