package demo

// The pages that every site has.

// writeStart writes the page that links to all sites.
func writeStart(w *writer) {
	w.head()
	w.Raw("<body>\n<main>\n")
	w.Element("h1", w.site.title)
	w.Element("p", "Every site below is made up and lives on this machine alone. Nothing here leads to the internet.")
	w.Open("ul")
	for _, s := range w.site.web.sites[1:] {
		w.Item(func() {
			w.Link("http://"+s.spec.name+"/", s.title, ` lang="`+s.lang.Tag+`"`)
			w.Raw(" (" + s.spec.name + ")")
		})
	}
	w.Close("ul")
	w.Raw("</main>\n</body>\n</html>\n")
}

func writeHome(w *writer) {
	s := w.site
	w.frame(func() {
		w.Element("h1", s.title)
		w.paragraph(s.title, nil)
		w.paragraph(w.subject(), nil)
		w.Open("ul")
		for i := range min(8, len(s.articles)) {
			w.Item(func() { w.to(s.articles[len(s.articles)-1-i]) })
		}
		w.Close("ul")
		if len(s.odds) > 0 {
			w.Element("h2", s.lang.Words.Related)
			w.Open("ul")
			for _, odd := range s.odds {
				w.Item(func() { w.Link(odd.href, odd.text, odd.attrs) })
			}
			w.Close("ul")
		}
		w.elsewhere(3)
	})
}

func writeAbout(w *writer) {
	w.frame(func() {
		w.Element("h1", w.page.title)
		w.paragraph(w.site.title, nil)
		w.table()
		w.Open("ul")
		for _, f := range w.site.web.files {
			w.Item(func() { w.Link(f.Path, f.Name, "") })
		}
		w.Close("ul")
		w.paragraph(w.subject(), nil)
	})
}

func writeContact(w *writer) {
	w.frame(func() {
		w.Element("h1", w.page.title)
		w.paragraph(w.site.title, func() { w.Link("mailto:post@"+w.site.spec.name, "post@"+w.site.spec.name, "") })
		w.Raw("<form action=\"/search\" method=\"get\"><input name=\"q\"><button>?</button></form>\n")
	})
}

// writeList returns the writer of the n-th list page of a section.
func writeList(sec *section, n int) func(*writer) {
	return func(w *writer) {
		w.frame(func() {
			w.breadcrumb(nil)
			w.Element("h1", w.page.title)
			w.paragraph(w.subject(), nil)
			w.Open("ol")
			for _, p := range sec.on[n] {
				w.Item(func() { w.to(p) })
			}
			w.Close("ol")
			w.Open("p")
			for i, p := range sec.lists {
				if i != n {
					w.Link(w.href(p), itoa(i+1), "")
					w.Raw(" ")
				}
			}
			w.Close("p")
			w.elsewhere(1)
		})
	}
}

// writeArticle returns the writer of the k-th article, in the i-th section.
func writeArticle(i, k int) func(*writer) {
	return func(w *writer) {
		s := w.site
		w.frame(func() {
			w.breadcrumb(s.sections[i].lists[0])
			w.article(k)
			w.Element("h2", s.lang.Words.Related)
			w.Open("ul")
			for range 5 {
				w.Item(func() { w.to(w.anyArticle(s)) })
			}
			w.Close("ul")
			w.elsewhere(w.random.below(3))
			w.Open("p")
			if k > 0 {
				w.Link(w.href(s.articles[k-1]), s.lang.Words.Previous, ` rel="prev"`)
				w.Raw(" ")
			}
			if k+1 < len(s.articles) {
				w.Link(w.href(s.articles[k+1]), s.lang.Words.Next, ` rel="next"`)
			}
			w.Close("p")
		})
	}
}

// article writes heading and text of the k-th article.
func (w *writer) article(k int) {
	s := w.site
	subject := s.spec.subjects[k%len(s.spec.subjects)]
	w.Element("h1", s.articles[k].title)
	for range 2 + w.random.below(3) {
		w.paragraph(subject, nil)
	}
	w.Raw(`<img src="/img/` + itoa(1+w.random.below(99)) + `.png" alt="" width="640" height="480">` + "\n")
	for range 1 + w.random.below(3) {
		w.paragraph(w.subject(), func() { w.to(w.anyArticle(s)) })
	}
	if w.random.below(2) == 0 {
		w.table()
	}
	w.paragraph(subject, nil)
}

// breadcrumb writes the way from the home page to here, by way of up where it
// is not nil.
func (w *writer) breadcrumb(up *page) {
	w.Open("p")
	w.Link(w.href(w.site.home), w.site.lang.Words.Home, "")
	if up != nil {
		w.Raw(" / ")
		w.to(up)
	}
	w.Close("p")
}

func (w *writer) table() {
	words := w.site.lang.Words
	w.Open("table")
	w.Open("tr")
	for _, heading := range []string{words.Year, words.Count, words.Remark} {
		w.Element("th", heading)
	}
	w.Close("tr")
	year := 1960 + w.random.below(40)
	for range 3 + w.random.below(4) {
		year += 1 + w.random.below(5)
		w.Open("tr")
		w.Element("td", itoa(year))
		w.Element("td", itoa(1+w.random.below(400)))
		w.Element("td", w.subject())
		w.Close("tr")
	}
	w.Close("table")
}

// elsewhere writes n links to other sites.
func (w *writer) elsewhere(n int) {
	if n == 0 {
		return
	}
	w.Element("h2", w.site.lang.Words.Elsewhere)
	w.Open("ul")
	for range n {
		w.Item(func() { w.to(w.anyArticle(w.anySite())) })
	}
	w.Close("ul")
}

// writeMissing writes what unknown URLs answer.
func writeMissing(w *writer) {
	w.frame(func() {
		w.Element("h1", w.page.title)
		w.paragraph(w.site.title, nil)
	})
}
