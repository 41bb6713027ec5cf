package api

// apiCall is what the file says of one method of one path, beside what is in the types.
type apiCall struct {
	call    string // "GET /api/status"
	id, tag string
	summary string
	text    string // more than fits the summary
	params  []param
	body    any   // nil for none
	example any   // of the body
	status  int   // of success, 200 if 0
	answer  any   // its body; nil for none
	kinds   []alt // other kinds of bodies
	node    bool  // it asks the node, which may be slow, stopping, or in trouble
	errors  []int // beyond what any call may answer
}

// param is a parameter of the query, or another one if in says so.
type param struct {
	name, in, text string
	schema         obj
	required       bool
	example        any
}

// alt is an answer that is no JSON.
type alt struct{ kind, text string }

// command is the body of what takes none.
type command = struct{}

func limitOf(what string) param {
	return param{name: "limit", text: "How many " + what + " at most.",
		schema: obj{{"type", "integer"}, {"minimum", 1}, {"maximum", maxLimit}, {"default", defaultLimit}}}
}

func foundLimit(what string) param {
	return wholeNumber("limit", "How many "+what+" at most.", 1, maxFound, defaultFound)
}

func wholeNumber(name, text string, low, high, unset int) param {
	return param{name: name, text: text, schema: obj{{"type", "integer"}, {"minimum", low}, {"maximum", high},
		{"default", unset}}}
}

// shortText is a text of so many bytes at most.
func shortText(name, text string, most int) param {
	return param{name: name, text: text, schema: obj{{"type", "string"}, {"maxLength", most}}}
}

func (p param) must(example any) param {
	p.required, p.example = true, example
	p.schema = append(obj{p.schema[0], {"minLength", 1}}, p.schema[1:]...)
	return p
}

func instant(name, text string) param {
	return param{name: name, text: text + ` A time, or a day of UTC as "2026-03-01".`,
		schema: obj{{"type", "string"}, {"anyOf", []obj{{{"format", "date-time"}}, {{"format", "date"}}}}}}
}

var from = shortText("from", "The `next` of the page before.", maxFrom)

var zone = shortText("zone", "The time zone that days and years are of, as \"Europe/Berlin\"; without it, UTC. A "+
	"day starts at the midnight of UTC of its date.", maxZone)

var lang = param{name: "lang", text: "The language of sentences; without it, that of Accept-Language.",
	schema: language}

