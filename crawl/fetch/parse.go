package fetch

import (
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch/content"
)

// ParseResponse reads a response to u back from its recorded bytes, as
// Response.ResponseBytes had them. It refers to raw as long as the response
// is in use and does not change it. A body that was cut counts as
// TruncatedDisconnect, whatever it was cut for, and one of which nothing was
// recorded because it is no text as TruncatedUnspecified. The error wraps
// an *Error.
func ParseResponse(u crawl.URL, raw []byte) (*Response, error) {
	capture := raw[:len(raw):len(raw)]
	r := reading{capture: &capture, limits: Limits{}.orDefaults(), pools: &content.Pools{}}
	resp, _, err := r.response(wanted{body: len(raw), other: len(raw)})
	if err != nil {
		return nil, fmt.Errorf("recorded response: %w", err)
	}
	resp.URL = u
	return resp, nil
}
