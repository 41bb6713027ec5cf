package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/scope"
)

// Key describes one setting, for documentation and help.
type Key struct {
	// Name is the dotted name: "budget.full.fetchers".
	Name string
	// Type is "text", "whole number", "size", "list", "yes or no", "time", "length of time", "level",
	// "week" or "choice".
	Type string
	// Default is written as in the file.
	Default string
	// Range says what values are allowed, to be read after a colon.
	Range string
	// Meaning is one sentence.
	Meaning string
	// Unit is that of Lo and Hi and of Item.Value where it is a number: "B" for sizes, "s" for lengths of
	// time, "" where there is none.
	Unit string
	// Lo and Hi are the bounds of a number. Both are 0 where there are none.
	Lo, Hi int64
	// None says that -1, for no limit, is allowed beside what lies between the bounds.
	None bool
	// Choices are what a text can be, or each item of a list; none where it is free. They must not be changed.
	Choices []string
	// Now says that the setting takes effect when the file is saved, and not from the next start on.
	Now bool
	// Local says that it names files, and is therefore changed from this computer alone.
	Local bool
	// Fixed says that it has one value, which tells what the program does.
	Fixed bool
}

// Keys returns all settings in the order they are documented in. The slice is
// the caller's.
func Keys() []Key {
	fields := schema()
	keys := make([]Key, len(fields))
	for i, f := range fields {
		keys[i] = f.Key
	}
	return keys
}

// schema returns the table of settings, which is made once and must not be changed. Settings of one group stand
// together: the default file has one table for each run of them.
var schema = sync.OnceValue(makeSchema)

