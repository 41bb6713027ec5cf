package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// hit is one line of the access log.
type hit struct {
	end         float64 // Unix time at which the answer ended, in seconds
	start       float64 // and at which the request began; end if the log does not tell
	timed       bool    // whether it does
	client      string  // the connection, as the log names it
	host        string
	status      int
	method      string
	target      string // path and query
	contentType string
}

// isHTML reports whether the answer was an HTML document.
func (h hit) isHTML() bool {
	kind, _, _ := strings.Cut(h.contentType, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/html")
}

// readLogFile reads the lines of a log between two byte offsets, to = -1
// meaning its end, that ended at since or later. They are in the order in which the
// requests began.
func readLogFile(name string, from, to int64, since float64) ([]hit, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if to < 0 {
		to = math.MaxInt64
	}
	hits, err := readLog(io.NewSectionReader(f, from, to-from))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return h.end < since })
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.start, b.start),
			cmp.Compare(a.end, b.end))
	})
	return hits, nil
}

// maxLine is the longest line accepted, in bytes: nginx bounds a request line
// to 8 KiB, and a byte may be written as four.
const maxLine = 256 << 10

// readLog reads lines of time, host, status, method, target, content type,
// bytes, coding, connection, agent and how long the request took, separated by
// tabs. Those after the content type may be left out.
func readLog(r io.Reader) ([]hit, error) {
	var hits []hit
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		h, err := parseLine(strings.SplitN(lines.Text(), "\t", 12))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		hits = append(hits, h)
	}
	return hits, lines.Err()
}

func parseLine(fields []string) (hit, error) {
	if len(fields) < 6 {
		return hit{}, fmt.Errorf("%d fields, want 6 at least", len(fields))
	}
	end, err := strconv.ParseFloat(fields[0], 64)
	if err != nil {
		return hit{}, fmt.Errorf("time: %w", err)
	}
	status, err := strconv.Atoi(fields[2])
	if err != nil {
		return hit{}, fmt.Errorf("status: %w", err)
	}
	h := hit{
		end: end, start: end, host: strings.ToLower(unescapeLog(fields[1])), status: status, method: fields[3],
		target: unescapeLog(fields[4]), contentType: fields[5],
	}
	if len(fields) > 8 {
		h.client = fields[8]
	}
	if len(fields) > 10 {
		took, err := strconv.ParseFloat(fields[10], 64)
		if err != nil {
			return hit{}, fmt.Errorf("duration: %w", err)
		}
		h.start, h.timed = end-took, true
	}
	return h, nil
}

// unescapeLog undoes nginx's \xHH.
func unescapeLog(s string) string {
	if !strings.Contains(s, `\x`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && s[i+1] == 'x' && isHex(s[i+2]) && isHex(s[i+3]) {
			b.WriteByte(unhex(s[i+2])<<4 | unhex(s[i+3]))
			i += 3
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
