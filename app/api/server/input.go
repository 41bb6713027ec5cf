package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/api/events"
	"github.com/forage-net/forage/assets/words"
)

const (
	// maxLimit is the largest page of anything.
	maxLimit     = 1000
	defaultLimit = 100
	maxName      = 253 // a domain name
	// maxPause is the longest pause with an end. Whoever wants longer means until resumed.
	maxPause = 366 * 24 * time.Hour
)

// params are the parameters of a GET. What is wrong with them is kept, and answered in place of what the node says.
type params struct {
	r   *http.Request
	of  map[string]string
	err error // of the first that is wrong
}

// query reads the parameters of a GET, of which all must be known and none
// may come twice. The language among them must be one there is; Lang of the call is that one then.
func query(r *http.Request, known ...string) *params {
	p := &params{r: r, of: make(map[string]string, len(known))}
	if r.ContentLength != 0 {
		p.refuse("said.api.a-get-has-no-body", nil)
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		p.refuse("said.api.the-query-cannot-be-read", nil)
	}
	for _, name := range known {
		if v := values[name]; len(v) > 1 {
			p.refuse("said.api.is-given-twice", words.Args{"name": name})
		} else if len(v) == 1 {
			p.of[name] = v[0]
		}
		delete(values, name)
	}
	for name := range values {
		p.refuse("said.api.there-is-no-parameter", words.Args{"name": fmt.Sprintf("%.40q", name)})
	}
	_, err = langParam(r, p.of["lang"])
	p.fail(err)
	return p
}

// fail keeps an error, if there was none before.
func (p *params) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// refuse keeps what is wrong with a parameter.
func (p *params) refuse(key string, args words.Args) {
	p.fail(refuse(http.StatusBadRequest, key, args))
}

// text reads a text of so many bytes. The key is what is said of any other, with the most.
func (p *params) text(name string, least, most int, key string) string {
	v := p.of[name]
	if len(v) < least || len(v) > most || !utf8.ValidString(v) {
		p.refuse(key, words.Args{"most": most})
	}
	return v
}

// limit reads the size of a page.
func (p *params) limit() int { return p.number("limit", 1, maxLimit, defaultLimit) }

// number reads a whole number, which is unset if there is none.
func (p *params) number(name string, least, most, unset int) int {
	if p.of[name] == "" {
		return unset
	}
	n, err := strconv.ParseUint(p.of[name], 10, 16)
	if err != nil || int(n) < least || int(n) > most {
		p.refuse("said.api.must-be-a-whole-number-from-to",
			words.Args{"name": name, "least": strconv.Itoa(least), "most": strconv.Itoa(most)})
	}
	return int(n)
}

// cursor reads the place from which a caller wants events.
func (p *params) cursor() (c events.Cursor) {
	if c.Boot = p.of["boot"]; c.Boot != "" && !descriptor.IsBootID(c.Boot) {
		p.refuse("said.api.boot-must-be-the-boot-id", nil)
	}
	if text := p.of["since"]; text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			p.refuse("said.api.since-must-be-a-whole-number", nil)
		}
		c.Since = n
	}
	return c
}

// readBody reads the JSON body of a POST into v. No body is an empty object.
// The content type is one that a form on a web page cannot send.
func readBody(w http.ResponseWriter, r *http.Request, v any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "said.api.the-content-type-must-be-application", nil)
	}
	if r.URL.RawQuery != "" {
		return refuse(http.StatusBadRequest, "said.api.a-post-has-no-query", nil)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return refuse(http.StatusRequestEntityTooLarge, "said.api.the-body-is-larger-than-bytes",
			words.Args{"most": maxBody})
	}
	if err != nil {
		return refuse(http.StatusBadRequest, "said.api.the-body-cannot-be-read", nil)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	if bytes.TrimSpace(body)[0] != '{' { // null would pass as an empty object
		return refuse(http.StatusBadRequest, "said.api.the-body-is-not-the-json", nil)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return refuse(http.StatusBadRequest, "said.api.the-body-is-not-the-json", nil)
	}
	if _, err := dec.Token(); err != io.EOF {
		return refuse(http.StatusBadRequest, "said.api.the-body-holds-more-than-one", nil)
	}
	return nil
}

// isAfar reports whether a call comes from another computer: those of this one come without TLS.
func isAfar(r *http.Request) bool { return r.TLS != nil }

func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}
