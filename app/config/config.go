package config

import (
	"fmt"
	"sync"
	"time"

	"github.com/forage-net/forage/app/config/toml"
	"github.com/forage-net/forage/app/limits"
)

// Config holds the settings. The zero value is not useful; Defaults and Load
// make one.
type Config struct {
	Crawl  Crawl
	Sites  Sites
	TLD    TLD
	Topics Topics
	Safety Safety
	URLs   URLs
	Net    Net
	Peer   Peer
	DHT    DHT
	// Role is "node" or "bootstrap": one that answers who is there and crawls nothing.
	Role string
	Web  Web
	Log  Log
	// Archive says where pages are kept.
	Archive Archive
	// Index says what the search index may take.
	Index Index
	// Notify says of what the desktop tells.
	Notify Notify
	// Limits are what the node may do, and when; consent is not in them.
	Limits  limits.Config
	Consent ConsentRecord
}

// Crawl says what is crawled.
type Crawl struct {
	// Seeds are http and https URLs and names of files with one URL a line;
	// none means the built-in list. Load makes file names absolute.
	Seeds []string
	// Scope are domains and host/path patterns; none means everything.
	Scope []string
	// Untrap are domains and host/path patterns of which all that looks like a trap is taken in.
	Untrap []string
	// Depth is the number of links followed from a seed, 0 to crawl.MaxDepth.
	Depth uint8
}

// Sites says which sites are treated otherwise than the rest.
type Sites struct {
	// Never are domains and host/path patterns that are not visited.
	Never []string
	// Mine are domains that the user says are theirs, at most MaxMine, as they were written; scope.OwnDomain
	// reads them.
	Mine []string
}

// MaxMine is how many domains a user can say are theirs: a person has a handful, and DNS is asked about each.
const MaxMine = 16

// TLD says which top-level domains are treated otherwise than the rest.
type TLD struct {
	// Never are those of which nothing is visited, without a dot.
	Never []string
}

// Topics says which kinds of sites are treated otherwise than the rest.
type Topics struct {
	// Never are names of scope.Topics that are not visited.
	Never []string
}

// Safety says what keeps from dangerous sites, beside the built-in list.
type Safety struct {
	// Blocklists are files with names of sites that are not visited. Load makes their names absolute.
	Blocklists []string
}

// URLs says which addresses are the same page; see crawl.Identity.
type URLs struct {
	KeepTracking, KeepSessions bool
}

// Notify says of what the user is notified by the desktop.
type Notify struct {
	// FirstPage is the first page ever, Paused a rest of more than a day, Problem that something is wrong.
	FirstPage, Paused, Problem bool
	// Away is what was fetched while nobody was there.
	Away bool
}

// Net says which network the node belongs to.
type Net struct {
	// Name is 1 to 32 of a–z, 0–9 and "-".
	Name string
	// Bootstrap are the addresses of nodes to begin with, as multiaddrs.
	Bootstrap []string
	// Private says that only who has the network's secret belongs to it.
	Private bool
}

// ListenAuto in Peer.Listen means all networks of the computer, at the port that was chosen.
const ListenAuto = "auto"

// DHT says what this node does for those who look for others.
type DHT struct {
	// Mode is "auto", "client" or "server".
	Mode string
}

// Peer says how other nodes reach this one.
type Peer struct {
	// Listen are multiaddrs; none, or ListenAuto alone, means all networks of the computer.
	Listen []string
	// PortMap asks the router for a way in.
	PortMap bool
	// MDNS looks for nodes on the local network.
	MDNS bool
	// Place tells other nodes roughly how far this one is from them.
	Place bool
}

// Web says where the local API and the dashboard are.
type Web struct {
	// Addr is an IP address, or localhost, and a port; port 0 takes any free one. One that is not of loopback
	// needs LAN.
	Addr string
	// LAN lets other computers of the local network in, who know the password.
	LAN bool
	// Hosts are further names, some with a port, by which they call this computer.
	Hosts []string
	// TLSCert and TLSKey are files in PEM; "" for a certificate that the node makes itself.
	TLSCert, TLSKey string
}

// Log says what is recorded for the user alone.
type Log struct {
	// RequestsDays is for how many days each request to a site is, 0 to 365; 0 means not
	// at all.
	RequestsDays int
}

// Archive says where pages are kept.
type Archive struct {
	// Dir is an absolute path, "" for the usual place.
	Dir string
}

// Index says what the search index may take.
type Index struct {
	// On says that there is one.
	On bool
	// Disk is what it may take on the disk.
	Disk Size
	// CPU is how much of one processor work in the background may take, in percent from 1 to 100.
	CPU int
}

// ConsentRecord is what the user agreed to.
type ConsentRecord struct {
	// Version is that of the text agreed to, 0 if none was.
	Version int
	// Time is when, the zero time if never.
	Time time.Time
}

// Defaults returns the settings of a node whose user has set nothing.
func Defaults() Config { return defaults() }

// defaults is read once from the schema and never changed: its lists are empty, so that copies share nothing.
var defaults = sync.OnceValue(func() Config {
	var c Config
	for _, f := range schema() {
		v, err := toml.ParseValue(f.Default)
		if err == nil {
			err = f.apply(&c, v)
		}
		if err != nil {
			panic(fmt.Sprintf("config: default of %s: %v", f.Name, err))
		}
	}
	return c
})

// Get returns the value of one key as it would be written in the file. The
// error for an unknown key is an *Error and suggests one that exists.
func (c Config) Get(key string) (string, error) {
	f, ok := find(key)
	if !ok {
		return "", unknown(key)
	}
	return f.get(&c).Literal(), nil
}
