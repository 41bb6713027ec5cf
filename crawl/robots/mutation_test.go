package robots

import (
	"slices"
	"strings"
	"testing"
)

// siteFiles are robots.txt as sites have them.
var siteFiles = []string{
	// A blog, as its software writes it.
	`User-agent: *
Disallow: /wp-admin/
Allow: /wp-admin/admin-ajax.php
Disallow: /*?replytocom=
Disallow: /author/

Sitemap: https://blog.example/wp-sitemap.xml`,
	// A shop that grew, with rules for us in two places.
	`# robots.txt of shop.example
# last change: summer

User-agent: BadBot
User-agent: WorseBot
Disallow: /

User-agent: Forage   # welcome, slowly
Crawl-delay: 10
Disallow: /checkout/
Disallow: /cart
Disallow: /*.pdf$
Allow: /cart/help

User-agent: *
Disallow: /checkout/
Disallow: /search?
Allow: /

Sitemap: https://shop.example/sitemap_index.xml
Sitemap: https://shop.example/sitemap_news.xml

User-agent: forage
Disallow: /wishlist
Disallow: /%C3%BCber/*/drucken
Disallow: /konto;jsessionid=`,
	// An old university page, by hand, on Windows.
	"\xef\xbb\xbfuser-agent : *\r\ndisallow : /cgi-bin/\r\ndisallow : /~anna/tmp/\r\ndisallow: /stats\r\nHost: www.uni.example\r\ncrawl-delay : 2.5\r\n\r\n#disallow: /lectures/\r\nDissallow: /exams\r\nRequest-rate: 1/5\r\n",
	// Everybody but us shut out, and a few of our own pages.
	`User-agent: *
Disallow: /

User-agent: other
User-agent: forage
Allow: /public/
Allow: /$
Disallow: /public/drafts/
Disallow: /
Noindex: /x
Crawl-delay: 1`,
	// Half a web page, half a robots.txt.
	`<!-- generated -->
User-agent: *
<br>
Disallow: /private
Disallow: /tmp # for now
Clean-param: ref /articles/
Disallow: /*/print$

User-agent: Twit
Allow: /private/card`,
}

