package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/tomledit"

	"github.com/forage-net/forage/app/config/toml"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// file writes a settings file and returns its path.
func file(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDefaults(t *testing.T) {
	want := Config{
		Crawl: Crawl{Depth: 16},
		Net:   Net{Name: "main"},
		Peer:  Peer{MDNS: true, Place: true}, DHT: DHT{Mode: "auto"}, Role: "node",
		Web:    Web{Addr: "127.0.0.1:7707"},
		Log:    Log{RequestsDays: 30},
		Index:  Index{On: true, Disk: 500e6, CPU: 25},
		Notify: Notify{FirstPage: true, Paused: true, Problem: true, Away: true},
		Limits: limits.Defaults(),
	}
	if got := Defaults(); !reflect.DeepEqual(got, want) {
		t.Errorf("Defaults() = %+v, want %+v", got, want)
	}
}

func TestKeys(t *testing.T) {
	for _, k := range Keys() {
		if k.Name == "" || k.Type == "" || k.Default == "" {
			t.Errorf("key %+v is not fully described", k)
		}
		for _, part := range []string{"name", "meaning", "why", "range"} {
			if text := "settings." + k.Name + "." + part; words.Text(words.English, text, nil) == text {
				t.Errorf("assets/words/en/settings.json has no %s", text)
			}
		}
		if !strings.HasSuffix(k.Meaning(), ".") {
			t.Errorf("the meaning of %s is no sentence: %q", k.Name, k.Meaning())
		}
		if got, err := Defaults().Get(k.Name); err != nil || got != k.Default {
			t.Errorf("Get(%s) = %s, %v, want the default %s", k.Name, got, err, k.Default)
		}
	}
}

// Each place of the limits has a setting of its own.
func TestKeys_CoverTheLimits(t *testing.T) {
	base := Defaults()
	base.Limits.Schedule.NetIsWork = false
	of := map[string]string{}
	var look func(v reflect.Value, c *Config, name string)
	look = func(v reflect.Value, c *Config, name string) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				look(v.Field(i), c, name+"."+v.Type().Field(i).Name)
			}
			return
		case reflect.Array:
			look(v.Index(0), c, name)
			return
		}
		before := reflect.ValueOf(v.Interface())
		defer func() { v.Set(before) }()
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Float64:
			v.SetFloat(v.Float() + 1)
		case reflect.Slice:
			v.Set(reflect.ValueOf([]string{"x"}))
		case reflect.Uint8:
			v.SetUint(1 - v.Uint()/2 - v.Uint()%2)
		default:
			v.SetInt(v.Int() + int64(time.Minute))
		}
		var changed []string
		for _, f := range schema() {
			if f.get(c).Literal() != f.get(&base).Literal() {
				changed = append(changed, f.Name)
			}
		}
		switch {
		case name == ".Consent" && changed == nil, name == ".Schedule.NetIsWork" && slices.Equal(changed, []string{"schedule.net"}):
		case len(changed) != 1:
			t.Errorf("%s is changed by the settings %q, want one", name, changed)
		case of[changed[0]] != "":
			t.Errorf("%s and %s are in one setting, %s", name, of[changed[0]], changed[0])
		default:
			of[changed[0]] = name
		}
	}
	c := base
	look(reflect.ValueOf(&c.Limits).Elem(), &c, "")
	if len(of) != len(limitFields()) {
		t.Errorf("%d places have settings, of which there are %d", len(of), len(limitFields()))
	}
}

var bounds = regexp.MustCompile(`(?:from (.+?) |up )to (.+?), (?:such as|like)`)

// number returns what a bound means in a text: "4 h", or "" for none.
func number(t *testing.T, kind, text string) int64 {
	if text == "" {
		return 0
	}
	if kind == "size" {
		n, err := parseSize(text)
		if err != nil {
			t.Error(err)
		}
		return int64(n)
	}
	d, err := limits.ParseDuration(text)
	if err != nil {
		t.Error(err)
	}
	return int64(d.Seconds())
}

