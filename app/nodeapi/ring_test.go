package nodeapi

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
)

func ringMembers(n int) (list []ring.Member) {
	for i := range n {
		list = append(list, ring.Member{ID: fmt.Sprint("member ", i), Units: 1 + i%3})
	}
	return list
}

// ownerOnPicture returns who owns a place of a picture.
func ownerOnPicture(p *api.Ring, at float64) string {
	i, _ := slices.BinarySearchFunc(p.Arcs, at, func(a api.RingArc, at float64) int {
		switch {
		case a.To <= at:
			return -1
		case a.From > at:
			return 1
		}
		return 0
	})
	return p.Members[p.Arcs[i].Member].ID
}

func TestPicture_SaysWhatTheRingSays(t *testing.T) {
	for _, count := range []int{1, 2, 3, 20, 100, 600} {
		members := ringMembers(count)
		r := ring.New(members)
		self := members[count/2].ID
		var p Picture
		p.draw(r, self, peer.ID(self), nobodyKnows)
		c := &p.circle
		if c.Self != peer.ID(self).String() || c.Members[0].ID != c.Self || len(c.Members) != count {
			t.Fatalf("%d members: %d on the picture, the first is %+v", count, len(c.Members), c.Members[0])
		}
		share, at := 0.0, 0.0
		for _, a := range c.Arcs {
			if a.From != at || a.To <= a.From {
				t.Fatalf("%d members: arc %+v after %v", count, a, at)
			}
			if at = a.To; a.Member == 0 {
				share += a.To - a.From
			}
		}
		if at != 1 || len(c.Arcs) > api.MaxRingArcs || len(c.Points) > api.MaxRingPoints {
			t.Errorf("%d members: %d arcs end at %v, %d points", count, len(c.Arcs), at, len(c.Points))
		}
		if diff := share - c.Members[0].Share; diff > 0.002 || diff < -0.002 {
			t.Errorf("%d members: %v of the circle is drawn as ours, %v is", count, share, c.Members[0].Share)
		}
		own := 0
		for _, x := range c.Points {
			if x.Member == 0 {
				own++
			}
		}
		if want := r.Units(self) * ring.PointsPerUnit; own != want {
			t.Errorf("%d members: %d points of our own, want %d", count, own, want)
		}
		wrong := 0
		const domains = 2000
		for i := range domains {
			k := crawl.KeyOf(crawl.Domain(fmt.Sprintf("site%d.example", i)))
			u, _ := r.Owner(k)
			if ownerOnPicture(c, k.Place()) != peer.ID(u.Member).String() {
				wrong++
			}
		}
		if c.Exact != (count < 600) || c.Exact && wrong > 0 || wrong > domains*9/10 {
			t.Errorf("%d members: %d of %d domains are in the wrong arc (exact: %v)", count, wrong, domains, c.Exact)
		}
	}
}

// far is how far some members are, as many as are known; each lies in a direction of its own.
type far map[string]float64

func (f far) around(peers []string) (away, bearings []float64) {
	for _, peer := range peers {
		ms, ok := f[peer]
		if !ok {
			ms = -1
		}
		away, bearings = append(away, ms), append(bearings, ms/1000)
	}
	return away, bearings
}

// nobodyKnows how far a member is.
var nobodyKnows = far(nil).around

// Members are listed from near to far, and the arcs and points follow.
func TestPicture_NearestFirst(t *testing.T) {
	r := ring.New(ringMembers(5))
	places := far{"member 0": 70, "member 2": 9, "member 4": 150}
	var p, again Picture
	p.draw(r, "member 3", "member 3", places.around)
	for i, want := range []string{"member 3", "member 2", "member 0", "member 4", "member 1"} {
		m := p.circle.Members[i]
		if m.ID != peer.ID(want).String() || m.Share != r.Share(want) {
			t.Errorf("in place %d is %+v, want %s", i, m, want)
		}
		if away, bearings := places.around([]string{want}); !m.Self && (m.AwayMs != away[0] || m.Bearing != bearings[0]) {
			t.Errorf("%s is %v ms away at %v, want %v at %v", want, m.AwayMs, m.Bearing, away, bearings)
		}
	}
	for i := range 500 {
		k := crawl.KeyOf(crawl.Domain(fmt.Sprintf("site%d.example", i)))
		if u, _ := r.Owner(k); ownerOnPicture(&p.circle, k.Place()) != peer.ID(u.Member).String() {
			t.Fatalf("%v is in the wrong arc", k.Place())
		}
	}
	again.draw(r, "member 3", "member 3", nobodyKnows)
	if again.circle.Version == p.circle.Version {
		t.Error("another order has the same version")
	}
}

func TestPicture_NobodyOwnsAnything(t *testing.T) {
	var p Picture
	p.draw(ring.New(nil), "me", "me", nobodyKnows)
	if len(p.circle.Arcs)+len(p.circle.Points) != 0 || len(p.circle.Members) != 1 {
		t.Errorf("drawn: %+v", p.circle)
	}
}

func TestPicture_VersionChangesWithTheMembers(t *testing.T) {
	versions := make(map[string]bool)
	for _, members := range [][]ring.Member{ringMembers(3), ringMembers(4), {{ID: "member 0", Units: 2}}, {{ID: "member 0", Units: 1}}} {
		var p Picture
		p.draw(ring.New(members), "member 0", "member 0", nobodyKnows)
		versions[p.circle.Version] = true
		p.draw(ring.New(members), "member 0", "member 0", nobodyKnows)
		versions[p.circle.Version] = true
	}
	if len(versions) != 4 {
		t.Errorf("%d versions of 4 rings", len(versions))
	}
}

func TestLatest(t *testing.T) {
	var l latest
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range maxLatest + 10 {
		l.note(latestDomain{crawl.Domain(fmt.Sprint("d", i)), at.Add(time.Duration(i) * time.Second), "fi"})
	}
	l.addOld([]latestDomain{{domain: "old"}}) // there is no room
	all := l.all()
	if len(all) != maxLatest || all[0].domain != crawl.Domain(fmt.Sprint("d", maxLatest+9)) || all[len(all)-1].domain != "d10" {
		t.Errorf("%d domains from %v to %v", len(all), all[0], all[len(all)-1])
	}
	l.keepOnly(map[crawl.Domain]bool{"d20": true, "d30": true}, all)
	l.addOld([]latestDomain{{domain: "old"}, {domain: "d20"}})
	l.note(latestDomain{"d20", at.Add(time.Hour), ""})
	var got []crawl.Domain
	for _, x := range l.all() {
		got = append(got, x.domain)
	}
	if want := []crawl.Domain{"d20", "d30", "old"}; !slices.Equal(got, want) {
		t.Errorf("domains %v, want %v", got, want)
	}
	if got := l.all()[0].language; got != "fi" {
		t.Errorf("after a page in no language, the language is %q, want that of the one before", got)
	}
}
