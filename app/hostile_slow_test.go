package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Sites that are slow on purpose, more of them than there are fetchers, keep a
// quick one waiting while nobody knows them, and hardly after.
func TestHostile_SlowSitesDoNotTakeAllFetchers(t *testing.T) {
	l := &hostileLab{begun: time.Now(), goodDone: make(chan struct{}), ended: make(chan struct{})}
	t.Cleanup(l.close)
	const slow, pages = 8, 15
	l.newGoodSite(t, "good.test", pages)
	plan := []string{l.good[0].url("/")}
	for i := range slow {
		c := &hostileCase{name: fmt.Sprintf("syrup-%d", i), seeds: numbered("/%d", 200), holds: true, answer: untilGood(func(v *visit) {
			v.print(okHead + "\r\n")
			v.drip(fmt.Sprintf("syrup of %s ", v.URL.Path), 200)
		})}
		l.open(t, c)
		l.cases = append(l.cases, c)
		plan = append(plan, c.seedURLs()...)
	}
	o := labOptions(t, t.TempDir(), mustHosts(t, l.hosts()), plan...)
	o.ExitWhenIdle = 0
	o.Config.Limits.Budget.Full.Fetchers = 4
	tighten(&o)
	n := newNode(t, o)
	served := make(chan error, 1)
	go func() { served <- n.Serve(t.Context()) }()
	safety, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	select {
	case <-l.goodDone:
	case <-safety.Done():
		t.Error("the pages of the good site were not all asked for")
	}
	n.Stop(t.Context())
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	closeNode(t, n)
	// If each page of the good site waited for a round of the slow ones, they
	// would have been asked for slow × pages.
	if got := l.holdsThen.Load() - slow; got > slow*pages/3 { // one request each was for robots.txt
		t.Errorf("slow sites were asked for %d pages before the good one for its %d: %s", got, pages, l.counts())
	}
}

// counts says how often each site was asked.
func (l *hostileLab) counts() string {
	var list []string
	for _, s := range l.sites {
		list = append(list, fmt.Sprintf("%s %d", s.names[0], s.requests.Load()))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
