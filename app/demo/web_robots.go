package demo

import (
	"time"

	"github.com/forage-net/forage/crawl"
)

// The kinds of robots.txt, with pages to try them on. Forbidden pages are
// linked and would answer.

// barred adds a forbidden page and the link to it.
func (s *site) barred(path, title string) {
	s.leaf(path, title, roleForbidden)
	s.odd(path, title)
}

// robotsUsual is what most sites have: one prefix.
func robotsUsual(s *site) {
	s.robots[s.hosts[0]] = robotsFile{text: "User-agent: *\nDisallow: /private/\nDisallow: /search\n"}
	s.barred("/private/ledger.html", "/private/")
}

// robotsPrefixes has several groups and comments.
func robotsPrefixes(s *site) {
	s.robots[s.hosts[0]] = robotsFile{text: "# " + s.title + "\nUser-agent: greedybot\nUser-agent: " +
		"otherbot\nDisallow: /\n\n" +
		"User-agent: *\nDisallow: /private/ # not for guests\nDisallow: /orders\nDisallow:\n"}
	s.barred("/private/till.html", "The till")
	s.barred("/orders.html", "Orders")
	s.leaf("/ordering.html", "How to order", roleExpected)
	s.odd("/ordering.html", "How to order")
}

// robotsExceptions allows what lies within the forbidden: the longest rule
// decides, wherever it stands.
func robotsExceptions(s *site) {
	s.robots[s.hosts[0]] = robotsFile{text: "User-agent: *\nAllow: /magazin/lesesaal\nDisallow: /magazin/\nDisallow: " +
		"/magazin/lesesaal/nachts\n" +
		"Disallow: /karten\nAllow: /karten\n"}
	s.barred("/magazin/keller.html", "Magazin im Keller")
	s.barred("/magazin/lesesaal/nachts.html", "Lesesaal bei Nacht")
	for _, path := range []string{"/magazin/lesesaal/plan.html", "/karten/stadtplan.html"} {
		s.leaf(path, "Lageplan", roleExpected)
		s.odd(path, "Lageplan")
	}
}

// robotsWildcards has * and $.
func robotsWildcards(s *site) {
	s.robots[s.hosts[0]] = robotsFile{text: "User-agent: *\nDisallow: /*.php$\nDisallow: /*?sort=\nDisallow: " +
		"/*/members/*.html$\n"}
	s.barred("/admin.php", "Workshop rota")
	s.barred("/list.php?sort=price", "Sorted by price")
	s.barred("/east/members/keys.html", "Keys")
	for _, path := range []string{"/east/members/keys.html?lang=en", "/members/rules.html", "/shop.php?item=1"} {
		s.leaf(path, "House rules", roleExpected)
		s.odd(path, "House rules")
	}
}

// robotsAbsent has none: everything is allowed.
func robotsAbsent(s *site) { s.robots[s.hosts[0]] = robotsFile{absent: true} }

// robotsCrawlDelay asks for a second between requests.
func robotsCrawlDelay(s *site) {
	s.robots[s.hosts[0]] = robotsFile{text: "User-agent: *\nCrawl-delay: 1\nDisallow: /private/\n", delay: time.Second}
	s.barred("/private/orders.html", "Orders")
}

// robotsForForage turns everyone away but us, who have rules of our own.
func robotsForForage(s *site) {
	s.robots[s.hosts[0]] = robotsFile{
		text: "User-agent: *\nDisallow: /\n\nUser-agent: " + crawl.Token + "\nDisallow: /workshop/\n",
	}
	s.barred("/workshop/keys.html", "Where the key is")
}

// robotsRedirected keeps the rules at another path.
func robotsRedirected(s *site) {
	s.robots[s.hosts[0]] = robotsFile{text: "User-agent: *\nDisallow: /yard/\n", location: "/policies/robots.txt"}
	s.barred("/yard/rota.html", "Yard rota")
}

// robotsBOM has a byte order mark, line ends of other systems, odd blanks and
// cases.
func robotsBOM(s *site) {
	s.robots[s.hosts[0]] = robotsFile{text: "\ufeffUSER-AGENT:*\r\n  disallow :\t/cocina/  \r\nDisallow: " +
		"/b%C3%BAsqueda\r\n"}
	s.barred("/cocina/", "La cocina")
	s.barred("/b%C3%BAsqueda.html", "Buscar")
}
