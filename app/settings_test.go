package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/settings"
)

// settler is a node that awaits consent, and its front end.
type settler struct {
	t    *testing.T
	o    Options
	node *Node
	api  *client.Client
	site *testSite
	end  func()
}

// startSettler starts a node with a file of that text, "" for none.
func startSettler(t *testing.T, file string) *settler {
	t.Helper()
	return startSettlerWith(t, file, func(*Options) {})
}

// startSettlerWith is startSettler with other options.
func startSettlerWith(t *testing.T, file string, change func(*Options)) *settler {
	t.Helper()
	t.Parallel()
	s := &settler{t: t, site: newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<title>First</title>"))
	})}
	s.o = labOptions(t, t.TempDir(), s.site.hosts, "http://a.test/")
	s.o.ExitWhenIdle, s.o.Lab.AwaitConsent = 0, true
	path := s.o.Paths.Config
	s.o.Reload = func() (config.Config, error) {
		cfg, err := config.Load(path)
		cfg.Web.Addr = "127.0.0.1:0" // as the flag does
		return cfg, err
	}
	if file != "" {
		s.write(file)
	}
	if cfg, err := s.o.Reload(); err == nil {
		s.o.Config = cfg
	}
	change(&s.o)
	s.begin()
	t.Cleanup(func() { s.end() })
	return s
}

// begin starts the node.
func (s *settler) begin() {
	s.t.Helper()
	s.node = newNode(s.t, s.o)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.node.Serve(ctx) }()
	s.end = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			s.t.Errorf("Serve: %v", err)
		}
		closeNode(s.t, s.node)
	})
	s.until("the API", func() (err error) {
		s.api, err = client.Dial(s.o.Paths.State)
		return err
	})
}

func (s *settler) until(what string, try func() error) {
	s.t.Helper()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if err = try(); err == nil {
			return
		}
	}
	s.t.Fatalf("waited in vain for %s: %v", what, err)
}

