package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/apitest"
	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/health"
	"github.com/forage-net/forage/assets/words"
)

// english finds words that only English sentences have.
var english = regexp.MustCompile(`(?i)\b(the|is|are|be|not|no|of|to|there|this|that|must|been|has|have|and|or|nothing|every|your|with)\b`)

// germanCalls are calls of a German, by operation: "QUERY or BODY".
var germanCalls = map[string][]string{
	"GET /api/status":          {"", "?lang=de", "?lang=fr", "?x=1"},
	"GET /api/visits":          {"", "?limit=0"},
	"GET /api/events":          {"", "?lang=de", "?lang=fr", "?limit=0", "?since=x", "?boot=X", "?window=2", "?since=1&since=2"},
	"GET /api/domains":         {"", "?lang=de", "?limit=x", "?after=" + strings.Repeat("a", 300)},
	"GET /api/requests":        {"", "?before=x", "?kind=x", "?text=" + strings.Repeat("a", 300), "?limit=1001"},
	"GET /api/requests/report": {"?days=0"},
	"GET /api/away":            {"", "?x=1"},
	"POST /api/away":           {`{"seen":1}`, `{}`},
	"POST /api/run":            {`{"run":"x"}`, `{"run":"away"}`, `{}`},
	"POST /api/pause":          {`{"for":"x"}`, `{"x":1}`, `{}{}`, `[]`},
	"POST /api/resume":         {`{"x":1}`, `null`},
	"POST /api/work":           {`{"for":"-1s"}`},
	"POST /api/finish":         {`x`},
	"POST /api/stop":           {`{"x":1}`},
	"POST /api/window":         {`{}`, `{"page":"x"}`},
	"GET /api/limits":          {"", "?lang=x"},
	"GET /api/limits/history":  {"", "?step=0", "?lang=x"},
	"GET /api/settings":        {"", "?x=1"},
	"POST /api/settings": {
		`{"set":{"banana":"1"}}`, `{"set":{"budget":"1"}}`, `{"set":{"budget.full.fetchers":"99"}}`, `{"set":{"budget.full.fetchers":"x"}}`,
		`{"set":{"disk.max":"much"}}`, `{"set":{"disk.max":[1]}}`, `{"set":{"schedule.work":"mon off"}}`, `{"set":{"schedule.work":"someday"}}`,
		`{"set":{"schedule.work":"xyz full"}}`, `{"set":{"schedule.work":"mon 1-2 full"}}`, `{"set":{"schedule.work":"mon 09:00-09:00 full"}}`,
		`{"set":{"schedule.work":"mon much"}}`, `{"set":{"idle.after":"soon"}}`, `{"set":{"web.addr":"nowhere"}}`, `{"set":{"web.addr":"192.0.2.1:80"}}`,
		`{"set":{"web.addr":"127.0.0.1:99999"}}`, `{"set":{"crawl.seeds":["nofile"]}}`, `{"set":{"crawl.scope":["http://a b"]}}`,
		`{"set":{"sites.never":["com"]}}`, `{"set":{"sites.mine":["com"]}}`, `{"set":{"sites.mine":["www.a.example"]}}`, `{"set":{"tld.never":["a.b"]}}`, `{"set":{"topics.never":["cats"]}}`, `{"set":{"peer.listen":["x"]}}`,
		`{"set":{"net.bootstrap":["x"]}}`, `{"set":{"consent.version":"1"}}`, `{"set":{"pause.battery":"perhaps"}}`, `{"set":{"level.away":"high"}}`,
		`{"set":{"web.tls_cert":"x"}}`, `{"reset":["consent.time"]}`, `{"reset":["banana"]}`, `{"lang":"fr"}`,
		`{"set":{` + manyKeys(300) + `}}`,
	},
	"GET /api/setup":    {"", "?lang=de", "?lang=x"},
	"POST /api/setup":   {`{"agree":false}`, `{"agree":true}`, `{"agree":true,"connection_is_mine":true,"preset":"x"}`, `{"lang":"fr"}`},
	"POST /api/startup": {`{"on":true}`, `{"on":1}`},
	"GET /api/why":      {"", "?lang=x", "?address=nonsense%20there", "?address=http%3A%2F%2Fa.test%2F", "?address=http%3A%2F%2Fa.test%2Fx.pdf", "?address=http%3A%2F%2Felsewhere%2F"},
	"GET /api/never":    {"", "?lang=x"},
	"POST /api/never": {
		`{"pattern":"b.example"}`, `{"pattern":"b.example"}`, `{"pattern":"b.example","undo":true}`, `{"pattern":"b.example","undo":true}`,
		`{"pattern":"com"}`, `{"pattern":"not a site"}`, `{"pattern":"doubleclick.net","undo":true}`, `{"pattern":""}`,
	},
	"GET /api/peers": {"", "?lang=x"}, "GET /api/helping": {"", "?x=1"}, "GET /api/invite": {"", "?x=1"}, "GET /api/ring": {"", "?x=1"},
	"GET /api/stats": {"", "?hours=x"}, "GET /api/stats/series": {"?unit=x", "?unit=day&from=x"}, "GET /api/stats/best": {"", "?x=1"},
	"GET /api/archive":        {"", "?url=x&before=y", "?url=http://a.test/&limit=0"},
	"GET /api/archive/search": {"?q=lang:klingonisch", "?q=after:gestern", "?q=a&from=x", "?q=", "?q=a&before=x", "?q=" + strings.Repeat("a+", 60), "?q=" + strings.Repeat("a", 300)},
	"GET /api/archive/page":   {"?id=x", "", "?id=x&lang=fr"},
	"GET /api/archive/links":  {"", "?target=a%20b", "?target=a.test&from=x", "?target=http://"},
	"GET /api/archive/site":   {"", "?domain=a%20b", "?domain=gone.test"},
	"GET /api/archive/finds":  {"", "?languages=" + strings.Repeat("a", 300)},
	"GET /api/archive/view":   {"", "?view=x"}, "POST /api/archive/view": {`{"x":1}`}, "GET /archive/{view}": {""},
	"POST /api/export":       {`{"format":"x"}`, `{"format":"warc"}`, `{"format":"wacz"}`},
	"GET /download/{ticket}": {""},
	"POST /api/erase":        {`{}`},
	"GET /api/doctor":        {"", "?lang=x"},
	"POST /api/link":         {`{"x":1}`}, "GET /api/session": {"?x=1"}, "POST /api/session/end": {`{"x":1}`},
	"GET /metrics": {"?x=1"}, "GET /healthz": {""}, "GET /api/openapi.json": {"?x=1"},
	// The last: the tries of one address are counted.
	"POST /api/session": {`{"key":"x"}`, `{"password":"x"}`},
}

