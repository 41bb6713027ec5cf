package desk

// Names of pages, as they stand in links to them.
const (
	PageOverview   = "overview"
	PageSearch     = "search"
	PageDomains    = "domains"
	PageStatistics = "statistics"
	PageSettings   = "settings"
	PageAbout      = "about"
)
