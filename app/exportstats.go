package app

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
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
func writePoints(ctx context.Context, node asker, unit api.Unit, to io.Writer) error {
	w := csv.NewWriter(to)
	w.Write([]string{
		"start", "pages", "duplicates", "firsts", "redirects", "unchanged", "gone", "failed", "forbidden", "found", "links", "domains", "helped_s",
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
		p.Pages, p.Duplicates, p.Firsts, p.Redirects, p.Unchanged, p.Gone, p.Failed, p.Forbidden, p.Found, p.Links, p.Domains, p.HelpedS,
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
