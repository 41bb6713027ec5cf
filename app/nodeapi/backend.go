package nodeapi

import (
	"context"

	"github.com/forage-net/forage/app/absence"
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/erase"
	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/app/journal"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/app/requestlog"
	"github.com/forage-net/forage/app/settings"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/crawl"
)

// Backend is all of a node that the API serves, but its end: the parts answer themselves.
type Backend struct {
	*Overview
	*Picture
	*Inquiry
	*Examiner
	*journal.Journal
	stats.Counter
	*requestlog.Recorder
	*library.Library
	*export.Exporter
	*never.Refuser
	*limiter.Arbiter
	*settings.Keeper
	*absence.Absence // nil in a simulation
	*erase.Eraser
}

// Site implements api.SiteTeller.
func (b *Backend) Site(ctx context.Context, name string) (api.SiteSummary, error) {
	s, err := b.Library.Site(ctx, name)
	if err == nil {
		d := crawl.Domain(s.Domain)
		s.Distance = b.distances(ctx, []crawl.Domain{d})[d]
	}
	return s, err
}