// mutantPaths are paths that the rules of a file speak of, and some more.
func mutantPaths(text string) []string {
	paths := []string{"/", "/a", "/index.html?a=b", "/public/x"}
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
		_, rule, ok := strings.Cut(line, ":")
		rule = strings.TrimSpace(strings.Split(rule, "#")[0])
		if !ok || rule == "" || rule[0] != '/' {
			continue
		}
		path := strings.NewReplacer("*", "/x", "$", "").Replace(rule)
		paths = append(paths, path, path+"y", path+"/z?w")
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// lineKind says what a line is to those who read closely: this test, and not
// the code it tests, decides what a mutation may do.
type lineKind uint8

const (
	kindOther lineKind = iota
	kindAgent
	kindAllow
	kindDisallow
)

func kindOf(line string, first bool) lineKind {
	if first {
		line = strings.TrimLeft(line, "\ufeff")
		for line != "" && strings.IndexByte("\xef\xbb\xbf\xff\xfe", line[0]) >= 0 {
			line = line[1:]
		}
	}
	line = strings.ToLower(strings.TrimSpace(strings.ReplaceAll(line, "\x00", "")))
	for _, name := range []string{"user-agent", "useragent", "user agent"} {
		if strings.HasPrefix(line, name) {
			return kindAgent
		}
	}
	switch {
	case strings.HasPrefix(line, "allow"):
		return kindAllow
	case strings.HasPrefix(line, "dis"), strings.HasPrefix(line, "dia"):
		return kindDisallow
	}
	return kindOther
}

// joinsGroups reports whether lines[at] stands between two user-agent lines with
// no rule beside it: it then decides, being a rule or not, whether they share
// the rules below. Of these lines the property says nothing.
func joinsGroups(lines []string, at int) bool {
	before, after := kindOther, kindOther
	for i := at - 1; i >= 0 && before == kindOther; i-- {
		before = kindOf(lines[i], i == 0)
	}
	for i := at + 1; i < len(lines) && after == kindOther; i++ {
		after = kindOf(lines[i], false)
	}
	return before == kindAgent && after == kindAgent
}

// checkMutant holds Parse to its promise: a line that is not a user-agent line
// and is changed into anything that is neither that nor an allow rule opens no
// path that the other lines of the file forbid. It reports false if the mutant
// is one that the promise does not cover.
func checkMutant(t *testing.T, text string, at int, mutant string, paths []string) bool {
	lines := strings.Split(text, "\n")
	if kindOf(lines[at], at == 0) == kindAgent || joinsGroups(lines, at) {
		return false
	}
	for i, part := range strings.FieldsFunc(mutant, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if k := kindOf(part, at == 0 && i == 0); k == kindAgent || k == kindAllow {
			return false
		}
	}
	without := Parse([]byte(strings.Join(slices.Delete(slices.Clone(lines), at, at+1), "\n")))
	lines[at] = mutant
	body := strings.Join(lines, "\n")
	with := Parse([]byte(body))
	for _, path := range paths {
		if u := pageOf(t, path); with.Allowed(u) && !without.Allowed(u) {
			t.Fatalf("%q as line %d opens %s, which the others forbid, of\n%q", mutant, at, path, body)
		}
	}
	return true
}

// mutants returns a line with bytes missing, garbled or put in at every place.
func mutants(line string) []string {
	bytes := []string{":", "#", "*", "$", "%", "/", " ", "\t", "\x00", "\r", "\n", "\xff", "\xef\xbb\xbf", "\xff\xfe", "x"}
	list := []string{"", line + line, "\ufeff" + line, line + ":", "User-agent", "Crawl-delay: 1e999", "Disallow: [(*?+", "Disallow: " + strings.Repeat("*", 300), strings.Repeat("x", 20_000)}
	for i := range line {
		list = append(list, line[:i], line[i:], line[:i]+line[i+1:])
		for k := range 5 {
			b := bytes[(i+3*k)%len(bytes)]
			list = append(list, line[:i]+b+line[i:], line[:i]+b+line[i+1:])
		}
	}
	return list
}

func TestParse_MutatedLineOpensNothing(t *testing.T) {
	for _, text := range siteFiles {
		paths := mutantPaths(text)
		lines := strings.Split(text, "\n")
		checked := 0
		for at := range lines {
			for _, mutant := range mutants(lines[at]) {
				if checkMutant(t, text, at, mutant, paths) {
					checked++
				}
			}
		}
		if checked < 500 {
			t.Errorf("%d mutants of %q, want 500 at least", checked, text)
		}
	}
}

// A user-agent line decides whom the rules below are for, so changing one may
// open pages. Spelling it otherwise may not: the verdicts stay.
func TestParse_RespeltAgentLineChangesNothing(t *testing.T) {
	for _, text := range siteFiles {
		before := Parse([]byte(text))
		lines := strings.Split(text, "\n")
		for at, line := range lines {
			if kindOf(line, at == 0) != kindAgent {
				continue
			}
			name, agent, _ := strings.Cut(strings.TrimSpace(strings.Split(strings.TrimPrefix(line, "\ufeff"), "#")[0]), ":")
			name, agent = strings.TrimSpace(name), strings.TrimSpace(agent)
			for _, respelt := range []string{
				name + ":" + agent, strings.ToUpper(name) + "\t:\t" + strings.ToUpper(agent) + "\t", "  " + name + ": " + agent + " # x: y", name + ": " + agent + "#x",
				"useragent: " + agent, "user agent: " + agent, name + " " + agent, name + ": " + agent + "\r", "\n" + name + ": " + agent + "\n\n",
				name + ": " + agent + "\nSitemap: http://a.example/\n", name + ": " + agent + "\n" + name + ": " + agent, name + ": nobody\n" + name + ": " + agent,
			} {
				changed := slices.Clone(lines)
				changed[at] = respelt
				after := Parse([]byte(strings.Join(changed, "\n")))
				for _, path := range mutantPaths(text) {
					if u := pageOf(t, path); before.Allowed(u) != after.Allowed(u) {
						t.Errorf("line %d as %q: Allowed(%s) = %v, was %v, of\n%s", at, respelt, path, after.Allowed(u), before.Allowed(u), text)
					}
				}
			}
		}
	}
}

func FuzzParse_MutatedLine(f *testing.F) {
	for i := range siteFiles {
		f.Add(uint8(i), uint8(3), "Disallow: /x\xef\xbb\xbf")
		f.Add(uint8(i), uint8(5), "Disallow\x00: /\r:*$#%")
	}
	f.Fuzz(func(t *testing.T, file, line uint8, mutant string) {
		if len(mutant) > 4096 {
			return
		}
		text := siteFiles[int(file)%len(siteFiles)]
		checkMutant(t, text, int(line)%(1+strings.Count(text, "\n")), mutant, mutantPaths(text))
	})
}
