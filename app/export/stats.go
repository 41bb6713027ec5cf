package export

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
)

// pointPage is how many points are asked for at a time.
const pointPage = 1000

// writePoints writes all points of a unit as CSV, newest first: what is newest can be asked for
// without knowing how much there is.
func writePoints(ctx context.Context, node Counts, unit api.Unit, to io.Writer) error {
	w := csv.NewWriter(to)
	w.Write([]string{
		"start", "pages", "duplicates", "firsts", "redirects", "unchanged", "gone", "failed", "forbidden", "found",
		"links", "domains", "helped_s",
		"bytes_received", "bytes_sent", "peer_received", "peer_sent", "connects", "connect_ms", "languages",
	})
	q := api.SeriesQuery{Unit: unit, Limit: pointPage}
	for {
		s, err := node.Series(ctx, q)
		if err != nil {
			return err
		}
		for _, p := range slices.Backward(s.Points) {
			w.Write(pointRow(&p))
		}
		if len(s.Points) < pointPage {
			w.Flush()
			return w.Error()
		}
		q.To = s.Points[0].Start
	}
}

func pointRow(p *api.Point) []string {
	row := []string{p.Start.Format(time.DateOnly)}
	for _, n := range []int64{
		p.Pages, p.Duplicates, p.Firsts, p.Redirects, p.Unchanged, p.Gone, p.Failed, p.Forbidden, p.Found, p.Links,
		p.Domains, p.HelpedS,
		p.BytesReceived, p.BytesSent, p.PeerReceived, p.PeerSent, p.Connects, p.ConnectMs,
	} {
		row = append(row, strconv.FormatInt(n, 10))
	}
	var languages []string
	for _, name := range slices.Sorted(maps.Keys(p.Languages)) {
		languages = append(languages, fmt.Sprintf("%s=%d", name, p.Languages[name]))
	}
	return append(row, strings.Join(languages, " "))
}

// Counts answers questions about a node.
type Counts interface {
	Stats(ctx context.Context, hours int) (api.Stats, error)
	Series(ctx context.Context, q api.SeriesQuery) (api.Series, error)
	Domains(ctx context.Context, after string, limit int) ([]api.Domain, error)
}

// AsStats writes stats.json (hours and totals), days.csv, years.csv and domains.csv into a
// directory, and returns how many domains there are, and the name of their file.
func AsStats(ctx context.Context, node Counts, dir string) (int, string, error) {
	stats, err := node.Stats(ctx, api.MaxHours)
	if err != nil {
		return 0, "", err
	}
	err = writeFile(filepath.Join(dir, "stats.json"), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(stats)
	})
	if err != nil {
		return 0, "", err
	}
	for name, unit := range map[string]api.Unit{"days.csv": api.UnitDay, "years.csv": api.UnitYear} {
		write := func(w io.Writer) error { return writePoints(ctx, node, unit, w) }
		if err := writeFile(filepath.Join(dir, name), write); err != nil {
			return 0, "", err
		}
	}
	file := filepath.Join(dir, "domains.csv")
	count := 0
	err = writeFile(file, func(w io.Writer) (err error) {
		count, err = writeDomains(ctx, node, csv.NewWriter(w))
		return err
	})
	return count, file, err
}

func writeDomains(ctx context.Context, node Counts, w *csv.Writer) (count int, err error) {
	const page = 1000
	w.Write([]string{"domain", "fetched", "queued", "failed", "duplicates", "bytes", "state"})
	for after := ""; ; {
		domains, err := node.Domains(ctx, after, page)
		if err != nil {
			return count, err
		}
		for _, d := range domains {
			w.Write([]string{
				d.Domain, strconv.FormatInt(d.Fetched, 10), strconv.FormatInt(d.Queued, 10),
				strconv.FormatInt(d.Failed, 10),
				strconv.FormatInt(d.Duplicates, 10), strconv.FormatInt(d.Bytes, 10), d.State,
			})
			count++
			after = d.Domain
		}
		if len(domains) < page {
			w.Flush()
			return count, w.Error()
		}
	}
}
