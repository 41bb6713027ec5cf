package fetch

import "time"

const (
	// DefaultHead is the most bytes of a response's head, interim responses
	// included. Browsers allow 256 KiB; no page seen needs 64.
	DefaultHead = 64 << 10
	// DefaultBody is the most bytes of a body as it comes. Nearly all pages
	// are under 1 MiB uncompressed; twice that costs memory per connection.
	DefaultBody = 2 << 20
	// DefaultText is the most bytes of a decoded body: four times DefaultBody,
	// what text compresses to without tricks.
	DefaultText = 8 << 20
	// DefaultRatio is how many times longer than the payload a decoded body
	// may be once it is longer than ratioFrom. Pages reach 20; bombs 1,000.
	DefaultRatio = 100
	// DefaultTotal is the most time of a Get, waiting for its turn excluded.
	DefaultTotal = 30 * time.Second
	// DefaultConnect is the most time to connect, TLS included.
	DefaultConnect = 10 * time.Second
	// DefaultRate, in bytes per second, is the least rate of a response,
	// judged over each DefaultWindow from the request on, beginning with the
	// one after the first byte came. No page worth having is slower, and a
	// slower one holds a fetcher.
	DefaultRate   = 1 << 10
	DefaultWindow = 5 * time.Second
	// DefaultMaxConns is the most connections kept or in use: a few for each
	// fetcher, well under a home router's table.
	DefaultMaxConns = 60
	// DefaultIdleTimeout is how long an idle connection is kept: the longest
	// ordinary gap between two requests to a site.
	DefaultIdleTimeout = 30 * time.Second

	// ratioFrom spares short pages of repeated text.
	ratioFrom = 64 << 10
	// otherBody is the most bytes of the body of a response other than 200:
	// enough for error pages, so that their connections are kept.
	otherBody = 64 << 10
	// drainAtMost is the longest rest of an unwanted body that is read to
	// keep the connection; more costs more than a new connection.
	drainAtMost = 16 << 10
	// maxFields and maxInterim bound the fields of one head and the 1xx
	// responses before the final one.
	maxFields  = 256
	maxInterim = 8
)

// Limits bounds one exchange. Zero fields mean the defaults.
type Limits struct {
	Head, Body, Text int           // bytes
	Ratio            int           // decoded length over payload length
	Total, Connect   time.Duration // see the defaults for what they cover
	Rate             int           // bytes per second
	Window           time.Duration // over which Rate is judged
}

// orDefaults returns l with defaults for zero fields.
func (l Limits) orDefaults() Limits {
	return Limits{
		Head: orDefault(l.Head, DefaultHead), Body: orDefault(l.Body, DefaultBody),
		Text:  orDefault(l.Text, DefaultText),
		Ratio: orDefault(l.Ratio, DefaultRatio),
		Total: orDefault(l.Total, DefaultTotal), Connect: orDefault(l.Connect, DefaultConnect),
		Rate: orDefault(l.Rate, DefaultRate), Window: orDefault(l.Window, DefaultWindow),
	}
}

// withBody returns l with another limit for the body, if that is positive. A longer body may be as many times
// longer decoded.
func (l Limits) withBody(limit int) Limits {
	if limit > l.Body {
		l.Text *= max(limit/l.Body, 1)
	}
	if limit > 0 {
		l.Body = limit
	}
	return l
}

func orDefault[T int | time.Duration](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}