// What a text says of the values that are allowed is so.
func TestKeys_SayTheirBounds(t *testing.T) {
	for _, f := range schema() {
		said := f.Range()
		switch {
		case f.Type == "whole number":
			if want := fmt.Sprintf("from %d to %d", f.Lo, f.Hi); !strings.Contains(said, want) {
				t.Errorf("%s takes what is %q, not %q", f.Name, want, said)
			}
		case f.Type == "size", f.Type == "length of time":
			m := bounds.FindStringSubmatch(said)
			if m == nil || number(t, f.Type, m[1]) != f.Lo || number(t, f.Type, m[2]) != f.Hi {
				t.Errorf("%s takes %d to %d, not %q", f.Name, f.Lo, f.Hi, said)
			}
		case f.Type == "list":
			_, most, _ := strings.Cut(said, "at most ")
			n := 0
			if fmt.Sscan(most, &n); n == 0 {
				continue // it does not say
			}
			takes := func(n int) bool { return f.set(f.Key, new(Config), toml.Texts(make([]string, n))) != tooLong }
			if !takes(n) || takes(n+1) {
				t.Errorf("%s takes another number of texts than %q", f.Name, said)
			}
		}
		if f.None != strings.HasSuffix(said, "-1 no limit") {
			t.Errorf("%s takes -1: %v, and says %q", f.Name, f.None, said)
		}
		for _, choice := range f.Choices {
			if !strings.Contains(said, choice) {
				t.Errorf("%s takes %q, not only %q", f.Name, choice, said)
			}
			v := toml.Value{Kind: toml.Text, Text: choice}
			if f.Type == "list" {
				v = toml.Texts([]string{choice})
			}
			if err := f.set(f.Key, new(Config), v); err != nil {
				t.Errorf("%s does not take its choice %q: %v", f.Name, choice, err)
			}
		}
	}
}

func TestLoad_Values(t *testing.T) {
	path := file(t, "\ufeff"+`# mine
crawl.depth = 0x1_0 # hex
[crawl]
seeds = [
	"https://example.com/", # with a comment
	'lists/mine.txt',

	"/etc/seeds",
]
scope = ["example.com"]
[net]
"name" = 'my-net'
[disk]
max = "1.5 GiB"
keep_free = "1000 B"
[budget]
full = { fetchers = 1, sockets = 8 }
[sites]
never = ["example.org", "www.example.net/shop/*"] # mine
mine = ["example.net", "Example.co.uk"]
[tld]
never = ["zip"]
[topics]
never = ["gambling"]
[urls]
keep_tracking = "yes"
keep_sessions = true
[index]
on = "no"
disk = "1.5 GiB"
cpu = 100
[consent]
version = 1
time = 2026-01-02T03:04:05Z
`)
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	want := Defaults()
	want.Crawl = Crawl{Depth: 16, Seeds: []string{"https://example.com/",
		filepath.Join(filepath.Dir(path), "lists/mine.txt"), "/etc/seeds"}, Scope: []string{"example.com"}}
	want.Sites.Never = []string{"example.org", "www.example.net/shop/*"}
	want.Sites.Mine = []string{"example.net", "Example.co.uk"}
	want.TLD.Never, want.Topics.Never = []string{"zip"}, []string{"gambling"}
	want.URLs = URLs{KeepTracking: true, KeepSessions: true}
	want.Net.Name = "my-net"
	want.Index = Index{Disk: 3 << 29, CPU: 100}
	want.Limits.Disk.Max, want.Limits.Disk.KeepFree = 3<<29, 1000
	want.Limits.Budget.Full.Fetchers, want.Limits.Budget.Full.Sockets = 1, 8
	want.Consent = ConsentRecord{Version: 1, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Load = %+v, want %+v", got, want)
	}
}

func TestLoad_MissingFileIsDefaults(t *testing.T) {
	got, err := Load(filepath.Join(t.TempDir(), "none", "config.toml"))
	if err != nil || !reflect.DeepEqual(got, Defaults()) {
		t.Errorf("Load = %+v, %v, want the defaults", got, err)
	}
}

