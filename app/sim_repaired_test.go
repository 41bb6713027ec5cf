//go:build !items

package app

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/storage"
)

// The store of a node is damaged while it is off, and repaired: nobody knows any more that it has what its logs
// say it has. It takes copies of all of them anew from the others, its own too, and what
// was dropped is there again.
func TestSim_StoreThatWasRepaired(t *testing.T) {
	whole(t)
	simulate(t, 24, 24, func(s *simSwarm) {
		s.web.delays = [5]int{10, 4, 15, 12, 7}
		s.gather(4)
		x := s.keeperOfTwo()
		s.crashFor(x)
		logs := s.damageAndRepair(x.home + "+")
		if logs < 2 {
			t.Fatalf("%d logs were repaired, want its own and those of others", logs)
		}
		x = s.revive(x, s.nodes[0])
		copied := make(map[string]bool)
		for start := time.Now(); time.Since(start) < time.Minute; s.run(50 * time.Millisecond) {
			for _, g := range x.node.logs.groups.All() {
				if st := g.Status(); st.Copying {
					copied[g.Log()] = true
				}
			}
			if len(copied) == logs {
				break
			}
		}
		if len(copied) != logs {
			t.Errorf("%d of %d logs are copied anew", len(copied), logs)
		}
		s.settleGroups(5 * time.Minute)
		s.checkSameLogs(x)
		s.finish(time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
	})
}

// keeperOfTwo waits for a node but the first whose own log, and another that it keeps, have domains.
func (s *simSwarm) keeperOfTwo() *simNode {
	s.t.Helper()
	for start := time.Now(); time.Since(start) < 5*time.Minute; s.run(time.Second) {
		for _, x := range s.nodes[1:] {
			own, others := false, 0
			for _, g := range x.node.logs.groups.All() {
				infos, err := g.Machine().(*keptLog).Domains("", 1)
				switch {
				case err != nil:
					s.t.Fatal(err)
				case len(infos) == 0:
				case g.Log() == string(x.host.ID()):
					own = true
				default:
					others++
				}
			}
			if own && others > 0 {
				return x
			}
		}
	}
	s.t.Fatal("no node keeps two logs with domains")
	return nil
}

// damageAndRepair drops the head of each log in a store that others keep too, and a page and a task here and there, and repairs it as
// forage doctor does.
func (s *simSwarm) damageAndRepair(home string) (logs int) {
	s.t.Helper()
	var path string
	filepath.WalkDir(home, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == "forage.db" {
			path = p
		}
		return nil
	})
	db, err := storage.Open(path, storage.Options{NoSync: true})
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	names, err := LogNames(db)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, name := range names {
		err := db.Update(func(tx *storage.Tx) error {
			log := tx.Bucket(storage.BucketLogs).Bucket([]byte(name))
			if key, _ := log.Bucket([]byte("domains")).Cursor().First(); key == nil {
				return nil // what is lost of a log without domains cannot be told from one that is new
			}
			if err := log.Bucket([]byte("meta")).Delete([]byte("state")); err != nil {
				return err
			}
			for _, bucket := range []string{"pages", "queue"} {
				b := log.Bucket([]byte(bucket))
				var drop [][]byte
				n := 0
				b.ForEach(func(k, _ []byte) error {
					if n++; n%7 == 3 {
						drop = append(drop, bytes.Clone(k))
					}
					return nil
				})
				for _, k := range drop {
					if err := b.Delete(k); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			s.t.Fatal(err)
		}
		cfg, err := FrontierConfig(db, name)
		if err != nil {
			s.t.Fatal(err)
		}
		mended, err := frontier.Repair(s.t.Context(), db, cfg, false)
		if err != nil {
			s.t.Fatal(err)
		}
		if len(mended) > 0 { // else there was nothing in it
			logs++
		}
	}
	return logs
}

// checkSameLogs makes sure that a node comes to have of each of its logs what who leads it has.
func (s *simSwarm) checkSameLogs(x *simNode) {
	s.t.Helper()
	for owner, l := range s.logsNow() {
		theirs, here := l.leader.node.logs.groups.Get(owner), x.node.logs.groups.Get(owner)
		if here == nil || l.leader == x {
			continue
		}
		want := s.domainsOf(theirs.Machine().(*keptLog))
		var lacks []string
		for range 600 { // entries are on their way, and those that came are applied a while later
			now := s.domainsOf(theirs.Machine().(*keptLog))
			maps.DeleteFunc(want, func(d crawl.Domain, _ frontier.DomainInfo) bool { _, is := now[d]; return !is }) // it has moved
			if lacks = lacking(want, s.domainsOf(here.Machine().(*keptLog))); len(lacks) == 0 {
				break
			}
			s.run(50 * time.Millisecond)
		}
		if len(lacks) > 0 {
			s.t.Errorf("of the log of %s, %s lacks what %s has: %v", s.nameOf(owner), x.name, l.leader.name, lacks)
		}
	}
}

func (s *simSwarm) domainsOf(k *keptLog) map[crawl.Domain]frontier.DomainInfo {
	infos, err := k.Domains("", 1<<20)
	if err != nil {
		s.t.Fatal(err)
	}
	m := make(map[crawl.Domain]frontier.DomainInfo)
	for _, i := range infos {
		m[i.Domain] = i
	}
	return m
}

// lacking describes domains of which less is known than was known elsewhere.
func lacking(want, have map[crawl.Domain]frontier.DomainInfo) (list []string) {
	for d, w := range want {
		if h := have[d]; h.Known < w.Known || h.Fetched < w.Fetched || h.Queued+h.Fetched < w.Queued+w.Fetched {
			list = append(list, fmt.Sprintf("%s: %d known, %d queued, %d fetched, where there were %d, %d and %d", d, h.Known, h.Queued, h.Fetched, w.Known, w.Queued, w.Fetched))
		}
	}
	return list
}
