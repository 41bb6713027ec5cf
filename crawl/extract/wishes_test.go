package extract

import "testing"

func TestAsked(t *testing.T) {
	const meta = "<meta name=robots content='noindex,noarchive'>"
	both := Wishes{NoIndex: true, NoArchive: true}
	for _, c := range []struct {
		name, contentType, header, body string
		want                            Wishes
	}{
		{"page", "text/html", "", meta, both},
		{"page of no type", "", "", meta, both},
		{"XHTML", "application/xhtml+xml", "", "<html><head>" + meta + "</head></html>", both},
		{"XHTML as XML", "application/xml", "", "<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a 'b>'>]><!-- x -->\n<html><head>" + meta, both},
		{"XHTML as XML with a prefix", "text/xml; charset=utf-8", "", "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><head>" + meta, both},
		{"a feed that quotes a page", "application/rss+xml", "", "<rss><html>" + meta, Wishes{}},
		{"a page as text", "text/plain", "", "\ufeff\n<!DOCTYPE HTML><title>x</title>" + meta, both},
		{"a page under an unknown type", "text/htm", "", "<!-- x --><title>x</title>" + meta, both},
		{"text that tells of a page", "text/plain", "", "Write <html>" + meta, Wishes{}},
		{"header alone", "image/png", "noarchive", "", Wishes{NoArchive: true}},
		{"header and page", "text/html", "forage: nofollow", meta, Wishes{NoIndex: true, NoFollow: true, NoArchive: true}},
		{"header for another", "text/plain", "otherbot: nofollow", "", Wishes{}},
		{"named", "text/html; charset=utf-16le", "", "<\x00m\x00e\x00t\x00a\x00 \x00n\x00a\x00m\x00e\x00=\x00f\x00o\x00r\x00a\x00g\x00e\x00 \x00" +
			"c\x00o\x00n\x00t\x00e\x00n\x00t\x00=\x00n\x00o\x00n\x00e\x00>\x00", Wishes{NoIndex: true, NoFollow: true}},
		{"named for another", "text/html", "", "<meta name=otherbot content=none>", Wishes{}},
		{"noai", "text/html", "", "<meta name=robots content='NoAI'>", Wishes{NoAI: true}},
		{"noimageai", "text/html", "", "<meta name=robots content='index, noimageai'>", Wishes{NoAI: true}},
		{"noai in a header", "image/png", "noai", "", Wishes{NoAI: true}},
		{"noimageai in a header", "text/plain", "noindex, noimageai", "", Wishes{NoIndex: true, NoAI: true}},
		{"noai for another", "text/html", "otherbot: noai", "<meta name=otherbot content=noai>", Wishes{}},
		{"none is not noai", "text/html", "none", "", Wishes{NoIndex: true, NoFollow: true}},
		{"reserved", "text/html", "", "<meta name='TDM-Reservation' content=' 1 '>", Wishes{Reservation: Reserved}},
		{"not reserved", "text/html", "", "<meta name=tdm-reservation content=0>", Wishes{Reservation: NotReserved}},
		{"reserved once of twice", "text/html", "", "<meta name=tdm-reservation content=1><meta name=tdm-reservation content=0>", Wishes{Reservation: Reserved}},
		{"neither reserved nor not", "text/html", "", "<meta name=tdm-reservation content=2><meta name=tdm-reservation>", Wishes{}},
	} {
		var headers []string
		if c.header != "" {
			headers = []string{c.header}
		}
		if got := Asked(c.contentType, headers, []byte(c.body)); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestHeaderReservation(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  Reservation
	}{
		{nil, ReservationUnset},
		{[]string{"1"}, Reserved},
		{[]string{" 0 "}, NotReserved},
		{[]string{"0", "1"}, Reserved},
		{[]string{"1, 0"}, Reserved},
		{[]string{"2"}, ReservationUnset},
		{[]string{"true", ""}, ReservationUnset},
		{[]string{"11"}, ReservationUnset},
	} {
		if got := HeaderReservation(c.lines); got != c.want {
			t.Errorf("HeaderReservation(%q) = %d, want %d", c.lines, got, c.want)
		}
	}
}

func TestIsPage(t *testing.T) {
	for _, c := range []struct {
		contentType, body string
		want              bool
	}{
		{"text/html; charset=x", "", true},
		{"application/xhtml+xml", "<svg/>", true},
		{"", "", true},
		{"text/xml", "<html/>", true},
		{"application/xml", "\xef\xbb\xbf<?xml version='1.0'?> <html xmlns='http://www.w3.org/1999/xhtml'>", true},
		{"application/rdf+xml", "<x:html xmlns:x='http://www.w3.org/1999/xhtml'>", true},
		{"text/xml", "<HTML>", false},
		{"text/xml", "<urlset>", false},
		{"text/xml", "", false},
		{"text/plain", "<html>", false},
		{"application/json", "{}", false},
	} {
		if got := IsPage(c.contentType, []byte(c.body)); got != c.want {
			t.Errorf("IsPage(%q, %q) = %v, want %v", c.contentType, c.body, got, c.want)
		}
	}
}

// The wishes of a header count for every body. HTML and Asked find the same wishes in a page.
func FuzzAsked(f *testing.F) {
	f.Add("text/html", []byte("<meta name=robots content=noindex>"))
	f.Add("application/xml; charset=utf-16", []byte("<?xml version='1.0'?><html><head><meta name='forage' content='noarchive'/>"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		headers := []string{"nofollow"}
		asked := Asked(contentType, headers, body)
		if !asked.NoFollow {
			t.Errorf("%q, %q: the header does not count", contentType, body)
		}
		if page := HTML(pageURL(t), contentType, headers, body); IsPage(contentType, body) && page.Wishes != asked {
			t.Errorf("%q, %q: %+v by HTML, %+v by Asked", contentType, body, page.Wishes, asked)
		}
	})
}
