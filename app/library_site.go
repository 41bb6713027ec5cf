package app

import (
	"context"

	"github.com/forage-net/forage/app/api"
)

// Site implements api.SiteTeller. Without an index nothing is known of sites.
func (l *Library) Site(context.Context, string) (api.SiteSummary, error) {
	return api.SiteSummary{}, api.ErrNoSite
}

// Finds implements api.Finder. Without an index there are none.
func (l *Library) Finds(context.Context, []string) (api.Finds, error) {
	return api.Finds{}, nil
}
