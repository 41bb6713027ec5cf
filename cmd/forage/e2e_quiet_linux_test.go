package main

import (
	"fmt"
	"net/netip"
	"net/url"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/app/footing"
)

const (
	// stopsWithin and beginsWithin are what users are promised: from the first key press to the last packet,
	// and from the end of the idle time to work.
	stopsWithin  = 2 * time.Second
	beginsWithin = 5 * time.Second
	// machineNeeds is what a machine that runs other tests may take longer, with a node that lets all others go first.
	machineNeeds = time.Second
	// quietFor is how long it is watched what a node says that shall be quiet.
	quietFor = 10 * time.Second
)

// wired is a node in a namespace of its own, with the practice web and another node at the other end of the cable.
type wired struct {
	*wire
	lab   *lab
	node  *process
	sites map[uint16]bool // ports
	mouse func()
}

func startWired(t *testing.T) *wired {
	t.Helper()
	w := &wired{wire: newWire(t), sites: make(map[uint16]bool)}
	display := "DISPLAY=" + startDisplay(t)
	w.mouse = func() {
		t.Helper()
		startWith(t, exec.Command("xdotool", "mousemove_relative", "--", "7", "5"), display).succeed()
	}
	w.lab = newLab(t, demo.Options{Pages: 20_000, Address: w.here.String()})
	w.lab.slowDown(100 * time.Millisecond)
	for line := range strings.Lines(w.lab.web.Hosts()) {
		u, err := url.Parse("//" + strings.Fields(line)[0])
		if err != nil {
			t.Fatal(err)
		}
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil {
			t.Fatal(err)
		}
		w.sites[uint16(port)] = true
	}
	listen := func(a netip.Addr) string {
		return fmt.Sprintf("peer.listen=/ip4/%v/tcp/4711,/ip4/%v/udp/4711/quic-v1", a, a)
	}
	c := &crowd{lab: w.lab, dir: t.TempDir()}
	run(t, c.homeOf("other"), "set", listen(w.here))
	other := c.enter("other", "--fetchers", "1")
	door := ""
	for _, a := range other.peers().Addrs {
		if strings.HasPrefix(a, "/ip4/"+w.here.String()+"/") {
			door = a
			break
		}
	}
	if door == "" {
		t.Fatalf("the other node is not at %s: %q", w.here, other.peers().Addrs)
	}
	for _, s := range slices.Concat(unlimited, []string{"idle.after=1 min", listen(w.inside)}) {
		run(t, w.lab.home, "set", s)
	}
	args := w.lab.runArgs("--gap", swarmGap.String(), "--lab-limits", "--lab-times", "real", "--bootstrap", door)
	w.node = startWith(t, w.command(append([]string{program}, args...)...), append(nobodyTells, display)...)
	w.node.awaitUp(w.lab.home)
	return w
}

// forage runs a command beside the node.
func (w *wired) forage(args ...string) string {
	w.t.Helper()
	return startWith(w.t, w.command(slices.Concat([]string{program}, args, []string{"--home", w.lab.home})...)).succeed().stdout.String()
}

// toSites returns the packets of sites, toPeers the others.
func (w *wired) toSites(list []packet) []packet {
	return slices.DeleteFunc(slices.Clone(list), func(p packet) bool { return p.proto != "tcp" || !w.sites[p.port] })
}

func (w *wired) toPeers(list []packet) []packet {
	return slices.DeleteFunc(slices.Clone(list), func(p packet) bool { return p.proto == "tcp" && w.sites[p.port] })
}

// works waits for ten packets to sites after a time, and returns when the first was sent.
func (w *wired) works(after time.Time) time.Time {
	w.t.Helper()
	var list []packet
	until(w.t, "packets to sites", func() bool {
		list = w.toSites(w.since(after, time.Now()))
		return len(list) >= 10
	})
	return list[0].at
}

// quiet moves the mouse in mid-crawl, watches, and returns when it was moved, and what was seen between the promise and the end.
func (w *wired) quiet(footing string) (moved time.Time, late []packet) {
	w.t.Helper()
	moved = time.Now()
	w.mouse()
	timer := time.NewTimer(stopsWithin + machineNeeds + quietFor)
	defer timer.Stop()
	<-timer.C
	end := time.Now()
	if is := parseJSON[api.Limits](w.t, w.forage("limits", "--json")); is.Level != "off" || is.Footing != footing || is.Reasons[0].Kind != "in_use" {
		w.t.Errorf("level %s, footing %s, %+v, want off, %s, in_use", is.Level, is.Footing, is.Reasons, footing)
	}
	all := w.since(moved, end)
	if sites := w.toSites(all); len(sites) > 0 {
		w.t.Logf("%s: the last packet of a site %v after the mouse was moved", footing, sites[len(sites)-1].at.Sub(moved))
	}
	if len(all) > 0 {
		w.t.Logf("%s: the last packet of all %v after the mouse was moved", footing, all[len(all)-1].at.Sub(moved))
	}
	return moved, w.since(moved.Add(stopsWithin+machineNeeds), end)
}

// resumes checks when work goes on.
func (w *wired) resumes(moved time.Time) {
	w.t.Helper()
	const idle = time.Minute
	began := w.works(moved.Add(stopsWithin + machineNeeds))
	after := began.Sub(moved) - idle
	w.t.Logf("work went on %v after the idle time", after)
	if after < 0 || after > beginsWithin+machineNeeds {
		w.t.Errorf("work went on %v after the idle time, want 0 to %v", after, beginsWithin)
	}
}

// What goes over the cable after somebody has touched the mouse: on standby nothing to or from any site, and little
// between nodes; without standby nothing at all.
func TestLong_LastPacketAfterTheMouseWasMoved(t *testing.T) {
	long(t)
	w := startWired(t)
	w.works(time.Now())
	until(t, "both to know each other", func() bool {
		return parseJSON[api.Status](t, w.forage("status", "--json")).Members == 2
	})
	w.works(time.Now())

	moved, late := w.quiet("standby")
	if sites := w.toSites(late); len(sites) > 0 {
		t.Errorf("packets of sites on standby:\n%s", summary(sites))
	}
	var sent, received int
	for _, p := range w.toPeers(late) {
		if p.sent {
			sent += p.length
		} else {
			received += p.length
		}
	}
	t.Logf("standby: %d bytes sent and %d received in %v, whole packets", sent, received, quietFor)
	if most := footing.StandbyRate * int(quietFor/time.Second); sent > most || received > most {
		t.Errorf("%d bytes sent and %d received on standby, want %d at most", sent, received, most)
	}
	if sent == 0 {
		t.Error("not a packet between nodes on standby: is the cable watched?")
	}
	w.resumes(moved)

	w.forage("set", "footing.standby=no")
	w.works(time.Now())
	moved, late = w.quiet("silent")
	var own, calls []packet // of the node; what others send to it, and the kernel's answers
	for _, p := range late {
		if p.sent && !p.reset {
			own = append(own, p)
		} else {
			calls = append(calls, p)
		}
	}
	if len(own) > 0 {
		t.Errorf("packets of a silent node:\n%s", summary(own))
	}
	t.Logf("silent: %d packets of the node in %v; of another that tries to reach it:\n%s", len(own), quietFor, summary(calls))
	w.resumes(moved)
	if w.unreadable > 0 {
		t.Errorf("%d packets could not be read", w.unreadable)
	}
	w.lab.visits().lawful(t, w.lab.web)
}
