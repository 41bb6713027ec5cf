package app

import (
	"context"
	"strings"

	"github.com/forage-net/forage/app/api"
)

// LinksTo implements api.LinkFinder. Without an index nothing is known of links.
func (l *Library) LinksTo(_ context.Context, target, _ string, _ int) (api.LinksPage, error) {
	return api.LinksPage{Target: target, Domain: !strings.Contains(target, "/")}, nil
}
