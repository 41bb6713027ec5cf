package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/cmd/papers/sim"
)

// circles is how many draws of the nodes' places the idle shares are the median of.
const circles = 101

// idle is how many nodes get nothing, in percent, over many draws of where nodes are on the circle.
func (r e03Run) idle(load int, scheme string) float64 {
	hosts, nodes := r.loads[load].hosts, r.most()
	var shares []float64
	for seed := range uint64(circles) {
		p := e03Case{nodes: nodes, scheme: scheme, redirect: e03Redirect}.partition(seed)
		gets := make([]bool, nodes)
		for h := range int32(hosts) {
			for page := range int32(64) { // enough to meet all eight parts of a host
				gets[p.Node(h<<8+page, h)] = true
			}
		}
		idle := 0
		for _, g := range gets {
			if !g {
				idle++
			}
		}
		shares = append(shares, 100*float64(idle)/float64(nodes))
	}
	return rtt.Median(shares)
}

func (r e03Run) report(l *lab.Lab) lab.Result {
	most := r.most()
	a := func(scheme string) float64 { return r.rate(0, most, scheme) }
	b := func(scheme string) float64 { return r.rate(1, most, scheme) }
	perPage := func(x sim.Result) float64 { return x.Sent / float64(max(1, x.Total())) }
	grows := func(scheme string) float64 {
		return r.rate(2, most, scheme) * float64(most) / (r.rate(2, 16, scheme) * 16)
	}
	idleHost, idle8, idleC := r.idle(1, "Hostname"), r.idle(1, "Hostname-8"), r.idle(2, "Hostname-8")
	idleOf := func(scheme string) float64 { return 100 * r.at(1, most, scheme).Idle() }
	bytes := perPage(r.at(1, most, "Redirect")) / perPage(r.at(1, most, "Hostname"))
	const pier = "what PIER spends on each link is not in it; the table of costs shows from where on the order is " +
		"the paper's"
	res := lab.Result{
		Ours: fmt.Sprintf("A: Hostname %.0f, Hostname-8 %.0f, URL %.0f, **ours %.0f** kB/s; B: idle %.0f %% "+
			"Hostname, %.0f %% Hostname-8, %.0f %% Redirect, %.0f %% URL; "+
			"Redirect %+.0f %%, %.1f × the bytes a page; "+
			"C: Hostname-8 %.0f %% idle, from 16 to %d nodes URL × %.1f, Hostname × %.1f; a site gets at most %.0f "+
			"requests/s by URL, **%.1f by ours**",
			a("Hostname"), a("Hostname-8"), a("URL"), a(e03Ours), idleHost, idle8, idleOf("Redirect"),
			idleOf("URL"), 100*(b("Redirect")/b("Hostname")-1), bytes,
			idleC, most, grows("URL"), grows("Hostname"), r.at(2, most, "URL").PerSecond,
			r.at(2, most, e03Ours).PerSecond),
		Marks: []lab.Mark{
			{Name: "A: Hostname ÷ Hostname-8", Got: a("Hostname") / a("Hostname-8"), Low: 1, High: 1e18,
				Because: pier},
			{Name: "A: Hostname-8 ÷ URL", Got: a("Hostname-8") / a("URL"), Low: 1, High: 1e18,
				Because: pier},
			lab.About("B: idle by Hostname, %", idleHost, 70, 10),
			lab.About("B: idle by Hostname-8, %", idle8, 20, 10),
			lab.About("B: idle by Redirect, %", idleOf("Redirect"), 1, 10),
			lab.About("B: idle by URL, %", idleOf("URL"), 0, 10),
			lab.AtLeast("B: Redirect ÷ Hostname", b("Redirect")/b("Hostname"), 1),
			{Name: "B: bytes a page of Redirect ÷ Hostname", Got: bytes, High: 3,
				Because: "more pages are redirected: a node is here held up by one connection to each site, so " +
					"queues grow past 500"},
			{Name: "C: idle by Hostname-8, %", Got: idleC, Low: 70, High: 90,
				Because: "site C has one hostname here, whose eight parts leave at least 72 of 80 nodes idle"},
			lab.AtLeast("C: URL, 80 nodes ÷ 16", grows("URL"), 3),
			lab.AtMost("C: Hostname, 80 nodes ÷ 16", grows("Hostname"), 1.2),
			lab.AtMost("C: Hostname-8, 80 nodes ÷ 16", grows("Hostname-8"), 2),
			lab.AtMost("ours: requests that a site has at once", float64(r.ourParallel()), 1),
			lab.AtMost("ours: requests a second at a site", r.at(2, most, e03Ours).PerSecond, 0.5),
		},
		Notes:   r.notes(l),
		Tables:  []lab.Table{r.table(), r.costs(), r.redirects(), r.queries()},
		Figures: r.figures(),
	}
	return res
}

// ourParallel is the most requests that any site had at once in any of our runs.
func (r e03Run) ourParallel() (most int) {
	for c, x := range r.results {
		if c.scheme == e03Ours {
			most = max(most, x.Parallel)
		}
	}
	return most
}

