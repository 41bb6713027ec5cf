// Package api is the local HTTP API of a node and its Go client. Every front
// end, the command line included, sees a node through it alone.
//
// # What it offers
//
//	GET  /                    the dashboard, and its files under /assets/
//	POST /api/link            a link that lets a browser in, once
//	GET  /api/session         whether there is a password
//	POST /api/session         {"key": "…"} or {"password": "…"}: lets a browser in
//	POST /api/session/end
//	GET  /api/status          what the node is doing now, and why (lang)
//	GET  /api/visits          the sites it is at now (limit)
//	GET  /api/events          what happened since (boot, since, limit, lang, window), or a stream of events
//	GET  /api/domains         its domains, by name (after, limit, lang)
//	GET  /api/requests        its requests to sites, the latest first (before, limit, domain, kind, text)
//	GET  /api/requests/report about them, as text to show to others (days, lang)
//	GET  /api/why             what became of an address, or why it was never requested (address, lang)
//	GET  /api/never           what it does not visit, and why (lang)
//	POST /api/never           {"pattern": "example.org"}, with "undo": true back in
//	GET  /api/peers           its place in the network, and the other nodes (lang)
//	GET  /api/invite          a line that brings another computer to its network
//	GET  /api/helping         the domains of others that it fetches now
//	GET  /api/ring            who owns which part of the ring
//	GET  /api/stats           counts of the last hours and in all (hours)
//	GET  /api/stats/series    counts by hour, day or year (unit, from, to, limit, zone)
//	GET  /api/stats/best      what stands out of them (zone)
//	GET  /api/limits          what it may do now, and why (lang)
//	GET  /api/limits/history  what was allowed and used in the last 24 hours (lang, step)
//	GET  /api/settings        all settings (lang)
//	POST /api/settings        {"set": {"disk.max": "5 GB"}, "reset": ["data.day"]}: all or nothing
//	GET  /api/setup           what is to be known and asked before the first start (lang)
//	POST /api/setup           {"agree": true, "connection_is_mine": true, "preset": "away"}
//	POST /api/startup         {"on": true}: the system starts it when its user logs in
//	GET  /api/archive         captures of a URL (url, before, limit)
//	GET  /api/archive/search  pages that answer a query best (q, from, limit)
//	GET  /api/archive/links   pages of other sites that link to a URL or a domain (target, from, limit)
//	GET  /api/archive/site    what it has of a domain (domain)
//	GET  /api/archive/finds   a few pages of the last day that are worth reading (languages)
//	GET  /api/archive/page    a capture as plain text (id, lang)
//	POST /api/archive/view    begins a view of the archive, for a frame of the dashboard
//	GET  /api/archive/view    what the frame of a view shows (view)
//	GET  /archive/VIEW        archived pages as they looked, with their parts, for whoever has the name of a view
//	POST /api/export          {"format": "wacz"}: a ticket
//	GET  /download/TICKET     what the ticket is for, once
//	POST /api/erase           {"confirm": "erase"}: ends the node, which deletes all, or what sites or urls name
//	GET  /api/doctor          what is wrong with its files, as far as can be seen while it runs (lang)
//	GET  /api/away            what was fetched while nobody was there
//	POST /api/away            the same, when somebody looks; {"seen": true} ends it
//	POST /api/run             {"run": "always"}, or "away" or "off"
//	POST /api/pause           {"for": "1h"}, or {} until resumed
//	POST /api/work            {"for": "2m"}: work although the user is there, or {} until resumed
//	POST /api/finish          end what is under way, begin nothing more, and then end the node
//	POST /api/resume          go on as the limits say
//	POST /api/stop            begin to end the node
//	POST /api/window          {"page": "settings"}: brings the window to the front, if one is open
//	GET  /metrics             counts as Prometheus text
//	GET  /healthz             "ok", to anyone on this machine
//	GET  /api/openapi.json    all of this for programs, with every key (OpenAPI 3.1)
//
// A front end takes a snapshot (status) and then follows the events from its
// sequence number on. Events are kept for a while only. Who asks for older
// ones, or for those of an earlier start of the node (another boot ID), is told
// so (EventPage.Dropped) and takes a new snapshot.
//
// Answers are JSON (types.go); errors are {"error": "a sentence"} with a
// fitting status. A browser that asks for a page beside the API gets the sentence as one.
//
// # Who may call
//
// The server listens on 127.0.0.1 or ::1 and wants a token, which the node makes again at each start and writes,
// with the address, into a file that only its user can read (Descriptor). Browsers have a session instead,
// which begins with a one-time link: a cookie and a proof, both of which every call carries. Other
// computers are kept out, or let in by TLS and with a password (LAN). Against web pages that make a browser call:
// the Host header must name this computer (DNS rebinding), an Origin header must
// be our own, POST wants a JSON content type, and no CORS header is ever sent. Archived pages are shown in a frame that
// has no rights and no cookie: there the name of a view in the path, which only the dashboard knows, stands for both.
// Sizes, times, connections and streams are bounded; a reader that is too slow
// for its stream is cut off. The node is never blocked by a caller.
//
// All types are safe for concurrent use.
package api