func manyKeys(n int) string {
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprintf(`"k%d":""`, i))
	}
	return strings.Join(keys, ",")
}

// sameInBoth are the keys whose texts are no sentences of the node: names, addresses, what the user wrote, and words
// that front ends have texts for.
var sameInBoth = map[string]bool{
	"title": true, "url": true, "value": true, "default": true, "default_text": true, "version": true, "state": true,
	"connection": true, "topics": true, "types": true, "type": true, "choices": true, "protocol": true, "source": true,
}

// german asks a node in a language.
type german struct {
	t    *testing.T
	desc descriptor.Descriptor
}

func (c german) call(method, path, body, lang string, change func(*http.Request)) (int, any) {
	c.t.Helper()
	var in io.Reader
	if method == http.MethodPost {
		in = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(c.t.Context(), method, "http://"+c.desc.Addr+path, in)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.desc.Token)
	r.Header.Set("Accept-Language", lang)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(r)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	var v any
	if json.Unmarshal(text, &v) != nil {
		v = "" // no sentences for the user
	}
	return resp.StatusCode, v
}

// hold fails for what is an English sentence in German.
func hold(t *testing.T, what, key string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, one := range v {
			hold(t, what, k, one)
		}
	case []any:
		for _, one := range v {
			hold(t, what, key, one)
		}
	case string:
		if bare := quoted.ReplaceAllString(v, ""); !sameInBoth[key] && strings.Contains(bare, " ") && english.MatchString(bare) {
			t.Errorf("%s: %s is %q", what, key, v)
		}
	}
}

// quoted is what stands in a German text as somebody wrote it.
var quoted = regexp.MustCompile(`"[^"]*"|„[^“]*“|\S*/\S*`)

