package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

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
	if err != nil || err2 != nil || year < firstYear || year > lastYear || month < 1 || month > 12 || monthPath(year, month) != path {
		return nil
	}
	first := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	next := first.AddDate(0, 1, 0)
	return &page{site: s, host: s.hosts[0], path: path, title: first.Format("January 2006"), write: func(w *writer) {
		w.frame(func() {
			w.element("h1", w.page.title)
			w.open("ol")
			for day := first; day.Before(next); day = day.AddDate(0, 0, 1) {
				w.element("li", day.Format("Monday"))
			}
			w.close("ol")
			if next.Year() <= lastYear {
				w.link(monthPath(next.Year(), int(next.Month())), next.Format("January 2006"), ` rel="next"`)
			}
		})
	}}
}
