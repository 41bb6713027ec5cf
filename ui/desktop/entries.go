package desktop

import (
	"fyne.io/fyne/v2/theme"
)

// entries are the pages, in the order in which they are listed.
func entries(d *desk) []entry {
	return []entry{
		{pageOverview, theme.HomeIcon(), newOverview(d)},
		{pageSearch, theme.SearchIcon(), newSearch(d)},
		{pageDomains, theme.ComputerIcon(), newDomains(d)},
		{pageStatistics, theme.HistoryIcon(), newStatistics(d)},
		{pageSettings, theme.SettingsIcon(), newSettings(d)},
		{pageAbout, theme.InfoIcon(), newAbout(d)},
	}
}
