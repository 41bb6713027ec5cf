package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// redirects: a chain of three, one to another site, a loop of two, one to what
// is forbidden.
func redirects(s *site) {
	s.odd("/old/recipes.html", "The recipe index has moved")
	s.redirect("/old/recipes.html", 301, "/old/recipes-2019.html")
	s.redirect("/old/recipes-2019.html", 308, "http://"+s.hosts[0]+"/old/index.php?page=recipes")
	s.redirect("/old/index.php?page=recipes", 301, "../recipe-index.html")
	s.leaf("/recipe-index.html", "Recipe index", roleExpected)

	s.odd("/go/neighbour", "Our neighbour")
	neighbour := s.web.sites[0].hosts[0]
	if len(s.web.sites) > s.index+1 {
		neighbour = s.web.sites[s.index+1].hosts[0]
	}
	s.redirect("/go/neighbour", 302, "http://"+neighbour+"/")

	s.odd("/loop/one", "Round and round")
	s.redirect("/loop/one", 302, "/loop/two")
	s.redirect("/loop/two", 307, "/loop/one")

	s.odd("/go/kitchen", "For those who work here")
	s.redirect("/go/kitchen", 303, "/private/rota.html")
	s.leaf("/private/rota.html", "Who bakes when", roleForbidden)
}

// failures: 404, 410, 500 for good, and 500 and 503 at the first request.
func failures(s *site) {
	for _, f := range []struct {
		path          string
		status, fails int
	}{
		{"/missing.html", 404, 0}, {"/withdrawn.html", 410, 0}, {"/broken.html", 500, 0},
		{"/stumbles.html", 0, 500}, {"/busy.html", 0, 503},
	} {
		r := roleExpected
		if f.status != 0 {
			r = roleOther
		}
		p := s.leaf(f.path, "A page that fails", r)
		p.status, p.fails = f.status, f.fails
		s.odd(f.path, "A page that fails: "+f.path)
	}
}

// softMissing: a site that answers 200 for what it does not have.
func softMissing(s *site) {
	s.softMissing = true
	for _, path := range []string{"/no-such-page.html", "/no/such/directory/"} {
		s.add(s.hosts[0], path, s.lang.Words.Missing, roleExpected, writeMissing)
		s.odd(path, "A link that was right once")
	}
}

// printVersions: the same text without navigation, under URLs of its own.
func printVersions(s *site) {
	for k := range 5 {
		path := "/print/" + itoa(k+1) + ".html"
		title := s.lang.Title(s.spec.subjects, k) + " (" + s.lang.Words.Print + ")"
		p := s.add(s.hosts[0], path, title, roleExpected, func(w *writer) {
			w.head()
			w.Raw("<body>\n")
			w.article(k % len(w.site.articles))
			w.Raw("</body>\n</html>\n")
		})
		p.head = "<meta name=\"robots\" content=\"noindex\">\n"
		s.odd(path, title)
	}
}

// duplicates: articles that answer byte for byte the same under three URLs.
func duplicates(s *site) {
	s.rooted = true
	for k := range 4 {
		for _, path := range []string{"/copy/" + itoa(k+1) + ".html", "/mirror.php?article=" + itoa(k+1)} {
			s.add(s.hosts[0], path, "", roleExpected, func(w *writer) {
				original := w.site.articles[k%len(w.site.articles)]
				w.page = original
				w.random = newRandom(w.site.web.options.Seed, original.url())
				original.write(w)
			})
			s.odd(path, s.lang.Title(s.spec.subjects, k))
		}
	}
}

// blog: pages on another host of the domain, with a robots.txt of its own.
func blog(s *site) {
	blog := s.hosts[1]
	s.robots[blog] = robotsFile{text: "User-agent: *\nDisallow: /entwuerfe/\n"}
	s.add(blog, "/", "Blog", roleExpected, func(w *writer) {
		w.head()
		w.Raw("<body>\n")
		w.Element("h1", w.page.title)
		for i := range 6 {
			w.Link("/"+itoa(i+1)+"/", w.site.lang.Title(w.site.spec.subjects, i+3), "")
			w.Raw(" ")
		}
		w.Link("/entwuerfe/1/", "Entwürfe", "")
		w.Link(w.site.home.url(), w.site.title, "")
		w.Raw("</body>\n</html>\n")
	})
	// On this host the paths below mean other pages than on the first one.
	s.add(blog, "/about.html", s.lang.Words.About, roleExpected, writeAbout)
	s.add(blog, "/contact.html", s.lang.Words.Contact, roleExpected, writeContact)
	for _, f := range s.web.files {
		p := s.add(blog, f.Path, "", roleOther, nil)
		p.file, p.fileType = f.Data, f.Type
	}
	s.add(blog, "/entwuerfe/1/", "Entwurf", roleForbidden, writeMissing)
	for i := range 6 {
		s.add(blog, "/"+itoa(i+1)+"/", s.lang.Title(s.spec.subjects, i+3), roleExpected, func(w *writer) {
			w.frame(func() {
				w.Element("h1", w.page.title)
				w.paragraph(w.subject(), func() { w.to(w.anyArticle(w.site)) })
			})
		})
	}
	s.odd("http://"+blog+"/", "Blog")
	s.odd("http://"+s.apex+"/about.html", s.lang.Words.About)
}

// siteMap: a sitemap of all pages, named in robots.txt.
func siteMap(s *site) {
	s.sitemap = true
	s.robots[s.hosts[0]] = robotsFile{
		text: "User-agent: *\nDisallow: /search\n\nSitemap: http://" + s.hosts[0] + "/sitemap.xml\n",
	}
}

// calendarPath is what the months' paths begin with.
const calendarPath = "/calendar/"

const (
	firstYear = 2026
	lastYear  = 9999
)

// calendar: a page for every month for ever, each linking to the next.
func calendar(s *site) {
	s.calendar = true
	s.odd(monthPath(firstYear, 1), "Calendar")
}

func monthPath(year, month int) string { return fmt.Sprintf("%s%d/%02d/", calendarPath, year, month) }

// month returns the page of a month, nil if the path names none.
func (s *site) month(path string) *page {
	rest, ok := strings.CutPrefix(path, calendarPath)
	if !ok || !s.calendar {
		return nil
	}
	years, months, _ := strings.Cut(strings.TrimSuffix(rest, "/"), "/")
	year, err := strconv.Atoi(years)
	month, err2 := strconv.Atoi(months)
	if err != nil || err2 != nil || year < firstYear || year > lastYear || month < 1 || month > 12 ||
		monthPath(year, month) != path {
		return nil
	}
	first := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	next := first.AddDate(0, 1, 0)
	return &page{site: s, host: s.hosts[0], path: path, title: first.Format("January 2006"), write: func(w *writer) {
		w.frame(func() {
			w.Element("h1", w.page.title)
			w.Open("ol")
			for day := first; day.Before(next); day = day.AddDate(0, 0, 1) {
				w.Element("li", day.Format("Monday"))
			}
			w.Close("ol")
			if next.Year() <= lastYear {
				w.Link(monthPath(next.Year(), int(next.Month())), next.Format("January 2006"), ` rel="next"`)
			}
		})
	}}
}
