package words

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	phrases "github.com/forage-net/forage/assets/words"
)

const (
	// MaxQuery is the longest query in bytes, MaxParts how many of its words count: the first ones.
	MaxQuery = 512
	MaxParts = 16
)

// Query is a query that a person typed.
//
//	words "a phrase" -without site:example.org lang:de after:2026-01 before:2026-06-30
type Query struct {
	// Words are to be on a page, None are not.
	Words, None []string
	// Exact are sequences of words that are to be on a page as they are; their words are in Words, too.
	Exact [][]string
	// Sites are domains or hosts, Languages primary tags.
	Sites, Languages []string
	// From and Until bound the time of the visit, From included; zero values are no bounds.
	From, Until time.Time
}

// QueryError says what is wrong with a query.
type QueryError struct{ *phrases.Message }

// ParseQuery reads a query. The error is a *QueryError.
func ParseQuery(s string) (q Query, err error) {
	if len(s) > MaxQuery {
		return q, &QueryError{phrases.New("said.api.query-wants-fewer-bytes",
			phrases.Args{"part": strconv.Quote(strings.ToValidUTF8(s[:32], "") + "…"), "count": MaxQuery})}
	}
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimLeftFunc(s, unicode.IsSpace) {
		var part string
		var quoted, without bool
		if without = len(s) > 1 && s[0] == '-'; without {
			s = s[1:]
		}
		if quoted = s[0] == '"'; quoted {
			part, s, _ = strings.Cut(s[1:], `"`)
		} else {
			end := strings.IndexFunc(s, unicode.IsSpace)
			if end < 0 {
				end = len(s)
			}
			part, s = s[:end], s[end:]
		}
		if err := q.add(part, quoted, without); err != nil {
			return Query{}, err
		}
	}
	return q, nil
}

func (q *Query) add(part string, quoted, without bool) error {
	if name, value, ok := strings.Cut(part, ":"); ok && !quoted && !without && value != "" {
		switch strings.ToLower(name) {
		case "site":
			if len(q.Sites) < MaxParts {
				q.Sites = append(q.Sites, strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(value, "www."), "/")))
			}
			return nil
		case "lang":
			tag := Primary(value)
			if tag == "" {
				return &QueryError{phrases.New("said.api.query-wants-a-language",
					phrases.Args{"part": strconv.Quote(part)})}
			}
			if len(q.Languages) < MaxParts {
				q.Languages = append(q.Languages, tag)
			}
			return nil
		case "after", "before":
			from, ok := parseDay(value)
			if !ok {
				return &QueryError{phrases.New("said.api.query-wants-a-date",
					phrases.Args{"part": strconv.Quote(part)})}
			}
			if strings.EqualFold(name, "after") {
				q.From = from
			} else {
				q.Until = from
			}
			return nil
		}
	}
	list := list(part)
	if without {
		q.None = append(q.None, list[:min(len(list), MaxParts-len(q.None))]...)
		return nil
	}
	if quoted && len(list) > 0 && len(q.Exact) < MaxParts {
		q.Exact = append(q.Exact, list)
	}
	for _, w := range list {
		if !contains(q.Words, w) && len(q.Words) < MaxParts {
			q.Words = append(q.Words, w)
		}
	}
	return nil
}

// list returns the words of a part. Of a script without spaces it has pairs alone, if there are any: the last character
// of a run is in one.
func list(part string) (list []string) {
	end := -1
	Split(part, func(from, to int, word []byte) bool {
		if from < end && len(list) > 0 && strings.HasSuffix(list[len(list)-1], string(word)) {
			return true // the end of a run
		}
		list, end = append(list, string(word)), to
		return len(list) < MaxParts
	})
	return list
}

// parseDay returns when a date begins, in the time zone of the user.
func parseDay(s string) (from time.Time, ok bool) {
	for _, layout := range []string{"2006-01-02", "2006-01", "2006"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, true
		}
	}
	return from, false
}
