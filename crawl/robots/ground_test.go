package robots

import (
	"testing"

	"github.com/forage-net/forage/crawl"
)

func TestRecord_Ground(t *testing.T) {
	rules := "User-agent: *\nDisallow: /a\nAllow: /a/b$\nDisallow: /*.pdf\n"
	for _, c := range []struct {
		class Class
		body  string
		path  string
		want  Ground
		line  string
	}{
		{ClassRules, rules, "/a/c", GroundRules, "Disallow: /a"},
		{ClassRules, rules, "/a/b", GroundRules, "Allow: /a/b$"},
		{ClassRules, rules, "/x.pdf?q", GroundRules, "Disallow: /*.pdf"},
		{ClassRules, rules, "/c", GroundNoRule, ""},
		{ClassRules, "User-agent: *\nDisallow: /\n", "/robots.txt", GroundItself, ""},
		{ClassAllowAll, "", "/a", GroundNoFile, ""},
		{ClassUnreachable, "", "/a", GroundUnreachable, ""},
	} {
		r := Record{Class: c.class, Body: []byte(c.body)}
		u, err := crawl.ParseURL("http://a.example" + c.path)
		if err != nil {
			t.Fatal(err)
		}
		got, line := r.Ground(r.Rules(), u)
		if got != c.want || line != c.line {
			t.Errorf("Ground(%s) = %s %q, want %s %q", c.path, got, line, c.want, c.line)
		}
		if c.class == ClassRules && r.Rules().Allowed(u) == (c.line != "" && line[0] == 'D') {
			t.Errorf("%s: the ground contradicts the verdict", c.path)
		}
	}
	r := Record{Class: ClassRules}
	u, err := crawl.ParseURL("http://a.example/")
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := r.Ground(&Rules{closed: true}, u); got != GroundUnreadable {
		t.Errorf("Ground of what cannot be read = %s", got)
	}
}