func TestRead_Errors(t *testing.T) {
	const (
		fetchersRange = ": a whole number from 1 to 16"
		shouldEnd     = ":1: the line should end after the value; texts need quotes"
	)
	for _, c := range []struct{ text, want string }{
		{"\n[budget.full]\nfetchers = 40", ":3: budget.full.fetchers = 40 is out of range" + fetchersRange},
		{"budget.full.fetchers = 0", ":1: budget.full.fetchers = 0 is out of range" + fetchersRange},
		{"budget.full.fetchers = 99999999999999999999",
			":1: budget.full.fetchers = 99999999999999999999 is not a whole number" + fetchersRange},
		{"index.on = \"maybe\"", ":1: index.on = \"maybe\" is neither yes nor no: \"yes\" or \"no\""},
		{"index.disk = 0", ":1: index.disk = 0 is out of range: a size from 10 MB to 1000 TB, like \"5 GB\""},
		{"index.disk = -1", ":1: index.disk = -1 is out of range: a size from 10 MB to 1000 TB, like \"5 GB\""},
		{"index.disk = \"9999 kB\"",
			":1: index.disk = \"9999 kB\" is out of range: a size from 10 MB to 1000 TB, like \"5 GB\""},
		{"index.disk = 500", ":1: index.disk = 500 has no unit; write \"500 MB\" or \"500 GB\": a size from 10 MB to " +
			"1000 TB, like \"5 GB\""},
		{"disk.max = 3", `:1: disk.max = 3 has no unit; write "3 MB" or "3 GB": a size from 0 to 1000 TB, such as "500 MB" or "1.5 GiB"; 0 means stop, -1 no limit`},
		{"disk.max = \"3\"", `:1: disk.max = "3" has no unit; write "3 MB" or "3 GB": a size from 0 to 1000 TB, such as "500 MB" or "1.5 GiB"; 0 means stop, -1 no limit`},
		{"index.disk = \"much\"",
			":1: index.disk = \"much\" is not a size: a size from 10 MB to 1000 TB, like \"5 GB\""},
		{"index.disk = true", ":1: index.disk = true is not a size: a size from 10 MB to 1000 TB, like \"5 GB\""},
		{"index.cpu = 0", ":1: index.cpu = 0 is out of range: a whole number from 1 to 100"},
		{"index.cpu = 101", ":1: index.cpu = 101 is out of range: a whole number from 1 to 100"},
		{"budget.full.fetchers = 010", ":1: budget.full.fetchers = 010 is not a whole number" + fetchersRange},
		{"budget.full.fetchers = \"6\"", ":1: budget.full.fetchers = \"6\" is not a whole number" + fetchersRange},
		{"budget.full.fetchers = 6.0", ":1: budget.full.fetchers = 6.0 is not a whole number" + fetchersRange},
		{"budget.full.fetchers = [6]", ":1: budget.full.fetchers = [6] is not a whole number" + fetchersRange},
		{"budget.full.fetcher = 4", `:1: this name is not a setting; did you mean "budget.full.fetchers"?`},
		{"fetchers = 4", `:1: this name is not a setting; did you mean "budget.full.fetchers"?`},
		{"disk.keep-free = 4", `:1: this name is not a setting; did you mean "disk.keep_free"?`},
		{"weather.tomorrow = 4", ":1: this name is not a setting"},
		{`mode = "off"`, `:1: mode stands in no file: "forage pause", "forage resume" and "forage resume --for 2m" change it, "forage limits" shows it`},
		{"crawl = 4", `:1: crawl is a group of settings; did you mean "crawl.seeds"?`},
		{"\"crawl.depth\" = 4", `:1: this name is not a setting; did you mean "crawl.depth"?`},
		{"net.name = main", ":1: a text needs quotes"},
		{"crawl.scope = [main]", ":1: a text needs quotes"},
		{"pause.battery = yes", ":1: a text needs quotes"},
		{"key = banana", ":1: this name is not a setting"},
		{"[budget.full]\nfetchers = banana", ":2: budget.full.fetchers cannot have this value" + fetchersRange},
		{"pause.battery = perhaps", `:1: pause.battery cannot have this value: "yes" or "no"`},
		{"net.name = 1", ":1: net.name = 1 is not text in quotes: 1 to 32 of the characters a-z, 0-9 and -"},
		{"net.name = \"Ma\"", ":1: net.name = \"Ma\" is not allowed: 1 to 32 of the characters a-z, 0-9 and -"},
		{"net.name = \"\"", ":1: net.name = \"\" is not allowed: 1 to 32 of the characters a-z, 0-9 and -"},
		{"web.addr = \"nas:7707\"",
			":1: web.addr = \"nas:7707\" has no address of this computer before the port: 127.0.0.1, [::1], " +
				"localhost or, with web.lan, another address of this computer, a colon and a port; port 0 takes any " +
				"free one"},
		{"web.hosts = [\"nas.home.arpa\", \"NAS\"]",
			`:1: web.hosts = ["nas.home.arpa", "NAS"] holds "NAS", which is not allowed: names and addresses in lower case, with or without a port, such as "nas.home.arpa" or "nas:8443", at most 1000`},
		{"web.hosts = [\"nas:0\"]",
			`:1: web.hosts = ["nas:0"] holds "nas:0", which is not allowed: names and addresses in lower case, with or without a port, such as "nas.home.arpa" or "nas:8443", at most 1000`},
		{"web.tls_cert = \"cert.pem\"",
			`:1: web.tls_cert = "cert.pem" is not an absolute path: an absolute path, or ""`},
		{"web.addr = 127.0.0.1:7707", shouldEnd},
		{"disk.max = 2 GB", shouldEnd},
		{"disk.max = \"2 parsecs\"",
			`:1: disk.max = "2 parsecs" is not a size: a size from 0 to 1000 TB, such as "500 MB" or "1.5 GiB"; 0 means stop, -1 no limit`},
		{"disk.max = -2", `:1: disk.max = -2 is out of range: a size from 0 to 1000 TB, such as "500 MB" or "1.5 GiB"; 0 means stop, -1 no limit`},
		{"disk.max = \"2000 TB\"",
			`:1: disk.max = "2000 TB" is out of range: a size from 0 to 1000 TB, such as "500 MB" or "1.5 GiB"; 0 means stop, -1 no limit`},
		{"idle.after = \"a while\"",
			`:1: idle.after = "a while" is not a length of time such as "90 s", "5 min", "1 h 30 min" or "2 d": a length of time from 1 min to 4 h, such as "5 min"`},
		{"idle.after = 300", `:1: idle.after = 300 is out of range: a length of time from 1 min to 4 h, such as "5 min"`},
		{"idle.after = \"5 h\"",
			`:1: idle.after = "5 h" is out of range: a length of time from 1 min to 4 h, such as "5 min"`},
		{"level.away = \"fast\"",
			`:1: level.away = "fast" is none of ["off" "gentle" "full"]: "off", "gentle" or "full"`},
		{"data.day = -2", `:1: data.day = -2 is out of range: a size from 0 to 1000 TB, such as "500 MB" or "1.5 GiB"; 0 means stop, -1 no limit`},
		{"budget.gentle.up_kbit = -2",
			`:1: budget.gentle.up_kbit = -2 is out of range: a whole number of kbit/s from 0 to 10000000; 0 means stop, -1 no limit`},
		{"pause.apps = [\"\"]",
			`:1: pause.apps = [""] holds "", which is not allowed: names of programs such as "blender", with or without ".exe"`},
		{"pause.battery = 1", `:1: pause.battery = 1 is neither yes nor no: "yes" or "no"`},
		{"crawl.scope = \"a\"", `:1: crawl.scope = "a" is not a list: domains and host/path patterns, at most 1000`},
		{"crawl.scope = [1]", `:1: crawl.scope = [1] holds 1, which is not text in quotes: domains and host/path patterns, at most 1000`},
		{"crawl.scope = [\"\"]",
			`:1: crawl.scope = [""] holds "", which is not allowed: domains and host/path patterns, at most 1000`},
		{"crawl.seeds = [\"ftp://x/\"]",
			`:1: crawl.seeds = ["ftp://x/"] holds "ftp://x/", which is neither an http or https address nor the name of a file: http and https addresses and names of files with one address a line, at most 1000; a relative name starts from the directory of this file`},
		{"sites.never = [\"https://www.example.org/x\"]",
			`:1: sites.never = ["https://www.example.org/x"] holds "https://www.example.org/x", which is the address of a page; write its domain, example.org: domains and host/path patterns, at most 1000`},
		{"sites.never = [\"com\"]",
			`:1: sites.never = ["com"] holds "com", which is not the domain of a site; for a whole top-level domain there is tld.never: domains and host/path patterns, at most 1000`},
		{"sites.never = [\"a b\"]",
			`:1: sites.never = ["a b"] holds "a b", which is neither a domain (example.org) nor a host with a path (example.org/docs/*): domains and host/path patterns, at most 1000`},
		{"sites.mine = [\"www.example.org\"]",
			`:1: sites.mine = ["www.example.org"] holds "www.example.org", which is a host of a domain; write the domain, example.org: domains such as example.org, at most 16`},
		{"sites.mine = [\"https://example.org/\"]",
			`:1: sites.mine = ["https://example.org/"] holds "https://example.org/", which is the address of a page; write its domain, example.org: domains such as example.org, at most 16`},
		{"sites.mine = [\"co.uk\"]",
			`:1: sites.mine = ["co.uk"] holds "co.uk", which is not the domain of a site, such as example.org: domains such as example.org, at most 16`},
		{"sites.mine = \"example.org\"",
			`:1: sites.mine = "example.org" is not a list: domains such as example.org, at most 16`},
		{"tld.never = [\".zip\"]",
			`:1: tld.never = [".zip"] holds ".zip", which is not a top-level domain; write one without a dot, such as "zip": top-level domains without a dot, at most 1000`},
		{"topics.never = [\"sports\"]",
			`:1: topics.never = ["sports"] holds "sports", which is none: topics from adult, alcohol, dating, drugs, gambling, piracy, tobacco, weapons`},
		{"urls.keep_tracking = \"maybe\"", `:1: urls.keep_tracking = "maybe" is neither yes nor no: "yes" or "no"`},
		{"urls.keep_sessions = 1", `:1: urls.keep_sessions = 1 is neither yes nor no: "yes" or "no"`},
		{"consent.time = \"today\"",
			`:1: consent.time = "today" is not a time: a time in RFC 3339 form, such as "2026-01-31T18:00:00Z", or ""`},
		{"crawl.depth = 1\n\ncrawl.depth = 2", ":3: the same setting stands in line 1 already"},
		{"crawl.depth = 1\n[crawl]\ndepth = 2", ":3: the same setting stands in line 1 already"},
		{"[crawl]\n[net]\n[crawl]", ":3: the same heading stands in line 1 already"},
		{"disk = {max = 0}\n[disk]\nkeep_free = 0", ":2: this group was written in line 1 in braces: add to it there"},
		{"disk = {max = 0}\ndisk.keep_free = 0", ":2: this group was written in line 1 in braces: add to it there"},
		{"[[crawl]]", ":1: headings in double brackets are not used here"},
		{"[crawl] depth = 1", shouldEnd},
		{"[crawl", `:1: the file ends where "]" should be`},
		{"[]", `:1: something else stands where a name should be`},
		{"[crawl.]", `:1: something else stands where a name should be`},
		{"= 1", `:1: something else stands where a name should be`},
		{"crawl.depth", `:1: the file ends where "=" should be`},
		{"crawl.depth\n", `:1: the line ends where "=" should be`},
		{"crawl.depth =", ":1: the file ends where a value should be"},
		{"crawl.depth = # 5", ":1: the line ends where a value should be"},
		{"crawl.depth = 5 6", shouldEnd},
		{"net.name = \"", `:1: a text in quotes does not end, or holds a \ that means nothing (write \\ for one)`},
		{"net.name = \"a\nb\"",
			`:1: a text in quotes does not end, or holds a \ that means nothing (write \\ for one)`},
		{`net.name = "C:\Users"`,
			`:1: a text in quotes does not end, or holds a \ that means nothing (write \\ for one)`},
		{"net.name = 'a\nb'", ":1: the text holds a character that cannot be shown"},
		{`net.name = "\u0007"`, ":1: the text holds a character that cannot be shown"},
		{`net.name = "\uD800"`, ":1: the text holds a character that cannot be shown"},
		{"net.name = \"\"\"\nmain\"\"\"", ":1: texts over several lines are not used here"},
		{"net.name = \"\xff\"", ":1: this is not UTF-8 text"},
		{"crawl.scope = [1 2]", `:1: something else stands where "," or "]" should be`},
		{"crawl.scope = [,]", `:1: something else stands where a value should be`},
		{"crawl.scope = [\"a\",\n", ":2: the file ends where a value should be"},
		{"crawl.scope = " + strings.Repeat("[", 1<<18), ":1: brackets are nested too deep"},
		{"a = " + strings.Repeat("{a = ", 1<<16), ":1: braces are nested too deep"},
		{strings.Repeat("a.", 100) + "a = 1", ":1: the name has too many parts"},
		{"disk = {max = 1", `:1: the file ends where "," or "}" should be`},
		{"disk = {max = 1,}", `:1: something else stands where a name should be`},
		{"\x00", ":1: the line cannot be read; texts need quotes"},
		{"# \x1b[31m", ":1: the line cannot be read; texts need quotes"},
	} {
		_, errs := read(c.text)
		if len(errs) == 0 {
			t.Errorf("read(%.60q) found nothing wrong, want %s", c.text, c.want)
			continue
		}
		if strings.Contains(c.want, " = ") { // what is said of the same value where somebody typed it
			e := parse(c.text).Entries[0]
			f, _ := find(e.Key)
			typed := f.apply(new(Config), e.Value)
			if got := fmt.Sprintf(":%d: %v", e.Line, typed); got != c.want {
				t.Errorf("typed %.60q:\n got  %s\n want %s", c.text, got, c.want)
			}
			c.want = fmt.Sprintf(":%d: %s cannot have this value: %s", e.Line, f.Name, f.Range())
		}
		errs[0].Path = "config.toml"
		if got := errs[0].Error(); got != "config.toml"+c.want {
			t.Errorf("read(%.60q):\n got  %s\n want config.toml%s", c.text, got, c.want)
		}
	}
}

