package config

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/app/config/typo"
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

// Meaning says in one sentence what the setting is for, in English.
func (k Key) Meaning() string { return words.Text(words.English, "settings."+k.Name+".meaning", nil) }

// Range says what values are allowed, in English, to be read after a colon.
func (k Key) Range() string { return words.Text(words.English, "settings."+k.Name+".range", nil) }

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
		oneOf("role", `"node"`, func(c *Config) *string { return &c.Role }, "node", "bootstrap"),
		local(list("crawl.seeds", checkSeed, func(c *Config) *[]string { return &c.Crawl.Seeds })),
		list("crawl.scope", checkPattern, func(c *Config) *[]string { return &c.Crawl.Scope }),
		whole("crawl.depth", 16, 0, crawl.MaxDepth, func(c *Config) *uint8 { return &c.Crawl.Depth }),
		list("crawl.untrap", checkUntrap, func(c *Config) *[]string { return &c.Crawl.Untrap }),
		list("sites.never", checkNever, func(c *Config) *[]string { return &c.Sites.Never }),
		upTo(MaxMine, list("sites.mine", checkMine, func(c *Config) *[]string { return &c.Sites.Mine })),
		list("tld.never", checkTLD, func(c *Config) *[]string { return &c.TLD.Never }),
		choice(list("topics.never", checkTopic, func(c *Config) *[]string { return &c.Topics.Never }),
			scope.TopicNames()...),
		local(list("safety.blocklists", checkListFile, func(c *Config) *[]string { return &c.Safety.Blocklists })),
		yesNo("urls.keep_tracking", false, func(c *Config) *bool { return &c.URLs.KeepTracking }),
		yesNo("urls.keep_sessions", false, func(c *Config) *bool { return &c.URLs.KeepSessions }),
		text("net.name", `"main"`, checkNetwork, func(c *Config) *string { return &c.Net.Name }),
		list("net.bootstrap", checkDoor, func(c *Config) *[]string { return &c.Net.Bootstrap }),
		yesNo("net.private", false, func(c *Config) *bool { return &c.Net.Private }),
		list("peer.listen", checkListen, func(c *Config) *[]string { return &c.Peer.Listen }),
		yesNo("peer.upnp", false, func(c *Config) *bool { return &c.Peer.PortMap }),
		yesNo("peer.mdns", true, func(c *Config) *bool { return &c.Peer.MDNS }),
		yesNo("peer.place", true, func(c *Config) *bool { return &c.Peer.Place }),
		oneOf("dht.mode", `"auto"`, func(c *Config) *string { return &c.DHT.Mode }, "auto", "client", "server"),
		text("web.addr", `"127.0.0.1:7707"`, checkAddr, func(c *Config) *string { return &c.Web.Addr }),
		yesNo("web.lan", false, func(c *Config) *bool { return &c.Web.LAN }),
		list("web.hosts", checkHost, func(c *Config) *[]string { return &c.Web.Hosts }),
		local(text("web.tls_cert", `""`, checkFile, func(c *Config) *string { return &c.Web.TLSCert })),
		local(text("web.tls_key", `""`, checkFile, func(c *Config) *string { return &c.Web.TLSKey })),
		whole("log.requests_days", 30, 0, 365, func(c *Config) *int { return &c.Log.RequestsDays }),
		local(text("archive.dir", `""`, checkFile, func(c *Config) *string { return &c.Archive.Dir })),
		yesNo("index.on", true, func(c *Config) *bool { return &c.Index.On }),
		size("index.disk", `"500 MB"`, 10e6, maxSize, func(c *Config) *Size { return &c.Index.Disk }),
		unit("%", whole("index.cpu", 25, 1, 100, func(c *Config) *int { return &c.Index.CPU })),
		yesNo("notify.first_page", true, func(c *Config) *bool { return &c.Notify.FirstPage }),
		yesNo("notify.paused", true, func(c *Config) *bool { return &c.Notify.Paused }),
		yesNo("notify.problem", true, func(c *Config) *bool { return &c.Notify.Problem }),
		yesNo("notify.away", true, func(c *Config) *bool { return &c.Notify.Away }),
	}
	fields = append(fields, limitFields()...)
	fields = append(fields,
		fixed("sleep.inhibit", "no"),
		fixed("update.check", "off"),
		whole("consent.version", 0, 0, 1_000_000, func(c *Config) *int { return &c.Consent.Version }),
		when("consent.time", consentTime),
	)
	for i := range fields {
		switch group, _, _ := strings.Cut(fields[i].Name, "."); group {
		case "sites", "tld", "topics", "safety", "index", "notify", "sleep", "update", "consent":
			fields[i].Now = true
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
		if d := typo.Slips(key, f.Name); d < least {
			best, least = f.Name, d
		}
	}
	return best
}
