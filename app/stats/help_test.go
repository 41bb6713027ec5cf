package stats

import "github.com/forage-net/forage/app/apptest"

var (
	mustURL = apptest.URL
	openDB  = apptest.OpenDB
)
