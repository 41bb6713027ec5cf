package demo

// The pages that every site has.

// writeStart writes the page that links to all sites.
func writeStart(w *writer) {
	w.head()
	w.raw("<body>\n<main>\n")
	w.element("h1", w.site.title)
	w.element("p", "Every site below is made up and lives on this machine alone. Nothing here leads to the internet.")
	w.open("ul")
	for _, s := range w.site.web.sites[1:] {
		w.item(func() {
			w.link("http://"+s.spec.name+"/", s.title, ` lang="`+s.lang.tag+`"`)
			w.raw(" (" + s.spec.name + ")")
		})
	}
	w.close("ul")
	w.raw("</main>\n</body>\n</html>\n")
}

func writeHome(w *writer) {
	s := w.site
	w.frame(func() {
		w.element("h1", s.title)
		w.paragraph(s.title, nil)
		w.paragraph(w.subject(), nil)
		w.open("ul")
		for i := range min(8, len(s.articles)) {
			w.item(func() { w.to(s.articles[len(s.articles)-1-i]) })
		}
		w.close("ul")
		if len(s.odds) > 0 {
			w.element("h2", s.lang.words.related)
			w.open("ul")
			for _, odd := range s.odds {
				w.item(func() { w.link(odd.href, odd.text, odd.attrs) })
			}
			w.close("ul")
		}
		w.elsewhere(3)
	})
}

func writeAbout(w *writer) {
	w.frame(func() {
		w.element("h1", w.page.title)
		w.paragraph(w.site.title, nil)
		w.table()
		w.open("ul")
		for _, f := range w.site.web.files {
			w.item(func() { w.link(f.path, f.name, "") })
		}
		w.close("ul")
		w.paragraph(w.subject(), nil)
	})
}

func writeContact(w *writer) {
	w.frame(func() {
		w.element("h1", w.page.title)
		w.paragraph(w.site.title, func() { w.link("mailto:post@"+w.site.spec.name, "post@"+w.site.spec.name, "") })
		w.raw("<form action=\"/search\" method=\"get\"><input name=\"q\"><button>?</button></form>\n")
	})
}

// writeList returns the writer of the n-th list page of a section.
func writeList(sec *section, n int) func(*writer) {
	return func(w *writer) {
		w.frame(func() {
			w.breadcrumb(nil)
			w.element("h1", w.page.title)
			w.paragraph(w.subject(), nil)
			w.open("ol")
			for _, p := range sec.on[n] {
				w.item(func() { w.to(p) })
			}
			w.close("ol")
			w.open("p")
			for i, p := range sec.lists {
				if i != n {
					w.link(w.href(p), itoa(i+1), "")
					w.raw(" ")
				}
			}
			w.close("p")
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
			w.element("h2", s.lang.words.related)
			w.open("ul")
			for range 5 {
				w.item(func() { w.to(w.anyArticle(s)) })
			}
			w.close("ul")
			w.elsewhere(w.random.below(3))
			w.open("p")
			if k > 0 {
				w.link(w.href(s.articles[k-1]), s.lang.words.previous, ` rel="prev"`)
				w.raw(" ")
			}
			if k+1 < len(s.articles) {
				w.link(w.href(s.articles[k+1]), s.lang.words.next, ` rel="next"`)
			}
			w.close("p")
		})
	}
}

// article writes heading and text of the k-th article.
func (w *writer) article(k int) {
	s := w.site
	subject := s.spec.subjects[k%len(s.spec.subjects)]
	w.element("h1", s.articles[k].title)
	for range 2 + w.random.below(3) {
		w.paragraph(subject, nil)
	}
	w.raw(`<img src="/img/` + itoa(1+w.random.below(99)) + `.png" alt="" width="640" height="480">` + "\n")
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
	w.open("p")
	w.link(w.href(w.site.home), w.site.lang.words.home, "")
	if up != nil {
		w.raw(" / ")
		w.to(up)
	}
	w.close("p")
}

func (w *writer) table() {
	words := w.site.lang.words
	w.open("table")
	w.open("tr")
	for _, heading := range []string{words.year, words.count, words.remark} {
		w.element("th", heading)
	}
	w.close("tr")
	year := 1960 + w.random.below(40)
	for range 3 + w.random.below(4) {
		year += 1 + w.random.below(5)
		w.open("tr")
		w.element("td", itoa(year))
		w.element("td", itoa(1+w.random.below(400)))
		w.element("td", w.subject())
		w.close("tr")
	}
	w.close("table")
}

// elsewhere writes n links to other sites.
func (w *writer) elsewhere(n int) {
	if n == 0 {
		return
	}
	w.element("h2", w.site.lang.words.elsewhere)
	w.open("ul")
	for range n {
		w.item(func() { w.to(w.anyArticle(w.anySite())) })
	}
	w.close("ul")
}

// writeMissing writes what unknown URLs answer.
func writeMissing(w *writer) {
	w.frame(func() {
		w.element("h1", w.page.title)
		w.paragraph(w.site.title, nil)
	})
}
