package app

import "fmt"

// neighbourCases harm others than the crawler.
func neighbourCases() []*hostileCase {
	return []*hostileCase{
		{name: "poison", what: "2,000 links to pages that another site does not have", why: "links from elsewhere take no more than a share of a site's budget",
			requests: 2, bytes: 2 * fewBytes, answer: once(func(v *visit) bool { return v.page("a page", numbered("http://good-0.test/no/%d", 2000)...) })},
		{name: "poison-sitemap", what: "a sitemap of 2,000 pages that another site does not have", why: "as poison", requests: 3, bytes: 512 << 10,
			robots: func(v *visit) bool {
				return v.reply(200, "Content-Type: text/plain\r\n", "Sitemap: http://"+v.Host+"/sitemap.xml\n")
			},
			answer: func(v *visit) bool {
				if v.URL.Path != "/sitemap.xml" {
					return v.page("a page")
				}
				return v.reply(200, "Content-Type: application/xml\r\n", sitemapOf("urlset", 2000, func(i int) string { return fmt.Sprintf("http://good-1.test/no/%d", i) }))
			}},
	}
}
