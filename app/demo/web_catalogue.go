package demo

import (
	"github.com/forage-net/forage/app/demo/markup"
)

// catalogue returns the sites in the order in which a smaller web takes them:
// the peculiar ones come first.
func catalogue() []siteSpec {
	return append(append(englishSites(), europeanSites()...), worldSites()...)
}

func englishSites() []siteSpec {
	return []siteSpec{
		{
			name: "corner-bakery.test", title: "The Corner Bakery", lang: "en",
			sections: list("Breads", "Pastries", "Notebook"),
			subjects: list("Rye sourdough", "Cardamom buns", "Walnut loaf", "Seeded crispbread",
				"Overnight baguette", "Oat porridge bread",
				"Plum galette", "The old deck oven", "Potato rolls", "Marmalade cake", "Stone-ground flour",
				"Hot cross buns"),
			features: features(robotsPrefixes, redirects, printVersions, comments),
		},
		{
			name: "astronomy-club.test", title: "Hilltop Astronomy Club", lang: "en",
			sections: list("Observing", "Instruments", "Minutes"),
			subjects: list("Jupiter’s moons", "The autumn Milky Way", "A homemade dobsonian", "Variable stars",
				"The Pleiades in binoculars",
				"Lunar craters at first quarter", "Noctilucent clouds", "A meteor count", "The ring nebula",
				"Dark skies nearby", "Sunspot drawings"),
			paths: pathSlashes, features: features(calendar, metaRefresh, deepChain),
		},
		{
			name: "old-harbour.test", title: "Harbour & Tides", lang: "en", sections: list("Tides", "Boats", "Logbook"),
			subjects: list("Spring tides", "The harbour wall", "Knots for cold hands", "A clinker dinghy",
				"The ferry timetable",
				"Seals on the sandbank", "The lighthouse stair", "Reading a swell", "The old customs house",
				"Nets and floats"),
			skin: markup.Old, features: features(robotsAbsent, frames, imageMap, noFollow),
		},
		{
			name: "bicycle-kitchen.test", title: "The Bicycle Kitchen", lang: "en",
			sections: list("Repairs", "Rides", "Tool library"),
			subjects: list("True wheels", "Worn chains", "A bottom bracket that creaks", "Cargo trailers",
				"Hub gears", "Patching tubes",
				"Brake cables", "The Sunday ride", "A frame from the canal", "Lights that last"),
			paths: pathQuery, features: features(robotsWildcards, failures, softMissing),
		},
		{
			name: "seed-library.test", title: "Village Seed Library", lang: "en",
			sections: list("Vegetables", "Flowers", "Saving seed"),
			subjects: list("Broad beans", "Purple carrots", "Climbing peas", "Runner beans on hazel", "Cornflowers",
				"Winter lettuce",
				"A tomato without a name", "Sweet peas", "Leeks left to flower", "The hundred-year-old marrow"),
			features: features(robotsCrawlDelay, baseHref),
		},
		{
			name: "slow-letterpress.test", title: "Slow Letterpress", lang: "en",
			sections: list("Type", "Presses", "Ink"),
			subjects: list("Wood type", "A tabletop platen", "Mixing blue", "Caslon in eleven sizes", "Damp paper",
				"The hell box",
				"Ornaments", "A poster for the fair", "Setting a sonnet", "Rollers"),
			skin: markup.Plain, features: features(robotsForForage, duplicates),
		},
		{
			name: "railway-museum.test", title: "Branch Line Museum", lang: "en",
			sections: list("Locomotives", "Signals", "Volunteers"),
			subjects: list("The tank engine", "Semaphore arms", "The level crossing keeper", "A guard’s van",
				"Tickets of card",
				"The turntable", "Boiler day", "Station gardens", "The goods shed", "Water columns"),
			paths: pathSlashes, features: features(robotsRedirected, hugePage),
		},
		{
			name: "valley-beekeepers.test", title: "Valley Beekeepers", lang: "en",
			sections: list("Hives", "Honey", "Swarms"),
			subjects: list("Heather honey", "A swarm in the chimney", "Top-bar hives", "Queens",
				"The first inspection", "Wax and candles",
				"Lime blossom", "Winter stores", "The quiet colony", "Skeps"),
			features: features(siteMap),
		},
		{
			name: "footpath-maps.test", title: "Open Footpath Maps", lang: "en",
			sections: list("Surveys", "Stiles", "Mapping"),
			subjects: list("The river loop", "Missing signposts", "A bridge of railway sleepers",
				"The drovers’ road", "Bogs and duckboards",
				"Kissing gates", "The parish boundary", "A shortcut that is not", "Contour lines", "Walking at dawn"),
			paths: pathSlashes, skin: markup.Old,
		},
		{
			name: "chess-corner.test", title: "Chess Corner", lang: "en",
			sections: list("Openings", "Endings", "Café games"),
			subjects: list("Rook endings", "The king’s walk", "A forgotten gambit", "Blindfold games",
				"Knights on the rim", "Adjourned positions",
				"The two bishops", "Chess by post", "Zugzwang", "Simultaneous displays"),
			paths: pathQuery,
		},
		{
			name: "weather-diary.test", title: "A Weather Diary", lang: "en",
			sections: list("Rain", "Wind", "Instruments"),
			subjects: list("The rain gauge", "Hoar frost", "A halo round the moon", "The dry spring", "Barometers",
				"First snow",
				"Thunder in November", "Mist over the meadow", "The north wind", "Clouds like mackerel"),
			skin: markup.Plain,
		},
	}
}
