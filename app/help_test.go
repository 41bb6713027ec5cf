package app

import "github.com/forage-net/forage/app/apptest"

var (
	mustURL   = apptest.URL
	page      = apptest.Page
	answerOf  = apptest.Answer
	emptyHome = apptest.EmptyHome
	captured  = apptest.Captured
)
