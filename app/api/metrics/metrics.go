// Package metrics writes what a node does and did as Prometheus text.
package metrics

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/forage-net/forage/app/api"
)

// metric is one line of /metrics with its description.
type metric struct {
	name, kind, help string
	labels           string // `{state="working"}` or ""
	value            float64
}

// Text returns what a node does and did in the Prometheus text format 0.0.4.
func Text(st api.Status, stats api.Stats, peers api.Peers) []byte {
	var b bytes.Buffer
	last := ""
	for _, m := range slices.Concat(statusMetrics(st), totalMetrics(stats.Totals), peerMetrics(peers)) {
		if m.name != last {
			last = m.name
			fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", m.name, m.help, m.name, m.kind)
		}
		fmt.Fprintf(&b, "%s%s %s\n", m.name, m.labels, strconv.FormatFloat(m.value, 'f', -1, 64))
	}
	return b.Bytes()
}

// statusMetrics is what is now. Lines of one name stand together.
func statusMetrics(st api.Status) []metric {
	gauge := func(name, help string, v int64) metric {
		return metric{name: name, kind: "gauge", help: help, value: float64(v)}
	}
	metrics := []metric{
		{name: "forage_info", kind: "gauge", help: "Version and network of the node; always 1.", value: 1,
			labels: "{version=" + label(st.Version) + ",network=" + label(st.Network) + "}"},
	}
	for _, state := range []api.State{api.StateWorking, api.StatePaused, api.StateWaiting, api.StateStopping} {
		m := metric{name: "forage_state", kind: "gauge", help: "1 for the state the node is in.",
			labels: "{state=" + label(string(state)) + "}"}
		if st.State == state {
			m.value = 1
		}
		metrics = append(metrics, m)
	}
	return append(metrics,
		gauge("forage_uptime_seconds", "Time since the node started.", st.UptimeS),
		gauge("forage_domains", "Domains the node owns.", st.Domains),
		gauge("forage_queued_urls", "URLs that wait to be fetched.", st.Queued),
		gauge("forage_known_urls", "URLs ever seen.", st.Known),
		gauge("forage_leases", "Leases held.", st.Leases),
		gauge("forage_requests_in_flight", "Requests being made.", st.InFlight),
		gauge("forage_sockets", "Open connections to sites.", st.Sockets),
		gauge("forage_archive_files", "Files of the archive.", st.ArchiveFiles),
		gauge("forage_archive_bytes", "Size of the archive.", st.ArchiveBytes),
		gauge("forage_sites_answered", "Domains that answered in the last day.", st.Health.Answered),
		gauge("forage_sites_refused", "Domains among them that refused or challenged the address.", st.Health.Refused),
		gauge("forage_slowdown_factor", "By how much the node has slowed down because sites refuse.",
			int64(st.Health.Factor)),
		gauge("forage_disk_free_bytes", "Free space on the disk of the archive.", st.DiskFree),
	)
}

// totalMetrics is what was done since ever.
func totalMetrics(c api.Counts) []metric {
	counter := func(name, help string, v int64) metric {
		return metric{name: name, kind: "counter", help: help, value: float64(v)}
	}
	return []metric{
		counter("forage_pages_total", "Pages fetched.", c.Pages),
		counter("forage_duplicates_total", "Pages fetched whose content was known.", c.Duplicates),
		counter("forage_redirects_total", "Redirects.", c.Redirects),
		counter("forage_unchanged_total", "Pages visited again that were as before.", c.Unchanged),
		counter("forage_gone_total", "Answers with no page: 404 and the like.", c.Gone),
		counter("forage_failures_total", "Requests that came to nothing.", c.Failed),
		counter("forage_forbidden_total", "URLs that robots.txt kept us from.", c.Forbidden),
		counter("forage_found_urls_total", "URLs seen for the first time.", c.Found),
		counter("forage_firsts_total",
			"Pages that nobody in the network had fetched before, as far as this node knows.", c.Firsts),
		counter("forage_links_total", "Links on pages fetched.", c.Links),
		counter("forage_helped_seconds_total", "Time in which work was allowed and something was under way.",
			c.HelpedS),
		counter("forage_received_bytes_total", "Bytes received from sites.", c.BytesReceived),
		counter("forage_sent_bytes_total", "Bytes sent to sites.", c.BytesSent),
		counter("forage_peers_received_bytes_total", "Bytes received from other nodes, and of what finds them.",
			c.PeerReceived),
		counter("forage_peers_sent_bytes_total", "Bytes sent to other nodes, and of what finds them.", c.PeerSent),
	}
}

// peerMetrics is what was exchanged with other nodes. Lines of one name stand
// together.
func peerMetrics(p api.Peers) []metric {
	var requests, frames, streams []metric
	add := func(to *[]metric, name, help, label string, sent, received int64) {
		*to = append(*to,
			metric{name: name, kind: "counter", help: help, labels: "{" + label + `,direction="sent"}`,
				value: float64(sent)},
			metric{name: name, kind: "counter", help: help, labels: "{" + label + `,direction="received"}`,
				value: float64(received)})
	}
	for _, t := range p.Traffic {
		if t.Kind == "" {
			add(&streams, "forage_peer_stream_bytes_total", "Bytes over streams of other nodes, by protocol.",
				"protocol="+label(t.Protocol), t.BytesSent, t.BytesReceived)
			continue
		}
		add(&frames, "forage_peer_frames_total", "Requests and replies between nodes.", "kind="+label(t.Kind),
			t.Sent, t.Received)
		add(&requests, "forage_peer_bytes_total", "Bytes of requests and replies between nodes.",
			"kind="+label(t.Kind), t.BytesSent, t.BytesReceived)
	}
	var shared []metric
	for _, what := range slices.Sorted(maps.Keys(p.Shared)) {
		shared = append(shared, metric{
			name: "forage_shared_total", kind: "counter", help: "What went between this node and others.",
			labels: "{what=" + label(what) + "}", value: float64(p.Shared[what]),
		})
	}
	for _, what := range slices.Sorted(maps.Keys(p.Offences)) {
		shared = append(shared, metric{
			name: "forage_peer_offences_total", kind: "counter", help: "What was refused of other nodes.",
			labels: "{what=" + label(what) + "}", value: float64(p.Offences[what]),
		})
	}
	members := metric{name: "forage_members", kind: "gauge", help: "Members that own domains.",
		value: float64(p.Members)}
	return slices.Concat([]metric{members}, shared, frames, requests, streams)
}

// label quotes the value of a label.
func label(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "\ufffd")) + `"`
}
