package config

import (
	"fmt"
	"strings"
	"sync"

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
		choice(text("role", `"node"`, checkRole, "\"node\" or \"bootstrap\"", "A bootstrap node tells others who is there and helps them to reach each other; it crawls nothing.",
			func(c *Config) *string { return &c.Role }), "node", "bootstrap"),
		list("crawl.seeds", checkSeed, fmt.Sprintf("http and https addresses and names of files with one address a line, at most %d; a relative name starts from the directory of this file", maxList),
			"What the crawl starts from; an empty list means the built-in one.",
			func(c *Config) *[]string { return &c.Crawl.Seeds }),
		list("crawl.scope", checkPattern, fmt.Sprintf("domains and host/path patterns, at most %d", maxList),
			"What the crawl is confined to; an empty list means all of the public web.",
			func(c *Config) *[]string { return &c.Crawl.Scope }),
		whole("crawl.depth", 16, 0, crawl.MaxDepth, "How many links the crawl follows from a seed.",
			func(c *Config) *uint8 { return &c.Crawl.Depth }),
		list("crawl.untrap", checkUntrap, fmt.Sprintf("domains and host/path patterns, at most %d", maxList),
			"Sites whose addresses look endless and are not, as a chronicle with pages of the year 1215: all of them are taken in. Of other sites it is the first 50 of such addresses.",
			func(c *Config) *[]string { return &c.Crawl.Untrap }),
		list("sites.never", checkNever, fmt.Sprintf("domains and host/path patterns, at most %d", maxList),
			"Sites this computer never visits, with every host below them; \"forage never\" writes them here and takes effect at once.",
			func(c *Config) *[]string { return &c.Sites.Never }),
		upTo(MaxMine, list("sites.mine", checkMine, fmt.Sprintf("domains as example.org, at most %d", MaxMine),
			"Domains whose web sites you run: this computer visits them before others, and does not count them as help. A token on the site must name this computer; \"forage doctor\" shows it.",
			func(c *Config) *[]string { return &c.Sites.Mine })),
		list("tld.never", checkTLD, fmt.Sprintf("top-level domains without a dot, at most %d", maxList),
			"Top-level domains, as \"zip\", of which this computer visits nothing.",
			func(c *Config) *[]string { return &c.TLD.Never }),
		choice(list("topics.never", checkTopic, "topics out of "+strings.Join(scope.TopicNames(), ", "),
			"Kinds of sites this computer never visits; they are told by words in their names alone, so most are missed and a few are taken for what they are not.",
			func(c *Config) *[]string { return &c.Topics.Never }), scope.TopicNames()...),
		list("safety.blocklists", checkListFile, "names of files; a relative name starts from the directory of this file",
			"Files with names of sites that this computer never visits, beside the built-in list, which is always in force; a domain a line, a hosts file, or filters as ||example.org^. They are read anew when they change.",
			func(c *Config) *[]string { return &c.Safety.Blocklists }),
		yesNo("urls.keep_tracking", false, "Whether addresses that differ only in what advertising adds to them (utm_source, fbclid and the like) count as different pages.",
			func(c *Config) *bool { return &c.URLs.KeepTracking }),
		yesNo("urls.keep_sessions", false, "Whether addresses that differ only in a session number (PHPSESSID, jsessionid and the like) count as different pages.",
			func(c *Config) *bool { return &c.URLs.KeepSessions }),
		text("net.name", `"main"`, checkNetwork, "1 to 32 of the characters a-z, 0-9 and -",
			"The network this node belongs to; nodes of different networks do not meet.",
			func(c *Config) *string { return &c.Net.Name }),
		list("net.bootstrap", checkDoor, fmt.Sprintf("addresses as /ip4/192.0.2.7/tcp/4001/p2p/12D3Koo… or /dnsaddr/example.org, at most %d", maxList),
			"Nodes of that network to begin with; those met before are remembered anyway.",
			func(c *Config) *[]string { return &c.Net.Bootstrap }),
		yesNo("net.private", false, "Whether only computers with the network's secret belong to it. \"forage join\" sets this with an invite of such a network; set by hand, this computer begins one at its next start, and \"forage invite\" brings others.",
			func(c *Config) *bool { return &c.Net.Private }),
		list("peer.listen", checkListen, fmt.Sprintf("\"auto\" alone, or addresses as /ip4/0.0.0.0/tcp/4001 or /ip4/0.0.0.0/udp/4001/quic-v1, at most %d", maxList),
			"Where other nodes reach this one; an empty list or \"auto\" means all networks of the computer, at a port chosen at the first start.",
			func(c *Config) *[]string { return &c.Peer.Listen }),
		yesNo("peer.upnp", false, "Whether the router is asked to let other nodes in.",
			func(c *Config) *bool { return &c.Peer.PortMap }),
		yesNo("peer.mdns", true, "Whether nodes on the same local network are looked for.",
			func(c *Config) *bool { return &c.Peer.MDNS }),
		yesNo("peer.place", true, "Whether other nodes are told roughly how far this computer is from them, so that it gets the sites near to it. From that they can guess the region it is in, as from its internet address.",
			func(c *Config) *bool { return &c.Peer.Place }),
		choice(text("dht.mode", `"auto"`, checkTableMode, "\"auto\", \"client\" or \"server\"",
			"Whether this computer answers those who look for other nodes: \"auto\" where others can reach it directly and in a lab, \"client\" never, \"server\" always; a bootstrap node always answers.",
			func(c *Config) *string { return &c.DHT.Mode }), "auto", "client", "server"),
		text("web.addr", `"127.0.0.1:7707"`, checkAddr, "127.0.0.1, [::1], localhost or, with web.lan, another address of this computer, a colon and a port; port 0 takes any free one",
			"Where the dashboard and the local API are; without web.lan this computer alone can reach them.",
			func(c *Config) *string { return &c.Web.Addr }),
		yesNo("web.lan", false, "Whether other computers of the local network can open the dashboard, encrypted and with the password that \"forage password\" sets.",
			func(c *Config) *bool { return &c.Web.LAN }),
		list("web.hosts", checkHost, fmt.Sprintf("names and addresses in lower case, with or without a port, as \"nas.home.arpa\" or \"nas:8443\", at most %d", maxList),
			"What else other computers may call this one, besides its addresses and its name.",
			func(c *Config) *[]string { return &c.Web.Hosts }),
		text("web.tls_cert", `""`, checkFile, `an absolute path, or ""`,
			"The certificate, in PEM, that is shown to other computers; without one forage makes its own, of which browsers warn once.",
			func(c *Config) *string { return &c.Web.TLSCert }),
		text("web.tls_key", `""`, checkFile, `an absolute path, or ""`,
			"The key of that certificate, in PEM.",
			func(c *Config) *string { return &c.Web.TLSKey }),
		whole("log.requests_days", 30, 0, 365, "For how many days a record of each request to a site is kept, on this computer alone; 0 keeps none.",
			func(c *Config) *int { return &c.Log.RequestsDays }),
		text("archive.dir", `""`, checkFile, `an absolute path, or ""`,
			"Where the pages are kept that were fetched, as on another disk; \"\" is the usual place. The directory must exist. Files of before are not moved: stop forage, and move them.",
			func(c *Config) *string { return &c.Archive.Dir }),
		yesNo("index.on", true, "Whether pages can be searched by the words in them. Switched off, only titles and addresses are searched; the index stays on the disk and catches up when it is switched on again.",
			func(c *Config) *bool { return &c.Index.On }),
		size("index.disk", `"500 MB"`, 10e6, maxSize, `a size from 10 MB to 1000 TB, like "5 GB"`,
			"The most that the search index takes on the disk, in addition to disk.max; pages that no longer fit are searched by title and address alone.",
			func(c *Config) *Size { return &c.Index.Disk }),
		unit("%", whole("index.cpu", 25, 1, 100, "How much of one processor the search index may use in the background, in percent: to read older pages and to tidy up.",
			func(c *Config) *int { return &c.Index.CPU })),
		yesNo("notify.first_page", true, "Whether the desktop tells you of the first page that this computer ever fetches.",
			func(c *Config) *bool { return &c.Notify.FirstPage }),
		yesNo("notify.paused", true, "Whether the desktop tells you when work has rested for more than a day, once for each reason.",
			func(c *Config) *bool { return &c.Notify.Paused }),
		yesNo("notify.problem", true, "Whether the desktop tells you when something is wrong, as a full disk or a faulty settings file, once for each problem.",
			func(c *Config) *bool { return &c.Notify.Problem }),
		yesNo("notify.away", true, "Whether the desktop tells you, when you come back after an hour or more, "+
			"what was fetched meanwhile; once a day at most.",
			func(c *Config) *bool { return &c.Notify.Away }),
	}
	fields = append(fields, limitFields()...)
	fields = append(fields,
		fixed("sleep.inhibit", "no", "Whether forage keeps the computer from sleeping; it never does."),
		fixed("update.check", "off", "Whether forage asks anybody for a newer version; it never does, and changes nothing of itself: newer ones come from where you had this one."),
		whole("consent.version", 0, 0, 1_000_000, "Which version of the text shown by \"forage consent\" you agreed to, 0 for none; forage writes it.",
			func(c *Config) *int { return &c.Consent.Version }),
		when("consent.time", "When you agreed; forage writes it.", consentTime),
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

// find returns the setting of that name.
func find(name string) (field, bool) {
	for _, f := range schema() {
		if f.Name == name {
			return f, true
		}
	}
	return field{}, false
}

// groupOf splits "budget.full.fetchers" into "budget.full" and "fetchers". The
// group of a name without a dot is "".
func groupOf(name string) (group, last string) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:]
}
