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

// query returns the parameters of a GET, of which all must be known and none
// may come twice. The language among them must be one there is; Lang of the call is that one then.
func query(r *http.Request, known ...string) (map[string]string, error) {
	if r.ContentLength != 0 {
		return nil, refuse(http.StatusBadRequest, "said.api.a-get-has-no-body", nil)
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "said.api.the-query-cannot-be-read", nil)
	}
	params := make(map[string]string, len(known))
	for _, name := range known {
		if v := values[name]; len(v) > 1 {
			return nil, refuse(http.StatusBadRequest, "said.api.is-given-twice", words.Args{"name": name})
		} else if len(v) == 1 {
			params[name] = v[0]
		}
		delete(values, name)
	}
	for name := range values {
		return nil, refuse(http.StatusBadRequest, "said.api.there-is-no-parameter",
			words.Args{"name": fmt.Sprintf("%.40q", name)})
	}
	_, err = langParam(r, params["lang"])
	return params, err
}

// limitParam reads the size of a page.
func limitParam(params map[string]string) (int, error) {
	return numberParam(params, "limit", 1, maxLimit, defaultLimit)
}

// numberParam reads a whole number, which is unset if there is none.
func numberParam(params map[string]string, name string, least, most, unset int) (int, error) {
	if params[name] == "" {
		return unset, nil
	}
	n, err := strconv.ParseUint(params[name], 10, 16)
	if err != nil || int(n) < least || int(n) > most {
		return 0, refuse(http.StatusBadRequest, "said.api.must-be-a-whole-number-from-to",
			words.Args{"name": name, "least": strconv.Itoa(least), "most": strconv.Itoa(most)})
	}
	return int(n), nil
}

// nameParam reads a domain name, which need not be one that exists.
func nameParam(text string) (string, error) {
	if len(text) > maxName || !utf8.ValidString(text) {
		return "", refuse(http.StatusBadRequest, "said.api.after-must-be-a-domain-name", nil)
	}
	return text, nil
}

// cursorParam reads the place from which a caller wants events.
func cursorParam(params map[string]string) (events.Cursor, error) {
	c := events.Cursor{Boot: params["boot"]}
	if c.Boot != "" && !descriptor.IsBootID(c.Boot) {
		return events.Cursor{}, refuse(http.StatusBadRequest, "said.api.boot-must-be-the-boot-id", nil)
	}
	if text := params["since"]; text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return events.Cursor{}, refuse(http.StatusBadRequest, "said.api.since-must-be-a-whole-number", nil)
		}
		c.Since = n
	}
	return c, nil
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
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
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