// What stands in a file is in no error about it, wherever it stands: the file may hold secrets, or be another
// than its user meant.
func TestRead_QuotesNothing(t *testing.T) {
	const secret = "secret-token-xyz"
	texts := []string{
		"X", "X Y", "X: X", "X = X", "[X", "[X]\nX", "[[X]]", "[X]\n[X]", "X = {X", "X = [X", "\"X", "'X\n", "= X",
		"net.name = X X", "net.name X", "net = {name X}",
		"net.name = 'a' X", "net.name = 'a'X", "X = 1\nX = 2", "X = {a = 1}\n[X]\nb = 2", "net.name.X = 1",
		"X.name = 1", "net.nameX = 1", "-----BEGIN X-----", "export X='X'",
		"\x00X", "X\x00", "# X\x1b", "\"\"\"X", "net.name = \"\\X\"", "net.name = {X = 1}",
		"machine a login X password X",
	}
	forms := len(texts)
	for _, k := range Keys() {
		for _, value := range []string{"X", `"X"`, `["X"]`, `"https://X/"`, `["https://X/", "a b X"]`, "{X = 1}",
			`"all X"`, `"mon X"`, `"7 X"`, "7X", "1979-05-27X"} {
			texts = append(texts, k.Name+" = "+value)
		}
	}
	wrong := 0
	for i, text := range texts {
		text = strings.ReplaceAll(text, "X", secret)
		_, errs := read(text)
		for _, e := range errs {
			wrong++
			if got := e.Error(); strings.Contains(got, "token") || e.Line < 1 {
				t.Errorf("read(%q) says %q", text, got)
			}
		}
		if i >= forms && !strings.HasPrefix(text, "crawl.scope") { // one setting stands for the others
			continue
		}
		path := file(t, text)
		for _, err := range []error{Set(path, "crawl.depth", "3"), AddItem(path, "crawl.scope", "a.example")} {
			if err != nil && strings.Contains(err.Error(), "token") {
				t.Errorf("changing %q says %q", text, err)
			}
		}
	}
	if wrong < 500 {
		t.Errorf("%d errors in all", wrong)
	}
	path := file(t, "\ncrawl.scope = ['"+secret+"']\n")
	if got, want := WrongIn(path, "crawl.scope").Error(),
		path+":2: crawl.scope cannot have this value: "; !strings.HasPrefix(got, want) ||
		strings.Contains(got, secret) {
		t.Errorf("WrongIn = %q, want %q", got, want)
	}
}

