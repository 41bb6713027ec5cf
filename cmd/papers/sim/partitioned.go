package sim

import "github.com/forage-net/forage/cmd/papers/rival"

// crawler is a node of Loo's crawler: the pages that it was sent wait by host, a host has one connection at a time
// from a node (its throttle), and duplicates are dropped where a link is found and where it arrives.
type crawler struct {
	free     int // threads
	ready    []int32
	pending  map[int32][]int32
	queued   int
	resolved set
	sent     set
	came     set
	outbox   [][]tuple // by node
	flushing bool
	works    float64 // on links until then
}

// tuple is a link on its way.
type tuple struct {
	page int32
	hops int
}

type partitioned struct {
	*world
	rival.Partition
	throttle *rival.Throttle
	nodes    []*crawler
}

// Partitioned crawls with a partition of pages among nodes. The throttle may be nil.
func Partitioned(c Config, p rival.Partition, t *rival.Throttle) Result {
	s := &partitioned{world: newWorld(c), Partition: p, throttle: t}
	if t != nil {
		s.after(t.Every, s.query)
	}
	for range c.Nodes {
		s.nodes = append(s.nodes, &crawler{free: c.Threads, pending: make(map[int32][]int32),
			resolved: newSet(c.Web.Hosts),
			sent:     newSet(c.Web.Pages()), came: newSet(c.Web.Pages()), outbox: make([][]tuple, c.Nodes)})
	}
	for _, page := range c.Seeds {
		s.arrive(s.Node(page, c.Web.Host[page]), tuple{page: page})
	}
	r := s.run()
	all := newSet(c.Web.Pages())
	for _, n := range s.nodes {
		for i := range n.came {
			all[i] |= n.came[i]
		}
	}
	r.Known = all.len()
	return r
}

// arrive takes in a link that was sent to a node, or sends it on.
func (s *partitioned) arrive(node int, t tuple) {
	n, host := s.nodes[node], s.Web.Host[t.page]
	if !n.came.add(int(t.page)) {
		return
	}
	if to, ok := s.Next(t.page, host, n.queued, t.hops); ok && to != node {
		s.send(node, to, tuple{t.page, t.hops + 1})
		return
	}
	waiting, busy := n.pending[host]
	n.pending[host] = append(waiting, t.page)
	if n.queued++; !busy {
		n.ready = append(n.ready, host)
	}
	s.start(node)
}

// start gives threads something to do. A host is in pending as long as it has a connection or pages that wait.
func (s *partitioned) start(node int) {
	n := s.nodes[node]
	for n.free > 0 && len(n.ready) > 0 {
		host := n.ready[0]
		n.ready = n.ready[1:]
		page := n.pending[host][0]
		n.pending[host] = n.pending[host][1:]
		n.free--
		n.queued--
		s.after(s.request(node, page, n.resolved), func() { s.done(node, page) })
	}
}

func (s *partitioned) done(node int, page int32) {
	n, host := s.nodes[node], s.Web.Host[page]
	s.fetched(node, page)
	if s.throttle == nil {
		s.release(node, host)
	} else {
		s.after(s.throttle.Gap(node, host, s.now), func() { s.release(node, host); s.start(node) })
	}
	sent := 0
	for _, to := range s.Web.Links(page) {
		if !n.sent.add(int(to)) {
			continue
		}
		if owner := s.Node(to, s.Web.Host[to]); owner == node {
			s.arrive(node, tuple{page: to})
		} else {
			s.send(node, owner, tuple{page: to})
			sent++
		}
	}
	s.work(node, sent, func() { // the thread packs its links before it goes on
		n.free++
		s.start(node)
	})
}

// release lets a node ask a host again.
func (s *partitioned) release(node int, host int32) {
	n := s.nodes[node]
	if len(n.pending[host]) > 0 {
		n.ready = append(n.ready, host)
	} else {
		delete(n.pending, host)
	}
}

// query asks for the rates of all sites.
func (s *partitioned) query() {
	s.result.Sent += tupleBytes * float64(s.throttle.Query(s.now))
	s.after(s.throttle.Every, s.query)
}

// work lets a node work on some links, and then go on.
func (s *partitioned) work(node, links int, then func()) {
	n := s.nodes[node]
	if s.LinkS == 0 || links == 0 {
		then()
		return
	}
	n.works = max(n.works, s.now) + s.LinkS*float64(links)
	s.after(n.works-s.now, then)
}

// send puts a link into the next packet to a node.
func (s *partitioned) send(from, to int, t tuple) {
	n := s.nodes[from]
	n.outbox[to] = append(n.outbox[to], t)
	if !n.flushing {
		n.flushing = true
		s.after(flushS, func() { s.flush(from) })
	}
}

func (s *partitioned) flush(from int) {
	n := s.nodes[from]
	n.flushing = false
	for to, list := range n.outbox {
		if len(list) == 0 {
			continue
		}
		n.outbox[to] = nil
		s.result.Sent += packetBytes
		s.result.Links += len(list)
		for _, t := range list {
			if t.hops > 0 {
				s.result.Sent += tupleBytes * redirected
			} else {
				s.result.Sent += tupleBytes
			}
		}
		s.after(s.Between(from, to)/2000, func() {
			s.work(to, len(list), func() {
				for _, t := range list {
					s.arrive(to, t)
				}
			})
		})
	}
}
