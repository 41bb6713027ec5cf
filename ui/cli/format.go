package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// number writes a count with separators between thousands.
func number[T int | int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// printJSON writes a value as indented JSON.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// table writes rows in columns.
func table(w io.Writer, rows [][]string) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// when writes a time of today by the clock, another with its date.
func when(t, now time.Time) string {
	t = t.Local()
	if t.Format(time.DateOnly) == now.Local().Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format("2006-01-02 15:04")
}

// because joins the reasons for a state, which are whole sentences or parts of one, into one.
func because(reasons []string) string {
	list := make([]string, len(reasons))
	for i, r := range reasons {
		list[i] = strings.TrimSuffix(r, ".")
	}
	return strings.Join(list, "; ")
}

// joined is what and why, as far as there is a why.
func joined(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}