// A number without its unit is refused where somebody types it, with what to type; a file of earlier versions
// that has some goes on to hold.
func TestUnits(t *testing.T) {
	sizes, times := 0, 0
	for _, f := range schema() {
		var units []string
		switch f.Type {
		case "size":
			units = []string{"B", "MB", "GB"}
			sizes++
		case "length of time":
			units = []string{"s", "min", "h"}
			times++
		default:
			continue
		}
		for _, n := range []string{"1", "10", "300", "5000", "500000000", "+7", "1_000"} {
			path := file(t, "")
			err := Set(path, f.Name, n)
			var bad *Error
			if !errors.As(err, &bad) || bad.Range != f.Range() {
				t.Errorf("%s = %s: %v, want it refused", f.Name, n, err)
				continue
			}
			_, hint, found := strings.Cut(bad.Reason.Error(), "has no unit; write ")
			if !found && !strings.HasSuffix(bad.Reason.Error(), outOfRange.Error()) {
				t.Errorf("%s = %s: %v", f.Name, n, err)
			}
			for _, typed := range strings.Split(hint, " or ") {
				if !found {
					continue
				}
				if typed = strings.Trim(typed, `"`); !slices.ContainsFunc(units,
					func(u string) bool { return strings.HasSuffix(typed, " "+u) }) {
					t.Errorf("%s = %s: it says to write %q", f.Name, n, typed)
				}
				if err := Check(f.Name, typed); err != nil && f.Type == "length of time" {
					t.Errorf("%s = %s: it says to write %q, and then %v", f.Name, n, typed, err)
				}
			}
		}
		if f.Lo == 0 {
			if err := Check(f.Name, "0"); err != nil {
				t.Errorf("%s = 0: %v", f.Name, err)
			}
		}
	}
	if sizes < 6 || times < 3 {
		t.Errorf("%d sizes and %d lengths of time", sizes, times)
	}
	c, errs := read("idle.after = 10\npause.hold_in = 45\ndisk.max = 3000000000\nindex.disk = " +
		"1_000_000_000\ndata.day = -1\ndata.month = 0")
	want := Defaults()
	want.Limits.Idle.After, want.Limits.Pause.HoldIn = 10*time.Minute, 45*time.Second
	want.Limits.Disk.Max, want.Index.Disk, want.Limits.Data.Day, want.Limits.Data.Month = 3e9, 1e9, limits.NoLimit, 0
	if len(errs) > 0 || !reflect.DeepEqual(c, want) {
		t.Errorf("a file of earlier versions is %+v, %v, want %+v", c, errs, want)
	}
}