func (r e03Run) notes(l *lab.Lab) []string {
	trips := "round trips are generated"
	if l.Trips != nil {
		trips = "nodes and sites lie at nodes of " + l.Trips.Name
	}
	return []string{
		fmt.Sprintf("Workloads: A has %d hosts and %d pages, B %d and %d, C %d and %d; on %s; %s. The web is "+
			"described in cmd/papers/web, the time that a request takes in cmd/papers/sim. "+
			"Assumed: a link takes 100 bytes, a thread gets 100 kB/s, a node opens one connection to a site at a "+
			"time, redirects go by the hash of the URL to any node.",
			r.loads[0].hosts, r.loads[0].pages, r.loads[1].hosts, r.loads[1].pages, r.loads[2].hosts,
			r.loads[2].pages, l.HostsName(), trips),
		"Ours lends a site to one node at a time and leaves it alone for at least two seconds after each request, " +
			"so with few sites it is slow by design: that is the column of what one site gets. " +
			"The paper's kB/s are not compared by themselves: sites, lines and computers of 2004 are gone. The " +
			"idle shares are medians over 101 draws of the nodes' places.",
		fmt.Sprintf("Each node that is tried for a site reads its robots.txt: ours did so %d times in A, %d in B, "+
			"%d in C, beside the pages. Loo's nodes read none here. Another node is tried only for a site of which "+
			"32 pages wait, so in A, where most sites are small, nearness shows little.",
			r.at(0, r.most(), e03Ours).Robots, r.at(1, r.most(), e03Ours).Robots, r.at(2, r.most(), e03Ours).Robots),
	}
}

// costs says how the schemes do if each link costs a node time.
func (r e03Run) costs() lab.Table {
	t := lab.Table{"kB/s a node, if it works on each link for | " + strings.Join(e03Schemes[:4], " | ")}
	for w, load := range r.loads[:2] {
		for _, ms := range append([]float64{0}, e03LinkMs...) {
			line := fmt.Sprintf("%s, %.0f ms", load.name, ms)
			for _, s := range e03Schemes[:4] {
				x := r.results[e03Case{w, r.most(), s, ms, e03Redirect, 0}]
				line += fmt.Sprintf(" | %.1f", x.Rate(r.seconds)/float64(r.most()))
			}
			t = append(t, line)
		}
	}
	return t
}

// redirects says what the parameters of the redirect do.
func (r e03Run) redirects() lab.Table {
	t := lab.Table{"Redirect in B, from a queue of | to nodes | hops | kB/s a node | sent, B a page"}
	for _, x := range append([]redirect{e03Redirect}, e03Redirects...) {
		got := r.results[e03Case{1, r.most(), "Redirect", 0, x, 0}]
		to := "all"
		if x.fanOut > 0 {
			to = fmt.Sprint(x.fanOut)
		}
		t = append(t, fmt.Sprintf("%d | %s | %d | %.1f | %.0f", x.threshold, to, x.hops,
			got.Rate(r.seconds)/float64(r.most()), got.Sent/float64(max(1, got.Total()))))
	}
	return t
}

// queries says what an aggregation query does for the sites.
func (r e03Run) queries() lab.Table {
	t := lab.Table{fmt.Sprintf("B by URL, %.1f requests/s a site by aggregation query every | pages | at one site: "+
		"at once | a second | sent, B a page", e03Rate)}
	add := func(name string, x sim.Result) {
		t = append(t, fmt.Sprintf("%s | %d | %d | %.1f | %.0f", name, x.Total(), x.Parallel, x.PerSecond,
			x.Sent/float64(max(1, x.Total()))))
	}
	for _, every := range e03Queries {
		add(fmt.Sprintf("%.0f s", every), r.results[e03Case{1, r.most(), "URL", 0, e03Redirect, every}])
	}
	add("ours, by leases", r.at(1, r.most(), e03Ours))
	return t
}

func (r e03Run) table() lab.Table {
	most := r.most()
	list := lab.Table{fmt.Sprintf("%d nodes | kB/s a node | pages | URLs known | idle, %% | sent, B a page | at "+
		"one site: at once | a second | connect, ms", most)}
	for w, load := range r.loads {
		for _, s := range e03Schemes {
			x := r.at(w, most, s)
			list = append(list, fmt.Sprintf("%s, %s | %.1f | %d | %d | %.0f | %.0f | %d | %.1f | %.0f", load.name,
				s, x.Rate(r.seconds)/float64(most), x.Total(), x.Known,
				100*x.Idle(), x.Sent/float64(max(1, x.Total())), x.Parallel, x.PerSecond, x.ConnectMs))
		}
	}
	return list
}

// figures are Loo's 3 to 11: load of the nodes, throughput and traffic, for each workload.
func (r e03Run) figures() (list []draw.Figure) {
	for w, load := range r.loads {
		f := draw.Figure{File: fmt.Sprintf("loo-load-%s", load.name),
			Title: fmt.Sprintf("%s: load of %d nodes", load.name, r.most()), X: "pages of a node",
			Y: "part of the nodes"}
		for _, s := range e03Schemes {
			f.Curves = append(f.Curves, draw.Distribution(s, sortedInts(r.at(w, r.most(), s).Fetched)))
		}
		list = append(list, f)
	}
	for w, load := range r.loads {
		rate := draw.Figure{File: "loo-rate-" + load.name, Title: load.name + ": throughput", X: "nodes", Y: "kB/s"}
		sent := draw.Figure{File: "loo-sent-" + load.name, Title: load.name + ": between nodes", X: "nodes", Y: "kB/s"}
		for _, s := range e03Schemes {
			a, b := draw.Curve{Name: s}, draw.Curve{Name: s}
			for _, n := range r.counts {
				x := r.at(w, n, s)
				a.X, a.Y = append(a.X, float64(n)), append(a.Y, x.Rate(r.seconds))
				b.X, b.Y = append(b.X, float64(n)), append(b.Y, x.Sent/r.seconds/1000)
			}
			rate.Curves, sent.Curves = append(rate.Curves, a), append(sent.Curves, b)
		}
		list = append(list, rate, sent)
	}
	return list
}

func sortedInts(list []int) (sorted []float64) {
	for _, n := range slices.Sorted(slices.Values(list)) {
		sorted = append(sorted, float64(n))
	}
	return sorted
}