func (s *settler) write(text string) {
	s.t.Helper()
	if err := os.WriteFile(s.o.Paths.Config, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *settler) read() string {
	s.t.Helper()
	text, err := os.ReadFile(s.o.Paths.Config)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// settings returns all settings by key.
func (s *settler) settings(lang string) map[string]api.Setting {
	s.t.Helper()
	all, err := s.api.Settings(s.t.Context(), lang)
	if err != nil || all.File != s.o.Paths.Config {
		s.t.Fatalf("settings of %q: %v", all.File, err)
	}
	table := make(map[string]api.Setting)
	for _, one := range all.Settings {
		table[one.Key] = one
	}
	return table
}

// set changes settings, each value in JSON.
func (s *settler) set(values ...string) (api.SettingsChanged, error) {
	change := api.SettingsChange{Set: map[string]json.RawMessage{}, Lang: "en"}
	for i := 0; i < len(values); i += 2 {
		change.Set[values[i]] = json.RawMessage(values[i+1])
	}
	return s.api.ChangeSettings(s.t.Context(), change)
}

// others has for each setting another value than its default, in JSON, how the file has it, and one that is wrong.
var others = map[string][3]string{
	"role":                        {`"bootstrap"`, "bootstrap", `"king"`},
	"crawl.seeds":                 {`["http://a.test/","http://b.test/"]`, `["http://a.test/", "http://b.test/"]`, `["ftp://a.test/"]`},
	"crawl.scope":                 {`"a.test, b.test/docs/*"`, `["a.test", "b.test/docs/*"]`, `"a b"`},
	"crawl.depth":                 {`7`, "7", `256`},
	"crawl.untrap":                {`"a.test, b.test/cal/*"`, `["a.test", "b.test/cal/*"]`, `["http://a.test/"]`},
	"archive.dir":                 {`"DIR"`, "DIR", `"pages"`},
	"sites.never":                 {`["a.example"]`, `["a.example"]`, `["http://"]`},
	"sites.mine":                  {`["mine.example"]`, `["mine.example"]`, `["www.mine.example"]`},
	"tld.never":                   {`["zip"]`, `["zip"]`, `["a.b"]`},
	"topics.never":                {`["adult","weapons"]`, `["adult", "weapons"]`, `["cats"]`},
	"safety.blocklists":           {`["LIST"]`, `["LIST"]`, `["https://example.org/list"]`},
	"urls.keep_tracking":          {`true`, "yes", `"maybe"`},
	"urls.keep_sessions":          {`"yes"`, "yes", `2`},
	"net.name":                    {`"mine"`, "mine", `"Mine!"`},
	"net.bootstrap":               {`["/dnsaddr/example.org"]`, `["/dnsaddr/example.org"]`, `["example.org"]`},
	"net.private":                 {`true`, "yes", `"secret"`},
	"peer.listen":                 {`["/ip4/0.0.0.0/tcp/4001"]`, `["/ip4/0.0.0.0/tcp/4001"]`, `["/ip4/nowhere"]`},
	"peer.upnp":                   {`true`, "yes", `"1"`},
	"peer.mdns":                   {`false`, "no", `null`},
	"peer.place":                  {`false`, "no", `null`},
	"dht.mode":                    {`"client"`, "client", `"both"`},
	"web.addr":                    {`"127.0.0.1:8080"`, "127.0.0.1:8080", `"0.0.0.0:80"`},
	"web.lan":                     {`true`, "yes", `"perhaps"`},
	"web.hosts":                   {`["nas.home.arpa"]`, `["nas.home.arpa"]`, `["a b"]`},
	"web.tls_cert":                {`"/etc/cert.pem"`, "/etc/cert.pem", `"cert.pem"`},
	"web.tls_key":                 {`"/etc/key.pem"`, "/etc/key.pem", `"key.pem"`},
	"log.requests_days":           {`7`, "7", `366`},
	"index.on":                    {`false`, "no", `"later"`},
	"index.disk":                  {`2500000000`, "2500 MB", `0`},
	"index.cpu":                   {`100`, "100", `0`},
	"notify.first_page":           {`false`, "no", `"later"`},
	"notify.paused":               {`"no"`, "no", `2`},
	"notify.problem":              {`false`, "no", `null`},
	"notify.away":                 {`false`, "no", `1`},
	"idle.after":                  {`600`, "10 min", `86400`},
	"idle.unknown_is":             {`"away"`, "away", `"nobody"`},
	"level.in_use":                {`"gentle"`, "gentle", `"some"`},
	"level.away":                  {`"gentle"`, "gentle", `true`},
	"schedule.work":               {`"all 22:00-06:00 full"`, "all 22:00-06:00 full", `"22-6"`},
	"schedule.net":                {`"all full"`, "all full", `[[true]]`},
	"budget.full.cpu_percent":     {`50`, "50", `101`},
	"budget.full.down_kbit":       {`-1`, "-1", `-2`},
	"budget.full.up_kbit":         {`0`, "0", `10000001`},
	"budget.full.sockets":         {`100`, "100", `7`},
	"budget.full.fetchers":        {`16`, "16", `17`},
	"budget.full.pages_per_min":   {`"300"`, "300", `"3e2"`},
	"budget.gentle.cpu_percent":   {`1`, "1", `0`},
	"budget.gentle.down_kbit":     {`2000`, "2000", `1.5`},
	"budget.gentle.up_kbit":       {`300`, "300", `"fast"`},
	"budget.gentle.sockets":       {`8`, "8", `401`},
	"budget.gentle.fetchers":      {`1`, "1", `0`},
	"budget.gentle.pages_per_min": {`1`, "1", `301`},
	"data.day":                    {`2500000000`, "2500 MB", `"much"`},
	"data.month":                  {`-1`, "-1", `-5`},
	"data.month_starts":           {`31`, "31", `32`},
	"disk.max":                    {`"5 GB"`, "5 GB", `"-5 GB"`},
	"disk.keep_free":              {`0`, "0 B", `-1`},
	"disk.max_percent":            {`100`, "100", `0`},
	"ram.max":                     {`512000000`, "512 MB", `1000`},
	"pause.battery":               {`false`, "no", `"never"`},
	"pause.battery_below":         {`30`, "30", `0`},
	"pause.metered":               {`false`, "no", `{}`},
	"pause.ssid_allow":            {`["Home, sweet \"home\""]`, `["Home, sweet \"home\""]`, `[1]`},
	"pause.fullscreen":            {`false`, "no", `""`},
	"pause.screenshare":           {`false`, "no", `[]`},
	"pause.apps":                  {`["blender"]`, `["blender"]`, `["\u0007"]`},
	"pause.other_cpu":             {`100`, "100", `0`},
	"pause.hold_in":               {`0`, "0 s", `3601`},
	"pause.hold_out":              {`90`, "1 min 30 s", `-1`},
	"pause.vpn":                   {`"no"`, "no", `"perhaps"`},
	"pause.recall":                {`false`, "no", `"never"`},
	"heat.max_c":                  {`80`, "80", `111`},
	"heat.fan_quiet":              {`false`, "no", `0`},
	"footing.standby":             {`false`, "no", `"off"`},
}

// Every setting can be read, set, refused and put back, over the API alone, and what people wrote into the file
// stays.
func TestSettings_EveryKey(t *testing.T) {
	s := startSettler(t, "# mine\n[disk]\nkeep_free = \"5 GB\" # enough\n")
	list := filepath.ToSlash(filepath.Join(t.TempDir(), "list.txt"))
	if err := os.WriteFile(list, []byte("bad.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, k := range config.Keys() {
		if k.Fixed {
			var bad *api.SettingError
			if _, err := s.set(k.Name, `"yes"`); !errors.As(err, &bad) || bad.Key != k.Name || !s.settings("en")[k.Name].ReadOnly {
				t.Errorf("%s was set: %v", k.Name, err)
			}
			continue
		}
		if strings.HasPrefix(k.Name, "consent.") {
			if _, err := s.set(k.Name, `"1"`); err == nil || !strings.Contains(err.Error(), k.Name) {
				t.Errorf("%s was set: %v", k.Name, err)
			}
			continue
		}
		c, ok := others[k.Name]
		for i := range c {
			c[i] = strings.NewReplacer("LIST", list, "DIR", filepath.ToSlash(filepath.Dir(list))).Replace(c[i])
		}
		if !ok {
			t.Errorf("others, in this file, has no values of %s", k.Name)
			continue
		}
		before := s.settings("en")[k.Name]
		if before.Set || before.Text != before.DefaultText || before.Pending {
			t.Errorf("at first %s is %+v", k.Name, before)
		}
		done, err := s.set(k.Name, c[0])
		if err != nil || !slices.Equal(done.Changed, []string{k.Name}) || (len(done.Restart) > 0) == k.Now {
			t.Errorf("%s = %s: %+v, %v", k.Name, c[0], done, err)
		}
		is := s.settings("en")[k.Name]
		if is.Text != c[1] || !is.Set || is.Pending == k.Now && k.Name != "web.addr" {
			t.Errorf("%s = %s is %q then, want %q: %+v", k.Name, c[0], is.Text, c[1], is)
		}
		if got, err := s.set(k.Name, string(mustJSON(t, is.Value))); err != nil || len(got.Changed) > 0 {
			t.Errorf("%s as it was read changes %v, %v", k.Name, got.Changed, err)
		}
		text := s.read()
		var bad *api.SettingError
		if _, err := s.set("data.day", `"3 GB"`, k.Name, c[2]); !errors.As(err, &bad) || bad.Key != k.Name || bad.Reason == "" {
			t.Errorf("%s = %s: %+v, %v", k.Name, c[2], bad, err)
		} else if k.Type == "whole number" && !strings.Contains(bad.Error(), bad.Range) {
			t.Errorf("%s = %s: %q does not say %q", k.Name, c[2], bad.Error(), bad.Range)
		}
		if now := s.read(); now != text {
			t.Errorf("%s = %s, which is wrong, made the file\n%s", k.Name, c[2], now)
		}
		done, err = s.api.ChangeSettings(t.Context(), api.SettingsChange{Reset: []string{k.Name}})
		if err != nil || !slices.Equal(done.Changed, []string{k.Name}) {
			t.Errorf("%s was not put back: %+v, %v", k.Name, done, err)
		}
		after := s.settings("en")[k.Name]
		if string(mustJSON(t, after)) != string(mustJSON(t, before)) {
			t.Errorf("%s is %+v at the end, was %+v", k.Name, after, before)
		}
	}
	if text := s.read(); !strings.HasPrefix(text, "# mine\n[disk]\n") || !strings.Contains(text, "# enough\n") {
		t.Errorf("the file is\n%s", text)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSettings_AllOrNothing(t *testing.T) {
	s := startSettler(t, "")
	if _, err := os.Stat(s.o.Paths.Config); err == nil {
		t.Fatal("there is a file")
	}
	change := api.SettingsChange{Set: map[string]json.RawMessage{"data.day": []byte(`"2 GB"`), "peer.upnp": []byte("true"), "disk.max": []byte("-1")}, DryRun: true}
	done, err := s.api.ChangeSettings(t.Context(), change)
	if err != nil || !slices.Equal(done.Changed, []string{"peer.upnp", "data.day", "disk.max"}) || !slices.Equal(done.Restart, []string{"peer.upnp"}) {
		t.Errorf("a dry run: %+v, %v", done, err)
	}
	if _, err := os.Stat(s.o.Paths.Config); err == nil {
		t.Error("a dry run wrote the file")
	}
	change.DryRun, change.Reset = false, []string{"no.such"}
	if _, err := s.api.ChangeSettings(t.Context(), change); err == nil || !strings.Contains(err.Error(), "no.such is not a setting") {
		t.Errorf("an unknown key was put back: %v", err)
	}
	if _, err := os.Stat(s.o.Paths.Config); err == nil {
		t.Error("half of a change was made")
	}
	change.Reset = []string{"data.day", "data.month"}
	if done, err = s.api.ChangeSettings(t.Context(), change); err != nil || len(done.Changed) != 3 {
		t.Errorf("%+v, %v", done, err)
	}
	if text := s.read(); strings.Count(text, "\nday = ") != 1 || !strings.Contains(text, "#day = ") {
		t.Errorf("the file is\n%s", text)
	}
	if done, err = s.set("data.day", `"1 GB"`, "no.such", `1`); err == nil || !strings.Contains(s.read(), `day = "2 GB"`) {
		t.Errorf("%+v, %v", done, err)
	}
}

// A file that is wrong already is said to be, can be mended, and does not hide what is in force.
func TestSettings_FaultyFile(t *testing.T) {
	s := startSettler(t, "[data]\nday = \"7 GB\"\n")
	s.write("[data]\nday = \"7 GB\"\n[disk]\nmax = \"huge\"\n")
	all, err := s.api.Settings(t.Context(), "de")
	if err != nil || !strings.HasPrefix(all.Fault, "Die Einstellungsdatei hat einen Fehler") || !strings.Contains(all.Fault, "config.toml:4: disk.max") {
		t.Errorf("the fault is %q, %v", all.Fault, err)
	}
	if is := s.settings("de")["data.day"]; is.Text != "7 GB" {
		t.Errorf("data.day is %q", is.Text)
	}
	if done, err := s.set("data.day", `"8 GB"`); err != nil || !strings.Contains(done.Fault, "disk.max") {
		t.Errorf("%+v, %v", done, err)
	}
	if done, err := s.set("disk.max", `"3 GB"`); err != nil || done.Fault != "" {
		t.Errorf("%+v, %v", done, err)
	}
	s.write("[data\n")
	var bad *api.SettingError
	_, err = s.api.ChangeSettings(t.Context(), api.SettingsChange{Set: map[string]json.RawMessage{"data.day": []byte(`"1 GB"`)}, Lang: "de"})
	if !errors.As(err, &bad) || bad.Line != 1 || !strings.HasPrefix(bad.Text, "Berichtigen Sie zuerst Zeile 1 der Einstellungsdatei") {
		t.Errorf("%+v, %v", bad, err)
	}
	if text := s.read(); text != "[data\n" {
		t.Errorf("the file is %q", text)
	}
}

// Errors are told in German too, with what would be right.
func TestSettings_GermanErrors(t *testing.T) {
	s := startSettler(t, "")
	for key, want := range map[string]string{
		"disk.max":      "Platz auf dem Datenträger (disk.max) nimmt diesen Wert nicht. Erlaubt: eine Größe von 0 bis 1000 TB",
		"no.such":       "no.such ist keine Einstellung.",
		"consent.one":   "consent.one lässt sich hier nicht setzen",
		"net.bootstrap": "net.bootstrap kann so nicht verwendet werden: ",
	} {
		value := `"x y"`
		if key == "net.bootstrap" {
			value = `["/ip4/x"]`
		}
		_, err := s.api.ChangeSettings(t.Context(), api.SettingsChange{Set: map[string]json.RawMessage{key: []byte(value)}, Lang: "de"})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", key, err, want)
		}
	}
}

// A week can be painted: what is sent as cells comes back as text and as cells.
func TestSettings_Weeks(t *testing.T) {
	s := startSettler(t, "")
	levels := make([][]int, 7)
	for day := range levels {
		levels[day] = make([]int, 96)
		for i := 88; i < 96; i++ {
			levels[day][i] = 2
		}
		levels[day][4] = 1
	}
	if _, err := s.set("schedule.work", string(mustJSON(t, levels))); err != nil {
		t.Fatal(err)
	}
	all := s.settings("en")
	work, net := all["schedule.work"], all["schedule.net"]
	if want := "all 01:00-01:15 gentle; all 22:00-24:00 full"; work.Text != want {
		t.Errorf("it is written %q, want %q", work.Text, want)
	}
	for _, is := range []api.Setting{work, net} {
		if string(mustJSON(t, is.Levels)) != string(mustJSON(t, levels)) {
			t.Errorf("%s is %v", is.Key, is.Levels)
		}
	}
	if net.Text != "work" || net.SameAs != "work" || work.SameAs != "" {
		t.Errorf("schedule.net is %q", net.Text)
	}
	levels[6] = levels[6][1:]
	if _, err := s.set("schedule.work", string(mustJSON(t, levels))); err == nil {
		t.Error("a week with a day of 95 cells was taken")
	}
}

// What is never visited holds at once, whoever wrote it into the file.
func TestSettings_NeverHoldsAtOnce(t *testing.T) {
	s := startSettler(t, "")
	if _, err := s.set("sites.never", `["a.example"]`, "tld.never", `["zip"]`, "topics.never", `["adult"]`); err != nil {
		t.Fatal(err)
	}
	list, err := s.api.NeverList(t.Context())
	if err != nil || !slices.Equal(list.Sites, []string{"a.example"}) || !slices.Equal(list.TLDs, []string{"zip"}) || !slices.Equal(list.Topics, []string{"adult"}) {
		t.Errorf("NeverList = %+v, %v", list, err)
	}
	if why := s.node.Refusals().Domain("b.zip"); why == nil {
		t.Error("b.zip is visited")
	}
	if _, err := s.api.Never(t.Context(), "c.example", false); err != nil {
		t.Fatal(err)
	}
	if is := s.settings("en")["sites.never"]; is.Text != `["a.example", "c.example"]` {
		t.Errorf("sites.never is %s", is.Text)
	}
}

// Several who change the file at the same time lose nothing of each other, with editors among them.
func TestSettings_ConcurrentChanges(t *testing.T) {
	s := startSettler(t, "# begin\n")
	keys := []string{"crawl.depth", "budget.full.sockets", "budget.gentle.sockets", "pause.other_cpu", "data.month_starts"}
	var all sync.WaitGroup
	for i, key := range keys {
		all.Go(func() {
			for n := range 8 {
				if i%2 == 0 {
					if err := config.Set(s.o.Paths.Config, key, []string{"20", "21"}[n%2]); err != nil {
						t.Error(err)
					}
				} else if _, err := s.set(key, []string{"20", "21"}[n%2]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, key := range keys {
		if is := s.settings("en")[key]; is.Text != "21" {
			t.Errorf("%s is %s, want 21", key, is.Text)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(s.o.Paths.Config), ".*.tmp")); len(left) > 0 || !strings.Contains(s.read(), "# begin\n") {
		t.Errorf("%v is left of\n%s", left, s.read())
	}
}

// Another computer learns nothing of the files here: not what is in them, and not whether they are there.
func TestSettings_FilesFromThisComputerAlone(t *testing.T) {
	s := startSettler(t, "")
	secret := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte("ghp_16C7e42F292c6912E7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, k := range config.Keys() {
		if !k.Local {
			continue
		}
		path := string(mustJSON(t, secret))
		if k.Type == "list" {
			path = "[" + path + "]"
		}
		set := map[string]json.RawMessage{k.Name: []byte(path)}
		var bad *api.SettingError
		for what, c := range map[string]api.SettingsChange{
			"set": {Set: set, Afar: true}, "tried": {Set: set, Afar: true, DryRun: true}, "put back": {Reset: []string{k.Name}, Afar: true},
		} {
			if _, err := s.node.ChangeSettings(t.Context(), c); !errors.As(err, &bad) || bad.Key != k.Name || bad.Reason != "local" {
				t.Errorf("%s is %s from another computer: %v", k.Name, what, err)
			}
		}
		a := api.Agreement{Agree: true, ConnectionIsMine: true, Settings: set, Afar: true}
		if err := s.node.Agree(t.Context(), a); !errors.As(err, &bad) || bad.Key != k.Name {
			t.Errorf("%s is set by agreeing on another computer: %v", k.Name, err)
		}
		if _, err := s.node.ChangeSettings(t.Context(), api.SettingsChange{Set: set}); err != nil && strings.Contains(err.Error(), "ghp_") {
			t.Errorf("%s quotes the file: %v", k.Name, err)
		}
	}
	_, err := settings.ReadSeeds([]string{secret})
	if err == nil || !strings.Contains(err.Error(), secret+":1: ") || strings.Contains(err.Error(), "ghp_") {
		t.Errorf("ReadSeeds of a token: %v, want file and line, and nothing of what it says", err)
	}
	if _, err := s.node.ChangeSettings(t.Context(), api.SettingsChange{Set: map[string]json.RawMessage{"data.day": []byte(`"3 GB"`)}, Afar: true}); err != nil {
		t.Errorf("another setting from another computer: %v", err)
	}
}
