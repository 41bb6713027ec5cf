package reserve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/robots"
)

const (
	// Path is where a site has the file.
	Path = "/.well-known/tdmrep.json"
	// MaxFile is how many bytes of a file are read, and MaxRules how many rules
	// are kept: the first ones, which also win.
	MaxFile  = 1 << 20
	MaxRules = 1000
	// maxLocation is the longest path of a rule in bytes.
	maxLocation = 4096
)

// ErrFormat is returned for a file that is not a list of rules to its end.
var ErrFormat = errors.New("not a list of rules")

// Rules are those of one file.
type Rules struct{ list []rule }

type rule struct {
	pattern     robots.Pattern
	reservation extract.Reservation
}

// Parse reads a file. The rules that stand before an error are returned with it.
func Parse(data []byte) (Rules, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d := json.NewDecoder(bytes.NewReader(data[:min(len(data), MaxFile)]))
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return parseOne(d) // one rule without the brackets around it
	}
	var r Rules
	if token, err := d.Token(); err != nil || token != json.Delim('[') {
		return r, ErrFormat
	}
	for d.More() {
		if len(r.list) == MaxRules {
			return r, nil
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return r, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		r.add(raw)
	}
	if _, err := d.Token(); err != nil {
		return r, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return r, nil
}

func parseOne(d *json.Decoder) (r Rules, err error) {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return r, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	r.add(raw)
	return r, nil
}

// add adds a rule, unless it is none.
func (r *Rules) add(raw json.RawMessage) {
	var fields struct {
		Location    string          `json:"location"`
		Reservation json.RawMessage `json:"tdm-reservation"`
	}
	if json.Unmarshal(raw, &fields) != nil || fields.Location == "" || len(fields.Location) > maxLocation {
		return
	}
	reservation := extract.ParseReservation(strings.Trim(string(fields.Reservation), `"`))
	if reservation != extract.ReservationUnset {
		r.list = append(r.list, rule{robots.NewPattern(fields.Location), reservation})
	}
}

// Everything returns the rules of a site that reserves all there is.
func Everything() Rules { return Rules{[]rule{{"/", extract.Reserved}}} }

// Of returns what the rules say of a URL with this path and query: the first
// that matches decides.
func (r Rules) Of(path string) extract.Reservation {
	for _, rule := range r.list {
		if rule.pattern.Matches(path) {
			return rule.reservation
		}
	}
	return extract.ReservationUnset
}

// Size is about how many bytes of memory the rules take.
func (r Rules) Size() int {
	n := 0
	for _, rule := range r.list {
		n += len(rule.pattern) + 32
	}
	return n
}

// Coarse returns rules that take next to no memory and reserve at least what r
// does: everything, if r reserves anything.
func (r Rules) Coarse() Rules {
	for _, one := range r.list {
		if one.reservation == extract.Reserved {
			return Everything()
		}
	}
	return Rules{}
}
