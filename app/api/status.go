package api

import (
	"time"

	"github.com/forage-net/forage/assets/words"
)

// State says in a word what a node is doing.
type State string

const (
	StateWorking  State = "working"
	StatePaused   State = "paused"
	StateWaiting  State = "waiting" // nothing is due
	StateStopping State = "stopping"
)

// In returns the word for a state in a language.
func (s State) In(lang string) string { return words.Text(lang, "said.event.state."+string(s), nil) }

// Status is what a node is doing now.
type Status struct {
	Identity
	State State `json:"state"`
	// Reasons are sentences that say why the node is in this state.
	Reasons []string `json:"reasons"`
	// Sentence says in a sentence or two what it does now and why. Reasons and Sentence are in the language
	// that was asked for.
	Sentence string `json:"sentence"`
	Cure
	// Consent says that the user agreed to the present text, or needs not; until then nothing is sent.
	Consent bool `json:"consent"`
	// ResumeAt is when a pause ends by itself, nil if it does not.
	ResumeAt *time.Time `json:"resume_at"`
	// UptimeS is in seconds.
	UptimeS int64 `json:"uptime_s"`
	Progress
	Backlog
	Redone
	Membership
	Shards
	// Leases counts leases held, InFlight requests being made, Sockets open connections to sites.
	Leases   int64 `json:"leases"`
	InFlight int64 `json:"in_flight"`
	Sockets  int64 `json:"sockets"`
	Holdings
	// Index says how the search index stands.
	Index IndexStatus `json:"index"`
	// Health says how sites answer the address of this computer.
	Health Health `json:"health"`
	// Seq is the ID of the newest event, 0 if there was none.
	Seq uint64 `json:"seq"`
}

// Identity says which node it is, and which start of it.
type Identity struct {
	Version string `json:"version"`
	// BootID is new at each start of the node.
	BootID  string    `json:"boot_id"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Network string    `json:"network"`
	// Lab says that this is a closed test network.
	Lab bool `json:"lab"`
	// Home is the directory given with --home, "" if the files are where the operating system wants them.
	Home string `json:"home"`
}

// Progress is what was fetched.
type Progress struct {
	// Pages counts pages fetched since ever, PagesSession those since the start.
	Pages        int64 `json:"pages"`
	PagesSession int64 `json:"pages_session"`
	// PagesPerS is the mean of the last 60 seconds.
	PagesPerS float64 `json:"pages_per_s"`
	// BytesReceived and BytesSent count what went over the wire since ever.
	BytesReceived int64 `json:"bytes_received"`
	BytesSent     int64 `json:"bytes_sent"`
}

// Backlog is what is still to be done.
type Backlog struct {
	// Domains counts the domains this node owns.
	Domains int64 `json:"domains"`
	// Queued counts URLs that wait to be fetched, Known all that were ever seen.
	Queued int64 `json:"queued"`
	Known  int64 `json:"known"`
	// Waiting counts what is on its way to other nodes: pages with links to their domains, 10,000 at most, and outcomes
	// that they do not have yet.
	Waiting int64 `json:"waiting"`
}

// Redone is what is fetched again because another node was wrong.
type Redone struct {
	// Undone counts pages of domains that this node leads which are fetched again since the start, because the word of
	// the node that had reported them last, UndonePeer, turned out to be worth nothing, at UndoneAt; nil if there was
	// none.
	Undone     int64      `json:"undone"`
	UndonePeer string     `json:"undone_peer"`
	UndoneAt   *time.Time `json:"undone_at"`
}

// Membership is the place of a node among the others.
type Membership struct {
	// Members counts the nodes that own domains, this one among them; Connected those
	// of all kinds that it is connected to. Share is its part of the ring, 0 to 1.
	Members   int64   `json:"members"`
	Connected int64   `json:"connected"`
	Share     float64 `json:"share"`
	// Admission says in a sentence why other nodes do not yet count on this one as a member, "" if they do. It fetches
	// pages all the same.
	Admission string `json:"admission"`
}

// Shards counts the shards that a node keeps.
type Shards struct {
	// Leads counts the shards with domains that this node leads: its own, and those of members that are away. Whole are
	// those of them that as many members keep as should, and all have everything. Careful are those that it leads while
	// too few of the others are there to agree: their domains are visited at a third of the pace. Follows counts the
	// shards that others lead and this node keeps too, CatchingUp those of them of which it does not have everything
	// yet.
	Leads      int64 `json:"leads"`
	Whole      int64 `json:"whole"`
	Careful    int64 `json:"careful"`
	Follows    int64 `json:"follows"`
	CatchingUp int64 `json:"catching_up"`
}

// Holdings are what a node has archived, and the room for it.
type Holdings struct {
	// ArchiveDir holds ArchiveFiles files of ArchiveBytes in all.
	ArchiveDir   string `json:"archive_dir"`
	ArchiveFiles int64  `json:"archive_files"`
	ArchiveBytes int64  `json:"archive_bytes"`
	// DiskFree is what the disk of ArchiveDir has left, in bytes.
	DiskFree int64 `json:"disk_free"`
}

// Cure is what helps where something keeps a node from work.
type Cure struct {
	// Setting is the one that changes that, "" if none does; Remedy says in a sentence what to do about it, "" if there
	// is nothing to do but wait.
	Setting string `json:"setting"`
	Remedy  string `json:"remedy"`
	// Trouble is a word for what goes away only when somebody has a look, "" if nothing does.
	Trouble Trouble `json:"trouble"`
}

// IndexStatus says how the search index stands.
type IndexStatus struct {
	// On says that the settings want one.
	On bool `json:"on"`
	// Pages counts the pages in it, Bytes is what they take on the disk.
	Pages int64 `json:"pages"`
	Bytes int64 `json:"bytes"`
	// Waiting is about how many pages of the archive are not in it yet: an estimate from how large pages are.
	Waiting int64 `json:"waiting"`
	// Full says that it takes what it may on the disk, so that what waits stays out of it.
	Full bool `json:"full"`
}

// Health says how sites answer the address of this computer. Counts of sites
// are of distinct domains; they are estimates if Sampled is set.
type Health struct {
	// Sentence says it for people, "" if no node runs.
	Sentence string `json:"sentence"`
	// Factor is by how much the node has slowed down: 1 (not at all), 2, 4 or 8.
	Factor int `json:"factor"`
	// Answered counts sites that answered in the last 24 hours, Refused those of them whose last answer was a refusal
	// (403) or a test whether the visitor is human, Challenged the tests among these.
	Answered   int64 `json:"answered"`
	Refused    int64 `json:"refused"`
	Challenged int64 `json:"challenged"`
	// The same for the day before, and for the last 7 days.
	AnsweredBefore int64 `json:"answered_before"`
	RefusedBefore  int64 `json:"refused_before"`
	AnsweredWeek   int64 `json:"answered_week"`
	RefusedWeek    int64 `json:"refused_week"`
	ChallengedWeek int64 `json:"challenged_week"`
	// Waits counts answers that asked us to wait, and were obeyed; Forbidden the pages
	// left out because robots.txt says so; in the last 24 hours and 7 days.
	Waits         int64 `json:"waits"`
	WaitsWeek     int64 `json:"waits_week"`
	Forbidden     int64 `json:"forbidden"`
	ForbiddenWeek int64 `json:"forbidden_week"`
	Sampled       bool  `json:"sampled"`
}
