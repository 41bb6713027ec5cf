package library

import "github.com/forage-net/forage/app/apptest"

var (
	emptyHome = apptest.EmptyHome
)