func TestLoad_ReportsAllErrors(t *testing.T) {
	path := file(t, "[crawl]\ndepth = 300\nnonsense\nscope = []\n[net\nname = \"x\"\n[disk]\nmax = true\nmin = 1\n")
	_, err := Load(path)
	var lines []int
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		var one *Error
		if !errors.As(e, &one) || one.Path != path {
			t.Errorf("error %v is no *Error of %s", e, path)
			continue
		}
		lines = append(lines, one.Line)
	}
	if want := []int{2, 3, 5, 8, 9}; !reflect.DeepEqual(lines, want) {
		t.Errorf("errors in lines %v, want %v\n%v", lines, want, err)
	}
	for _, text := range []string{strings.Repeat("x\n", 100), strings.Repeat("crawl.depth = 300\n", 100)} {
		if _, errs := read(text); len(errs) != toml.MaxErrors {
			t.Errorf("%d errors, want %d", len(errs), toml.MaxErrors)
		}
	}
}

func TestLoad_Bounds(t *testing.T) {
	for name, text := range map[string]string{
		"bytes":      strings.Repeat("#", maxFile+1),
		"statements": strings.Repeat("[x]\n", 4097),
		"values":     "x = [" + strings.Repeat("1,", 11_000) + "1]",
		"list":       "crawl.scope = [" + strings.Repeat(`"a",`, maxList+1) + "]",
		"directory":  "",
	} {
		path := file(t, text)
		if name == "directory" {
			path = filepath.Dir(path)
		}
		if _, err := Load(path); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestParseSize(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Size
		err  error
	}{
		{"0", 0, nil}, {"00", 0, nil}, {"500 MB", 5e8, nil}, {"2GB", 2e9, nil}, {"1.5 GiB", 3 << 29, nil},
		{" 3 tb ", 3e12, nil},
		{"1 KiB", 1024, nil}, {"1 kB", 1000, nil}, {"7 B", 7, nil}, {"0.1 GB", 1e8, nil}, {"1000 TB", maxSize, nil},
		{"", 0, errSizeForm}, {"GB", 0, errSizeForm}, {"-1", 0, errSizeForm}, {"1.2.3 GB", 0, errSizeForm},
		{".", 0, errSizeForm}, {"1e3 GB", 0, errSizeForm}, {"inf", 0, errSizeForm}, {"2 G", 0, errSizeForm},
		{"1 000 MB", 0, errSizeForm},
		{"1001 TB", 0, outOfRange}, {"1" + strings.Repeat("0", 400), 0, outOfRange},
	} {
		if got, err := parseSize(c.in); got != c.want || err != c.err {
			t.Errorf("parseSize(%.20q) = %d, %v, want %d, %v", c.in, got, err, c.want, c.err)
		}
	}
	for in, want := range map[string]string{
		"17": `has no unit; write "17 MB" or "17 GB"`, "1.5": `has no unit; write "1.5 MB" or "1.5 GB"`,
		"2000000000": `has no unit; write "2 GB" or "2000000000 B"`,
	} {
		if got, err := parseSize(in); err == nil || err.Error() != want {
			t.Errorf("parseSize(%q) = %d, %v, want %s", in, got, err, want)
		}
	}
	for _, c := range []struct {
		in   Size
		want string
	}{{0, "0 B"}, {2e9, "2 GB"}, {3 << 29, "1536 MiB"}, {1234567, "1234567 B"}, {1 << 40, "1 TiB"}} {
		if got := c.in.String(); got != c.want {
			t.Errorf("Size(%d) = %q, want %q", int64(c.in), got, c.want)
		}
	}
}

func TestGet_UnknownKeySuggests(t *testing.T) {
	_, err := Defaults().Get("crawl.dept")
	if want := `crawl.dept is not a setting; did you mean "crawl.depth"?`; err == nil || err.Error() != want {
		t.Errorf("Get = %v, want %s", err, want)
	}
}

// check holds what every accepted text must fulfil.
func check(t *testing.T, text string) {
	c, errs := read(text)
	if len(errs) > toml.MaxErrors {
		t.Fatalf("%d errors", len(errs))
	}
	for _, e := range errs {
		if e.Line < 1 || strings.ContainsAny(e.Error(), "\n\r\x1b") {
			t.Fatalf("error %q in line %d", e, e.Line)
		}
	}
	if len(errs) > 0 {
		return
	}
	// tomledit's own parser must agree that this is TOML.
	if _, err := tomledit.Parse(strings.NewReader(strings.TrimPrefix(text, toml.ByteOrderMark) + "\n")); err != nil {
		t.Fatalf("we read %q, tomledit says %v", text, err)
	}
	for _, a := range []struct{ key, value string }{{"budget.full.fetchers", "3"}, {"disk.max", "7 MB"}, {"net.name", "other"},
		{"crawl.scope", "a.example,b.example"}} {
		changed, err := assign(text, a.key, a.value)
		if err != nil {
			var e *Error
			if errors.As(err, &e) && strings.Contains(e.Reason.Error(), "in braces") {
				continue // an empty inline table, or one in a table that is shut
			}
			t.Fatalf("set %v in %q: %v", a, text, err)
		}
		got, errs := read(changed)
		if len(errs) > 0 {
			t.Fatalf("set %v in %q gives %q: %v", a, text, changed, errs[0])
		}
		f, _ := find(a.key)
		v, _ := input(f, a.value)
		want := c
		if err := f.apply(&want, v); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("set %v in %q gives %q = %+v, want %+v", a, text, changed, got, want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(defaultFile())
	f.Add(uncomment(defaultFile()))
	f.Add("[budget]\nfull = {fetchers = 1} # x\r\n[crawl]\r\nseeds = [\"a\", # b\r\n]\n\"depth\" = 3")
	f.Add("consent.time = 1979-05-27 07:32:00Z\nnet.name = 'x'\ndisk.max=\"\\u0031\"")
	f.Add("[crawl]\nscope = [\n#depth = 4\n]\n# depth = 5\n  depth = 0b11")
	f.Add("disk = {}\nbudget.full.sockets = 8\n'crawl'.\"depth\" = 1 \n[ net ]\nname='''x'''")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1<<14 {
			check(t, text)
		}
	})
}