// apiCalls are all calls, in the order of the file.
var apiCalls = []apiCall{
	{call: "GET /api/status", id: "getStatus", tag: "Now", summary: "What the node is doing now, and why",
		params: []param{lang}, answer: Status{}, node: true},
	{call: "GET /api/visits", id: "listVisits", tag: "Now", summary: "The sites it is at now",
		params: []param{limitOf("visits")}, answer: VisitList{}, node: true},
	{call: "GET /api/events", id: "getEvents", tag: "Now", summary: "What happened since",
		text: "A page of events, or with `Accept: text/event-stream` all that follow, as they happen. In the " +
			"stream each message has the `id` " +
			"BOOT-SEQUENCE and one line of `data`, an Event. A message `event: reset`, with a ResetNotice as data, " +
			"says that what was before is no longer " +
			"kept, or of another start of the node: get a new status. A line `:` is sent every 15 seconds in which " +
			"nothing happens. " +
			"`limit` means nothing there. Who reads too slowly is cut off, and goes on with Last-Event-ID.",
		params: []param{
			{name: "boot", text: "The boot_id of the status or page from which `since` is; the present one if it " +
				"is left out.", schema: obj{{"type", "string"}, {"pattern", "^[0-9a-f]{1,64}$"}}},
			{name: "since", text: "Events with a greater ID are wanted: the `seq` of a status, or the `next` of a " +
				"page.", schema: obj{{"type", "integer"}, {"minimum", 0}, {"default", 0}}},
			limitOf("events"), lang,
			{name: "Last-Event-ID", in: "header",
				text:   "In a stream: the `id` of the last message that was seen, in place of `boot` and `since`.",
				schema: obj{{"type", "string"}, {"pattern", "^[0-9a-f]{1,64}-[0-9]+$"}}},
			{name: "window", text: "In a stream, by the token: the reader is the window, of which there may be " +
				"one. It also gets messages `event: window`, " +
				"with a WindowNotice as data and without `id`.",
				schema: obj{{"type", "string"}, {"enum", []string{"1"}}}},
		}, answer: EventPage{}, kinds: []alt{{"text/event-stream", "Server-sent events."}}, node: true,
		errors: []int{409}},
	{call: "GET /api/domains", id: "listDomains", tag: "Now", summary: "The domains it owns, by name",
		params: []param{shortText("after", "The name of the last domain of the page before.", maxName),
			limitOf("domains"), lang}, answer: DomainPage{}, node: true},
	{call: "GET /api/requests", id: "listRequests", tag: "Now", summary: "Requests to sites, the latest first",
		params: []param{
			shortText("before", "The `next` of the page before.", maxName), limitOf("requests"),
			shortText("domain", "Of this domain alone.", maxName),
			shortText("kind", "With this code alone, or of this kind of event.", maxName),
			shortText("text", "With this in address or title.", maxSearch),
		}, answer: RequestPage{}, node: true},
	{call: "GET /api/requests/report", id: "getRequestReport", tag: "Now",
		summary: "A report on its requests, to show to others",
		params: []param{wholeNumber("days", "For how many days, today among them.", 1, maxReportDays,
			defaultReportDays), lang},
		kinds: []alt{{"text/plain; charset=utf-8", "The report."}}, node: true},

	{call: "GET /api/away", id: "getAway", tag: "Now",
		summary: "What was fetched in the last absence of an hour or more",
		answer:  Away{}, node: true},
	{call: "POST /api/away", id: "lookAway", tag: "Now",
		summary: "The same for a user who looks just now, which ends an absence",
		body:    lookRequest{}, example: map[string]any{"seen": false}, answer: Away{}, node: true},
	{call: "POST /api/run", id: "setRun", tag: "Work",
		summary: "Work always, while nobody uses the computer, or not at all",
		body:    runRequest{}, example: map[string]any{"run": "away"}, status: 204, node: true},
	{call: "POST /api/pause", id: "pause", tag: "Work", summary: "Rest for a time, or until resumed",
		body: pauseRequest{}, example: map[string]any{"for": "1h30m"}, status: 204, node: true},
	{call: "POST /api/resume", id: "resume", tag: "Work", summary: "Go on as the limits say", body: command{},
		status: 204, node: true},
	{call: "POST /api/work", id: "work", tag: "Work",
		summary: "Work for a time, or until resumed, although the user is there",
		body:    pauseRequest{}, example: map[string]any{"for": "2m"}, status: 204, node: true},
	{call: "POST /api/finish", id: "finish", tag: "Work",
		summary: "End what is under way, begin nothing more, and then end the node",
		text:    "Until then, resume and work take it back.", body: command{}, status: 204, node: true},
	{call: "POST /api/stop", id: "stop", tag: "Work", summary: "Begin to end the node", body: command{},
		status: 204, node: true},
	{call: "POST /api/window", id: "showWindow", tag: "Now", summary: "Bring the window to the front, if one is open",
		text: "The node starts no window; a caller that may, does so if none was raised.",
		body: windowRequest{}, example: map[string]any{"page": "settings"}, answer: Raised{}},

	{call: "GET /api/limits", id: "getLimits", tag: "Limits", summary: "What it may do now, and why",
		params: []param{lang}, answer: Limits{}, node: true},
	{call: "GET /api/limits/history", id: "getLimitHistory", tag: "Limits",
		summary: "What was allowed and used in the last 24 hours",
		params: []param{lang, wholeNumber("step", "How many minutes an entry of `minutes` is about.", 1,
			maxStep, 1)}, answer: LimitHistory{}, node: true},
	{call: "GET /api/settings", id: "getSettings", tag: "Limits", summary: "All settings", params: []param{lang},
		answer: Settings{}, node: true},
	{call: "POST /api/settings", id: "changeSettings", tag: "Limits",
		summary: "Change settings: all that are named, or none",
		body:    SettingsChange{}, example: map[string]any{"set": map[string]any{"disk.max": "5 GB"}, "dry_run": true},
		answer: SettingsChanged{}, node: true},
	{call: "GET /api/setup", id: "getSetup", tag: "Limits",
		summary: "What is to be known and asked before the first start", params: []param{lang}, answer: Setup{},
		node: true},
	{call: "POST /api/setup", id: "agree", tag: "Limits", summary: "Agree to the text, and choose settings",
		body: Agreement{}, example: map[string]any{"agree": true, "connection_is_mine": true, "preset": "away"},
		status: 204, node: true},
	{call: "POST /api/startup", id: "setStartup", tag: "Limits",
		summary: "Have the system start it when its user logs in, or not; refused from other computers",
		body:    startupRequest{}, example: map[string]any{"on": true}, status: 204, node: true},

	{call: "GET /api/never", id: "getNever", tag: "Sites", summary: "What it does not visit, and why",
		params: []param{lang}, answer: NeverList{}, node: true},
	{call: "POST /api/never", id: "changeNever", tag: "Sites",
		summary: "Visit a site no more, at once and for good, or again",
		body:    neverRequest{}, example: map[string]any{"pattern": "example.org"}, answer: NeverChange{}, node: true},

	{call: "GET /api/peers", id: "getPeers", tag: "Network",
		summary: "Its place in the network, and the other nodes", params: []param{lang}, answer: Peers{}, node: true},
	{call: "GET /api/invite", id: "getInvite", tag: "Network",
		summary: "A line that brings another computer to its network", answer: Invitation{}, node: true},
	{call: "GET /api/helping", id: "listHelping", tag: "Network",
		summary: "The domains of others that it fetches now", answer: DomainPage{}, node: true},
	{call: "GET /api/ring", id: "getRing", tag: "Network", summary: "Who owns which part of the ring",
		answer: Ring{}, node: true},

	{call: "GET /api/stats", id: "getStats", tag: "Statistics", summary: "Counts of the last hours and of all time",
		params: []param{wholeNumber("hours", "Of how many hours in which something happened, at most.", 0, MaxHours,
			defaultHours)}, answer: Stats{}, node: true},
	{call: "GET /api/stats/series", id: "getSeries", tag: "Statistics", summary: "Counts by hour, day or year",
		params: []param{
			{name: "unit", text: "What a point is of. Hours are kept for 400 days, days and years for ever.",
				required: true, example: "day",
				schema: obj{{"type", "string"}, {"enum", []Unit{UnitHour, UnitDay, UnitYear}}}},
			instant("from", "Points that start then or later."), instant("to", "Points that start before."),
			limitOf("points, the newest,"),
			zone,
		}, answer: Series{}, node: true},
	{call: "GET /api/stats/best", id: "getBest", tag: "Statistics", summary: "What stands out",
		params: []param{zone}, answer: Best{}, node: true},

	{call: "GET /api/archive", id: "listCaptures", tag: "Archive", summary: "Captures of an address, the newest first",
		text: "At most 100 are returned, whatever `limit` says.",
		params: []param{shortText("url", "The address.", maxLookup).must("https://example.org/"),
			shortText("before", "The `next` of the page before.", maxArchiveID),
			limitOf("captures")}, answer: CapturePage{}, node: true},
	{call: "GET /api/why", id: "getWhy", tag: "Sites",
		summary: "What became of an address, or why it was never requested",
		text:    "For a site of which another member keeps track, that one is asked.",
		params: []param{shortText("address", "The address, with or without a scheme.",
			maxLookup).must("https://example.org/"), lang}, answer: Why{}, node: true},
	{call: "GET /api/archive/search", id: "searchArchive", tag: "Archive",
		summary: "Pages that answer a query best, the best first",
		text: "All words are wanted. `\"a phrase\"` is wanted as it stands, `-word` unwanted. `site:example.org` " +
			"and `lang:de` narrow the search, and so do " +
			"`before:2026-03-01` and `after:2025`, with a day, a month or a year.",
		params: []param{shortText("q", "The query; case and accents do not matter.", maxQuery), from,
			foundLimit("pages")}, answer: SearchPage{}, node: true},
	{call: "GET /api/archive/links", id: "listLinksTo", tag: "Archive",
		summary: "Pages of other sites that link to an address or a domain, the newest first",
		params: []param{shortText("target", "An address, or a domain: then any page of it.",
			maxLookup).must("example.org"), from, foundLimit("links")},
		answer: LinksPage{}, node: true},
	{call: "GET /api/archive/site", id: "getSite", tag: "Archive", summary: "What the archive has of a domain",
		params: []param{shortText("domain", "The domain.", maxName).must("example.org")}, answer: SiteSummary{},
		node: true, errors: []int{404}},
	{call: "GET /api/archive/finds", id: "listFinds", tag: "Archive",
		summary: "A few pages of the last day that are worth reading, the best first",
		params: []param{shortText("languages",
			"In these languages: codes with commas between them, as `de,en`. Without it, in any.", maxLanguagesText)},
		answer: Finds{}, node: true},
	{call: "GET /api/archive/page", id: "readCapture", tag: "Archive", summary: "A capture as plain text",
		params: []param{shortText("id", "The ID of the capture.", maxArchiveID).must("forage-x.7"), lang},
		answer: ArchivedPage{}, node: true, errors: []int{404}},
	{call: "POST /api/archive/view", id: "beginView", tag: "Archive",
		summary: "A view of the archive, for a frame that has no rights",
		body:    command{}, answer: ViewTicket{}},
	{call: "GET /api/archive/view", id: "getView", tag: "Archive", summary: "What the frame of a view shows",
		params: []param{shortText("view", "The name of the view.", viewLength).must(testView)},
		answer: ArchiveView{}, errors: []int{404}},
	{call: "GET /archive/{view}", id: "showArchived", tag: "Archive", summary: "An archived page as it looked",
		text: "Behind the name of the view come a slash, the ID of a capture, and a slash. The page is rewritten: " +
			"nothing in it runs, and its addresses lead " +
			"into the archive alone. Its pictures, style sheets and fonts are at `p/ID` below it, its links at " +
			"`to?URL`. The name lets its bearer in.",
		params: []param{{name: "view", in: "path", text: "From the `url` of a view.", required: true,
			schema: obj{{"type", "string"}, {"pattern", "^[0-9a-f]{32}$"}}}},
		kinds: []alt{{"text/html; charset=utf-8",
			"The page, with a policy that allows what the archive has, and nothing else."}}, node: true,
		errors: []int{404}},
	{call: "POST /api/export", id: "export", tag: "Archive",
		summary: "A ticket to download what was archived, or the statistics",
		body:    exportRequest{}, example: map[string]any{"format": "wacz"}, answer: ExportTicket{}, node: true},
	{call: "GET /download/{ticket}", id: "download", tag: "Archive", summary: "An export, once",
		text: "The ticket lets its bearer in. If the connection ends early, the file is not whole. One download " +
			"goes on at a time.",
		params: []param{{name: "ticket", in: "path", text: "From the `url` of an export.", required: true,
			schema: obj{{"type", "string"}, {"pattern", "^[0-9a-f]{32}$"}}}},
		kinds:  []alt{{"application/octet-stream", "The file; its name is in Content-Disposition."}},
		errors: []int{404, 500, 503}},
	{call: "POST /api/erase", id: "erase", tag: "Archive",
		summary: "End the node, and delete everything that it fetched and found",
		body:    eraseRequest{}, example: map[string]any{"confirm": "erase"}, status: 202, node: true},
	{call: "GET /api/doctor", id: "getDoctor", tag: "Archive",
		summary: "What is wrong with its files, as far as can be seen while it runs",
		text:    "Takes up to 14 seconds; one at a time.", params: []param{lang}, answer: DoctorReport{}, node: true},

	{call: "POST /api/link", id: "makeLink", tag: "Entry",
		summary: "A link that lets a browser in, once and within ten minutes", body: command{}, answer: Link{}},
	{call: "GET /api/session", id: "getEntry", tag: "Entry", summary: "Whether there is a password", answer: entries{}},
	{call: "POST /api/session", id: "beginSession", tag: "Entry",
		summary: "Begin a session, with the key of a link or a password",
		text:    "The cookie `forage-PORT` comes with the answer.", body: entry{},
		example: map[string]any{"key": "KEY"}, answer: pass{}, errors: []int{401, 429}},
	{call: "POST /api/session/end", id: "endSession", tag: "Entry",
		summary: "End the session of the caller, or all", body: exit{}, status: 204},

	{call: "GET /metrics", id: "getMetrics", tag: "Monitoring", summary: "Counts as Prometheus text",
		kinds: []alt{{"text/plain; version=0.0.4; charset=utf-8", "The text format of Prometheus, 0.0.4."}},
		node:  true},
	{call: "GET /healthz", id: "getHealth", tag: "Monitoring", summary: "Whether it runs",
		text: "For anyone on this computer, with whatever query.", kinds: []alt{{"text/plain; charset=utf-8", "`ok`"}}},
	{call: "GET /api/openapi.json", id: "getOpenAPI", tag: "Monitoring", summary: "This file",
		answer: map[string]any{}},
}
