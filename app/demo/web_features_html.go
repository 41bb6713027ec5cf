package demo

import "strings"

// comments: what looks like a link and is none, and links in odd spellings.
func comments(s *site) {
	for _, trap := range []string{"comment", "script", "style", "textarea", "attribute"} {
		s.leaf("/trap/"+trap+".html", "A trap for crawlers", roleForbidden)
	}
	s.leaf("/caf%C3%A9.html", "The café next door", roleExpected)
	s.leaf("/odd.php?a=1&b=2", "Two parameters", roleExpected)
	s.leaf("/two%20words.html", "Two words", roleExpected)
	s.pageOf("/spellings.html", "How links are spelled", func(w *writer) {
		host := w.page.host
		w.Raw(`<!-- <a href="/trap/comment.html">no</a> -->
<script>document.title += '<a href="/trap/script.html">no</a>';</script>
<style>/* <a href="/trap/style.html"> */</style>
<textarea><a href="/trap/textarea.html">no</a></textarea>
<p data-href="/trap/attribute.html" title='<a href="/trap/attribute.html">'>
<a name="here"></a> <a href="#here">here</a> <a href="">this page</a> ` +
			`<a href="javascript:void(0)">nothing</a> <a href="tel:+100">call</a>
<a href="/café.html">1</a> <a href="/caf%c3%a9.html#menu">2</a> ` +
			`<a href="caf&eacute;.html">3</a> <a href="/caf%C3%A9.html?">4</a>
<a href="/odd.php?a=1&b=2">5</a> <a href="/odd.php?a=1&amp;b=2">6</a> <A HREF=/odd.php?a=1&#38;b=2>7</A>
<a href=" two words.html
">8</a> <a href="/two%20words.html">9</a> <a href='a/../about.html'>10</a> <a href="./about.html">11</a>
<a href="HTTP://`)
		w.Raw(strings.ToUpper(host) + `:80/about.html">12</a> <a href="//` + host +
			`/about.html">13</a> <a href="\about.html">14</a>
`)
	})
	s.odd("/spellings.html", "How links are spelled")
}

// baseHref: links that mean something else because of the base element.
func baseHref(s *site) {
	p := s.pageOf("/press/index.html", "Press cuttings", func(w *writer) {
		w.Link("one.html", "The first cutting", "")
		w.Link("../press/2024/two.html", "The second", "")
		w.Link("?list=all", "All of them", "")
	})
	p.rooted = true
	p.head = "<base href=\"2024/\">\n<base href=\"/wrong/\">\n"
	s.leaf("/press/2024/one.html", "The first cutting", roleExpected)
	s.leaf("/press/press/2024/two.html", "The second cutting", roleExpected)
	s.leaf("/press/2024/?list=all", "All cuttings", roleExpected)
	for _, wrong := range []string{"/press/one.html", "/press/2024/two.html", "/wrong/one.html",
		"/press/index.html?list=all"} {
		s.leaf(wrong, "Not here", roleForbidden)
	}
	s.odd("/press/index.html", "Press cuttings")
}

// metaRefresh: a page that only another page's refresh leads to.
func metaRefresh(s *site) {
	p := s.pageOf("/newsletter.html", "The newsletter has moved", func(*writer) {})
	p.head = "<meta http-equiv=\"Refresh\" content=\"3; URL='/bulletin.html'\">\n"
	s.leaf("/bulletin.html", "The bulletin", roleExpected)
	s.odd("/newsletter.html", "Newsletter")
}

// frames: pages that only a frameset or an iframe shows.
func frames(s *site) {
	p := s.add(s.hosts[0], "/frames.html", "The harbour in frames", roleExpected, func(w *writer) {
		w.head()
		w.Raw("<FRAMESET COLS=\"200,*\"><FRAME SRC=\"frames/menu.html\"><FRAME NAME=main " +
			"SRC=/frames/view.html></FRAMESET>\n</HTML>\n")
	})
	s.leaf("/frames/menu.html", "Menu", roleExpected)
	s.leaf("/frames/view.html", "View", roleExpected)
	s.pageOf("/live.html", "The tide now",
		func(w *writer) { w.Raw("<iframe src=\"/gauge.html\" width=300></iframe>\n") })
	s.leaf("/gauge.html", "Tide gauge", roleExpected)
	s.odd(p.path, p.title)
	s.odd("/live.html", "The tide now")
}

// imageMap: pages that only the areas of an image lead to.
func imageMap(s *site) {
	s.pageOf("/chart.html", "Chart of the bay", func(w *writer) {
		w.Raw("<IMG SRC=/img/chart.png USEMAP=#bay><MAP NAME=bay><AREA SHAPE=rect COORDS=0,0,9,9 " +
			"HREF=/bay/north.html>" +
			"<AREA SHAPE=rect COORDS=0,9,9,18 HREF='bay/south.html'></MAP>\n")
	})
	s.leaf("/bay/north.html", "The north shore", roleExpected)
	s.leaf("/bay/south.html", "The south shore", roleExpected)
	s.odd("/chart.html", "Chart of the bay")
}

// noFollow: pages that ask robots not to follow their links, or not to index
// them, and a link to be passed over.
func noFollow(s *site) {
	hidden := func(path string) func(*writer) {
		return func(w *writer) { w.Link(path, "nothing for robots", "") }
	}
	meta := s.pageOf("/notes/meta.html", "Not for robots", hidden("/hidden/meta.html"))
	meta.head = "<META NAME=Robots CONTENT=\"noindex, NOFOLLOW\">\n"
	header := s.pageOf("/notes/header.html", "Not for robots either", hidden("/hidden/header.html"))
	header.tag = "noindex, nofollow"
	s.leaf("/hidden/meta.html", "Found by mistake", roleForbidden)
	s.leaf("/hidden/header.html", "Found by mistake", roleForbidden)
	noindex := s.pageOf("/notes/noindex.html", "Not to be found", func(w *writer) { w.Link("after.html", "more", "") })
	noindex.head = "<META NAME=robots CONTENT=noindex>\n"
	s.leaf("/notes/after.html", "Behind what is not to be found", roleExpected)
	for _, p := range []*page{meta, header, noindex} {
		s.odd(p.path, p.title)
	}
	s.odds = append(s.odds, link{href: "/about.html", text: "About us, not recommended", attrs: ` rel=nofollow`})
}

// deepChain: twelve pages, each of which alone leads to the next.
func deepChain(s *site) {
	const depth = 12
	for i := 1; i <= depth; i++ {
		s.pageOf("/cave/"+itoa(i)+"/", "The cave, "+itoa(i)+" metres down", func(w *writer) {
			if i < depth {
				w.Link("/cave/"+itoa(i+1)+"/", "deeper", "")
			}
		})
	}
	s.odd("/cave/1/", "The cave under the hill")
}

// hugePage: three megabytes of text.
func hugePage(s *site) {
	s.pageOf("/everything.html", "The complete timetable", func(w *writer) { w.fill(3 << 20) })
	s.odd("/everything.html", "The complete timetable on one page")
}

// linkHoard: two thousand links, many of them the same except for the fragment.
func linkHoard(s *site) {
	const links = 2000
	s.pageOf("/katalog.html", s.lang.Words.Contents, func(w *writer) {
		w.Open("ol")
		for i := range links {
			w.Item(func() {
				p := w.site.articles[i%len(w.site.articles)]
				if i%10 == 0 {
					p = w.anyArticle(w.anySite())
				}
				w.Link(w.href(p)+"#"+itoa(i), p.title, "")
			})
		}
		w.Close("ol")
	})
	s.odd("/katalog.html", s.lang.Words.Contents)
}