func makeSchema() []field {
	fields := []field{
		choice(text("role", `"node"`, checkRole, "\"node\" or \"bootstrap\"",
			"A bootstrap node tells others who is there and helps them to reach each other; it crawls nothing.",
			func(c *Config) *string { return &c.Role }), "node", "bootstrap"),
		list("crawl.seeds", checkSeed,
			fmt.Sprintf("http and https addresses and names of files with one address a line, at most %d; a relative "+
				"name starts from the directory of this file", maxList),
			"The crawl starts from these; an empty list means the built-in one.",
			func(c *Config) *[]string { return &c.Crawl.Seeds }),
		list("crawl.scope", checkPattern, fmt.Sprintf("domains and host/path patterns, at most %d", maxList),
			"The crawl stays within these; an empty list means all of the public web.",
			func(c *Config) *[]string { return &c.Crawl.Scope }),
		whole("crawl.depth", 16, 0, crawl.MaxDepth, "How many links the crawl follows from a seed.",
			func(c *Config) *uint8 { return &c.Crawl.Depth }),
		list("crawl.untrap", checkUntrap, fmt.Sprintf("domains and host/path patterns, at most %d", maxList),
			"Sites whose addresses look endless but are not, such as a chronicle with pages of the year 1215: all of "+
				"them are accepted. Other sites get the first 50 such addresses.",
			func(c *Config) *[]string { return &c.Crawl.Untrap }),
		list("sites.never", checkNever, fmt.Sprintf("domains and host/path patterns, at most %d", maxList),
			"Sites this computer never visits, with every host below them; \"forage never\" adds to this list right "+
				"away.",
			func(c *Config) *[]string { return &c.Sites.Never }),
		upTo(MaxMine, list("sites.mine", checkMine, fmt.Sprintf("domains such as example.org, at most %d", MaxMine),
			"Domains whose sites you run: this computer visits them before others and does not count them as help. A "+
				"token on the site must name this computer; \"forage doctor\" shows it.",
			func(c *Config) *[]string { return &c.Sites.Mine })),
		list("tld.never", checkTLD, fmt.Sprintf("top-level domains without a dot, at most %d", maxList),
			"Top-level domains, such as \"zip\", of which this computer visits nothing.",
			func(c *Config) *[]string { return &c.TLD.Never }),
		choice(list("topics.never", checkTopic, "topics from "+strings.Join(scope.TopicNames(), ", "),
			"Kinds of sites this computer never visits. Judged by name only; expect misses and false alarms.",
			func(c *Config) *[]string { return &c.Topics.Never }), scope.TopicNames()...),
		list("safety.blocklists", checkListFile,
			"names of files; a relative name starts from the directory of this file",
			"Files with names of sites that this computer never visits, in addition to the built-in list: one domain "+
				"a line, a hosts file, or filters such as ||example.org^. Forage reads them again when they change.",
			func(c *Config) *[]string { return &c.Safety.Blocklists }),
		yesNo("urls.keep_tracking", false,
			"Whether addresses count as different pages if only tracking parameters (utm_source, fbclid and the "+
				"like) differ.",
			func(c *Config) *bool { return &c.URLs.KeepTracking }),
		yesNo("urls.keep_sessions", false,
			"Whether addresses count as different pages if only a session number (PHPSESSID, jsessionid and the "+
				"like) differs.",
			func(c *Config) *bool { return &c.URLs.KeepSessions }),
		text("net.name", `"main"`, checkNetwork, "1 to 32 of the characters a-z, 0-9 and -",
			"The network this node belongs to; nodes of different networks do not meet.",
			func(c *Config) *string { return &c.Net.Name }),
		list("net.bootstrap", checkDoor,
			fmt.Sprintf("addresses like /ip4/192.0.2.7/tcp/4001/p2p/12D3Koo… or /dnsaddr/example.org, at most %d",
				maxList),
			"Nodes of that network to start with; nodes met before are remembered anyway.",
			func(c *Config) *[]string { return &c.Net.Bootstrap }),
		yesNo("net.private", false,
			"Whether only computers with the network's secret belong to it. \"forage join\" sets this with an invite "+
				"of such a network; set by hand, this computer begins one at its next start, and \"forage invite\" "+
				"brings others.",
			func(c *Config) *bool { return &c.Net.Private }),
		list("peer.listen", checkListen,
			fmt.Sprintf("\"auto\" alone, or addresses like /ip4/0.0.0.0/tcp/4001 or /ip4/0.0.0.0/udp/4001/quic-v1, "+
				"at most %d", maxList),
			"Where other nodes reach this one; an empty list or \"auto\" means all networks of the computer, at a "+
				"port chosen at the first start.",
			func(c *Config) *[]string { return &c.Peer.Listen }),
		yesNo("peer.upnp", false, "Whether the router is asked to let other nodes in.",
			func(c *Config) *bool { return &c.Peer.PortMap }),
		yesNo("peer.mdns", true, "Whether nodes on the same local network are looked for.",
			func(c *Config) *bool { return &c.Peer.MDNS }),
		yesNo("peer.place", true,
			"Whether other nodes learn roughly how far away this computer is, so that it gets nearby sites. From "+
				"that they can guess its region, just like from its internet address.",
			func(c *Config) *bool { return &c.Peer.Place }),
		choice(text("dht.mode", `"auto"`, checkTableMode, "\"auto\", \"client\" or \"server\"",
			"Whether this computer answers nodes that look for others: \"auto\" where others reach it directly and "+
				"in a lab, \"client\" never, \"server\" always; a bootstrap node always answers.",
			func(c *Config) *string { return &c.DHT.Mode }), "auto", "client", "server"),
		text("web.addr", `"127.0.0.1:7707"`, checkAddr,
			"127.0.0.1, [::1], localhost or, with web.lan, another address of this computer, a colon and a port; "+
				"port 0 takes any free one",
			"The address of the dashboard and the local API; without web.lan only this computer can reach them.",
			func(c *Config) *string { return &c.Web.Addr }),
		yesNo("web.lan", false,
			"Whether other computers of the local network can open the dashboard, encrypted and with the password "+
				"that \"forage password\" sets.",
			func(c *Config) *bool { return &c.Web.LAN }),
		list("web.hosts", checkHost,
			fmt.Sprintf("names and addresses in lower case, with or without a port, such as \"nas.home.arpa\" or "+
				"\"nas:8443\", at most %d", maxList),
			"Other names that computers may use for this one, besides its addresses and its own name.",
			func(c *Config) *[]string { return &c.Web.Hosts }),
		text("web.tls_cert", `""`, checkFile, `an absolute path, or ""`,
			"The PEM certificate that other computers see; without one Forage makes its own, and browsers warn once.",
			func(c *Config) *string { return &c.Web.TLSCert }),
		text("web.tls_key", `""`, checkFile, `an absolute path, or ""`,
			"The key of that certificate, in PEM.",
			func(c *Config) *string { return &c.Web.TLSKey }),
		whole("log.requests_days", 30, 0, 365,
			"How many days a record of each request to a site is kept, on this computer only; 0 keeps none.",
			func(c *Config) *int { return &c.Log.RequestsDays }),
		text("archive.dir", `""`, checkFile, `an absolute path, or ""`,
			"Where fetched pages are kept, for example on another disk; \"\" is the usual place. The folder must "+
				"exist. Older files are not moved: stop Forage, then move them.",
			func(c *Config) *string { return &c.Archive.Dir }),
		yesNo("index.on", true,
			"Whether pages can be searched by the words in them. If not, only titles and addresses are searched; the "+
				"index stays on the disk and catches up when you switch it on again.",
			func(c *Config) *bool { return &c.Index.On }),
		size("index.disk", `"500 MB"`, 10e6, maxSize, `a size from 10 MB to 1000 TB, like "5 GB"`,
			"The most that the search index takes on the disk, in addition to disk.max; pages that no longer fit are "+
				"searched by title and address alone.",
			func(c *Config) *Size { return &c.Index.Disk }),
		unit("%", whole("index.cpu", 25, 1, 100,
			"How much of one processor the search index may use in the background, in percent: to read older pages "+
				"and to tidy up.",
			func(c *Config) *int { return &c.Index.CPU })),
		yesNo("notify.first_page", true,
			"Whether you get a notification about the first page this computer ever fetches.",
			func(c *Config) *bool { return &c.Notify.FirstPage }),
		yesNo("notify.paused", true,
			"Whether you get a notification when Forage has rested for more than a day, once for each reason.",
			func(c *Config) *bool { return &c.Notify.Paused }),
		yesNo("notify.problem", true,
			"Whether you get a notification when something is wrong, such as a full disk or a faulty settings file, "+
				"once for each problem.",
			func(c *Config) *bool { return &c.Notify.Problem }),
		yesNo("notify.away", true,
			"Whether you get a notification about what was fetched when you return after an hour or more, "+
				"at most once a day.",
			func(c *Config) *bool { return &c.Notify.Away }),
	}
	fields = append(fields, limitFields()...)
	fields = append(fields,
		fixed("sleep.inhibit", "no", "Whether Forage keeps the computer from sleeping; it never does."),
		fixed("update.check", "off",
			"Whether Forage asks anyone for a newer version. It never does, and never changes itself: get newer "+
				"versions where you got this one."),
		whole("consent.version", 0, 0, 1_000_000,
			"The version of the text of \"forage consent\" that you agreed to, 0 for none; Forage writes it.",
			func(c *Config) *int { return &c.Consent.Version }),
		when("consent.time", "When you agreed; Forage writes it.", consentTime),
	)
	for i := range fields {
		switch group, _, _ := strings.Cut(fields[i].Name, "."); group {
		case "sites", "tld", "topics", "safety", "index", "notify", "sleep", "update", "consent":
			fields[i].Now = true
		}
		switch fields[i].Name {
		case "archive.dir", "crawl.seeds", "safety.blocklists", "web.tls_cert", "web.tls_key":
			fields[i].Local = true
		}
	}
	return fields
}