// A German has nothing but German of any call, and of whatever is wrong with it.
func TestNode_SpeaksGerman(t *testing.T) {
	s := startSettler(t, "[topics]\nnever = [\"gambling\"]\n")
	s.node.opts.Examine = func(context.Context) (api.DoctorReport, error) {
		return api.DoctorReport{Areas: []api.DoctorArea{{Name: "store", Summary: "in use by the node", Findings: []api.DoctorFinding{
			{Verdict: "problem", Text: `The part "x" is missing. "forage doctor" repairs this when the node does not run.`},
			{Verdict: "ok", Text: `input: not known, which counts as use of the computer unless idle.unknown_is is "away" (logind: there is no session bus)`},
		}}}}, nil
	}
	desc, err := descriptor.Read(s.o.Paths.State)
	if err != nil {
		t.Fatal(err)
	}
	c := german{t, desc}
	covered := 0
	for _, o := range operationsOf(t) {
		calls, ok := germanCalls[o.ID()]
		if !ok {
			t.Errorf("germanCalls has no calls of %s", o.ID())
		}
		covered++
		for _, in := range calls {
			path, body := strings.ReplaceAll(o.Path, "{ticket}", "x"), in
			if o.Method == http.MethodGet {
				path, body = path+in, ""
			}
			status, v := c.call(o.Method, path, body, "de, en;q=0.8", nil)
			hold(t, fmt.Sprintf("%s %.80s (%d)", o.ID(), in, status), "", v)
		}
	}
	if covered != len(germanCalls) {
		t.Errorf("%d operations, %d in the table", covered, len(germanCalls))
	}
	for name, change := range map[string]func(*http.Request){
		"no token":      func(r *http.Request) { r.Header.Del("Authorization") },
		"another host":  func(r *http.Request) { r.Host = "evil.example" },
		"another site":  func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"no such path":  func(r *http.Request) { r.URL.Path = "/api/none" },
		"wrong method":  func(r *http.Request) { r.URL.Path = "/api/status" },
		"no JSON":       func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
		"query of POST": func(r *http.Request) { r.URL.RawQuery = "x=1" },
	} {
		status, v := c.call(http.MethodPost, "/api/resume", "{}", "de", change)
		if status/100 != 4 {
			t.Errorf("%s: %d", name, status)
		}
		hold(t, name, "error", v)
	}
	for range 12 {
		status, v := c.call(http.MethodPost, "/api/session", `{"key":"x"}`, "de", nil)
		hold(t, fmt.Sprint("login ", status), "error", v)
	}
	if err := s.api.Agree(t.Context(), api.Agreement{Agree: true, ConnectionIsMine: true}); err != nil {
		t.Fatal(err)
	}
	trouble := words.New("said.doctor.open-store", words.Args{"path": "/x", "error": os.ErrPermission})
	s.until("the trouble", func() error {
		s.node.governor.SetTrouble(trouble) // the node saves its work meanwhile, and knows of none then
		_, v := c.call(http.MethodGet, "/api/status", "", "de", nil)
		if got := fmt.Sprint(v.(map[string]any)["sentence"]); !strings.Contains(got, "Speicher /x öffnen: permission denied") {
			return fmt.Errorf("it says %q", got)
		}
		return nil
	})
	s.node.governor.SetTrouble(nil)
	s.write("this is not a settings file\nkey = banana\n")
	s.node.Reload()
	for _, path := range []string{"/api/settings", "/api/limits"} {
		s.until("the fault", func() error {
			_, v := c.call(http.MethodGet, path, "", "de", nil)
			if fault := fmt.Sprint(v.(map[string]any)["fault"]); fault == "" {
				return fmt.Errorf("%s has no fault", path)
			}
			hold(t, path, "", v)
			return nil
		})
	}
	if _, v := c.call(http.MethodGet, "/api/status", "", "de-AT", nil); v.(map[string]any)["sentence"] == "" {
		t.Error("no sentence")
	}
	if _, v := c.call(http.MethodGet, "/api/never?limit=1", "", "fr, en", nil); v.(map[string]any)["error"] != `there is no parameter "limit"` {
		t.Errorf("in English it says %v", v)
	}
}

func operationsOf(t *testing.T) []apitest.Operation {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("api", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := apitest.ReadJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return apitest.Validator{File: v.(map[string]any)}.Operations()
}

// In English the words say what the tracker says; in German there is none of that.
func TestHealthSentence(t *testing.T) {
	for _, c := range []struct {
		r      health.Report
		en, de string
	}{
		{health.Report{Factor: 1}, "No site answered in the last 24 hours.", "In den letzten 24 Stunden hat keine Website geantwortet."},
		{health.Report{Factor: 2, Answered: 1}, "0 of 1 site turned this address away in the last 24 hours. Forage has slowed to half speed.",
			"In den letzten 24 Stunden hat 0 von 1 Website diese Adresse abgewiesen. Forage arbeitet mit halbem Tempo."},
		{health.Report{Factor: 1, Answered: 9, Refused: 3, Challenged: 1, AnsweredBefore: 5, RefusedBefore: 1, Sampled: true},
			"About 3 of 9 sites turned this address away or asked for a human in the last 24 hours (up from 1).",
			"Geschätzt: In den letzten 24 Stunden haben 3 von 9 Websites diese Adresse abgewiesen oder nach einem Menschen gefragt (zuvor 1)."},
		{health.Report{Factor: 1, Answered: 9, AnsweredBefore: 5, RefusedBefore: 4}, "0 of 9 sites turned this address away in the last 24 hours (down from 4).",
			"In den letzten 24 Stunden haben 0 von 9 Websites diese Adresse abgewiesen (zuvor 4)."},
	} {
		if got := c.r.In(words.English); got != c.en {
			t.Errorf("%q, want %q", got, c.en)
		}
		if got := c.r.In(words.German); got != c.de {
			t.Errorf("%q, want %q", got, c.de)
		}
	}
}
