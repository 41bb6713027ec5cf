package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forage-net/forage/app/api/descriptor"
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
		return nil, refuse(http.StatusBadRequest, "a GET has no body")
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "the query cannot be read")
	}
	params := make(map[string]string, len(known))
	for _, name := range known {
		if v := values[name]; len(v) > 1 {
			return nil, refuse(http.StatusBadRequest, "%s is given twice", name)
		} else if len(v) == 1 {
			params[name] = v[0]
		}
		delete(values, name)
	}
	for name := range values {
		return nil, refuse(http.StatusBadRequest, "there is no parameter %.40q", name)
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
		return 0, refuse(http.StatusBadRequest, "%s must be a whole number from %d to %d", name, least, most)
	}
	return int(n), nil
}

// nameParam reads a domain name, which need not be one that exists.
func nameParam(text string) (string, error) {
	if len(text) > maxName || !utf8.ValidString(text) {
		return "", refuse(http.StatusBadRequest, "after must be a domain name")
	}
	return text, nil
}

// cursor is a place in the events: the last one seen, and of which boot. An empty boot means the present one.
type cursor struct {
	boot  string
	since uint64
}

func (c cursor) String() string { return c.boot + "-" + strconv.FormatUint(c.since, 10) }

// parseCursor reads what String wrote.
func parseCursor(text string) (cursor, bool) {
	boot, since, _ := strings.Cut(text, "-")
	n, err := strconv.ParseUint(since, 10, 64)
	return cursor{boot, n}, err == nil && descriptor.IsBootID(boot)
}

// cursorParam reads the place from which a caller wants events.
func cursorParam(params map[string]string) (cursor, error) {
	c := cursor{boot: params["boot"]}
	if c.boot != "" && !descriptor.IsBootID(c.boot) {
		return cursor{}, refuse(http.StatusBadRequest, "boot must be the boot_id of a status")
	}
	if text := params["since"]; text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return cursor{}, refuse(http.StatusBadRequest, "since must be a whole number")
		}
		c.since = n
	}
	return c, nil
}

// readBody reads the JSON body of a POST into v. No body is an empty object.
// The content type is one that a form on a web page cannot send.
func readBody(w http.ResponseWriter, r *http.Request, v any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "the content type must be application/json")
	}
	if r.URL.RawQuery != "" {
		return refuse(http.StatusBadRequest, "a POST has no query")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", maxBody)
	}
	if err != nil {
		return refuse(http.StatusBadRequest, "the body cannot be read")
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	if bytes.TrimSpace(body)[0] != '{' { // null would pass as an empty object
		return refuse(http.StatusBadRequest, "the body is not the JSON that was expected")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return refuse(http.StatusBadRequest, "the body is not the JSON that was expected")
	}
	if _, err := dec.Token(); err != io.EOF {
		return refuse(http.StatusBadRequest, "the body holds more than one value")
	}
	return nil
}

// pauseParam reads how long to pause, 0 until resumed.
func pauseParam(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxPause {
		return 0, refuse(http.StatusBadRequest, `for must be a time like "1h30m", at most %d days`,
			maxPause/(24*time.Hour))
	}
	return d, nil
}
