package demo

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/forage-net/forage/app/demo/markup"
)

const (
	sectionCount = 3
	// perList is how many articles a list page shows at most.
	perList = 20
	// leastSection is a list page and two articles.
	leastSection = 3
)

// plan makes the sites and their pages, exactly as many expected ones as the
// options say: first what every site has and its odd corners, then articles
// and their lists with what is left.
func (w *Web) plan() error {
	start := w.newSite(0, siteSpec{name: startHost, title: "The practice web", lang: "en"})
	start.robots[startHost] = robotsFile{absent: true}
	start.home = start.add(startHost, "/", "", roleExpected, writeStart)
	w.sites = append(w.sites, start)
	for i, spec := range chooseSpecs(w.options.Sites) {
		w.sites = append(w.sites, w.newSite(i+1, spec))
	}
	planned := 1
	for _, s := range w.sites[1:] {
		s.planFixed()
	}
	for _, s := range w.sites[1:] {
		planned += count(s.pages, roleExpected)
	}
	left := w.options.Pages - planned
	if least := w.options.Sites * sectionCount * leastSection; left < least {
		return fmt.Errorf("%d pages are too few: %d sites need %d", w.options.Pages, w.options.Sites, planned+least)
	}
	for i, n := range shares(left, w.options.Sites) {
		w.sites[i+1].planArticles(n)
	}
	return nil
}

// chooseSpecs returns n sites: the catalogue in order, and beyond it the same
// again under other names and with other peculiarities.
func chooseSpecs(n int) []siteSpec {
	all := catalogue()
	specs := make([]siteSpec, 0, n)
	for i := range n {
		spec := all[i%len(all)]
		if round := i/len(all) + 1; round > 1 {
			spec.name = strings.Replace(spec.name, ".test", "-"+strconv.Itoa(round)+".test", 1)
			spec.title += " " + strconv.Itoa(round)
			spec.subdomains, spec.features = oddities(i)
		}
		specs = append(specs, spec)
	}
	return specs
}

// oddities returns the peculiarities of the i-th site where that repeats an
// earlier one. Each kind of them goes around among the languages.
func oddities(i int) (subdomains bool, of []feature) {
	switch i % 12 {
	case 1:
		return false, features(robotsCrawlDelay, redirects)
	case 3:
		return false, features(robotsPrefixes, redirects)
	case 4, 9:
		return true, features(blog)
	case 6:
		return false, features(robotsAbsent)
	case 7:
		return false, features(robotsWildcards, failures)
	case 8:
		return false, features(robotsRedirected)
	case 10:
		return false, features(deepChain, metaRefresh)
	case 11:
		return false, features(siteMap)
	}
	return false, nil
}

// shares splits pages among sites, large and small ones.
func shares(pages, sites int) []int {
	const least = sectionCount * leastSection
	weight := func(i int) int { return 2 + i*7%11 }
	total := 0
	for i := range sites {
		total += weight(i)
	}
	rest := pages - least*sites
	out := make([]int, sites)
	given := 0
	for i := range out {
		out[i] = least + rest*weight(i)/total
		given += out[i]
	}
	for i := 0; given < pages; i, given = i+1, given+1 {
		out[i%sites]++
	}
	return out
}

func count(pages []*page, r role) int {
	n := 0
	for _, p := range pages {
		if p.role == r {
			n++
		}
	}
	return n
}

func (w *Web) newSite(index int, spec siteSpec) *site {
	s := &site{
		web: w, index: index, title: spec.title, lang: w.languages[spec.lang], spec: spec, hosts: []string{spec.name},
		robots: make(map[string]robotsFile), byTarget: make(map[string]*page),
	}
	if w.options.Manual || w.options.Bulky {
		s.spec.charset = min(spec.charset, markup.UTF8Meta)
	}
	if spec.subdomains {
		s.apex = spec.name
		s.hosts = []string{"www." + spec.name, "blog." + spec.name, spec.name}
	}
	return s
}
