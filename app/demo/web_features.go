package demo

// The odd corners of the sites: those that are a matter of the document are in
// web_features_html.go, those of the server in web_features_server.go, the
// kinds of robots.txt in web_robots.go.

// feature adds an odd corner to a site that is being planned: pages and, on the
// home page, the links to them.
type feature func(*site)

// odd adds a link to the list on the home page.
func (s *site) odd(href, text string) { s.odds = append(s.odds, link{href: href, text: text}) }

// leaf adds an ordinary page of a feature.
func (s *site) leaf(path, title string, r role) *page {
	return s.add(s.hosts[0], path, title, r, func(w *writer) {
		w.frame(func() {
			w.Element("h1", w.page.title)
			w.paragraph(w.subject(), nil)
			w.paragraph(w.subject(), func() { w.to(w.anyArticle(w.site)) })
		})
	})
}

// pageOf adds a page whose text is followed by what content writes.
func (s *site) pageOf(path, title string, content func(*writer)) *page {
	return s.add(s.hosts[0], path, title, roleExpected, func(w *writer) {
		w.frame(func() {
			w.Element("h1", w.page.title)
			w.paragraph(w.subject(), nil)
			content(w)
		})
	})
}

// redirect adds a redirect.
func (s *site) redirect(path string, status int, location string) {
	p := s.add(s.hosts[0], path, "", roleOther, nil)
	p.status, p.location = status, location
}

func features(fs ...feature) []feature { return fs }