func consentTime(c *Config) *time.Time { return &c.Consent.Time }

// find returns the setting of that name.
func find(name string) (field, bool) {
	for _, f := range schema() {
		if f.Name == name {
			return f, true
		}
	}
	return field{}, false
}

// unknown returns the error for a key that does not exist.
func unknown(key string) *Error {
	e := &Error{Key: shorten(key), Reason: words.New("said.settings.is-no-setting", nil)}
	if key == "mode" { // what the user asks for by hand must not outlast a restart, and has an end
		e.Reason = words.New("said.settings.stands-in-no-file", nil)
		return e
	}
	for _, f := range schema() {
		if strings.HasPrefix(f.Name, key+".") {
			e.Reason = words.New("said.settings.is-a-group-of-settings", words.Args{"other": strconv.Quote(f.Name)})
			return e
		}
	}
	if best := nearest(key); best != "" {
		e.Reason = words.New("said.settings.is-no-setting-did-you-mean", words.Args{"other": strconv.Quote(best)})
	}
	return e
}

// unknownAt is unknown for a line of a file: the name that stands there is not quoted unless forage knows it.
func unknownAt(key string, line int) *Error {
	e := unknown(key)
	e.Line = line
	isGroup := func(f field) bool { return strings.HasPrefix(f.Name, key+".") }
	if key != "mode" && !slices.ContainsFunc(schema(), isGroup) {
		e.Key, e.Reason = "", words.New("said.settings.this-name", words.Args{"reason": e.Reason})
	}
	return e
}

// nearest returns the known key closest to what was written, "" if none is close.
func nearest(key string) string {
	const longest = 64 // no key is near a longer one
	if key == "" || len(key) > longest {
		return ""
	}
	key = strings.ToLower(strings.ReplaceAll(key, "-", "_"))
	best, least := "", len(key)/3+1
	for _, f := range schema() {
		if strings.HasSuffix(f.Name, "."+key) {
			return f.Name
		}
		if d := editDistance(key, f.Name); d < least {
			best, least = f.Name, d
		}
	}
	return best
}

// editDistance is Levenshtein's: the number of bytes inserted, removed or
// replaced to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
