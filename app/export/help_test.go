package export

import "github.com/forage-net/forage/app/apptest"

var (
	mustURL  = apptest.URL
	page     = apptest.Page
	answerOf = apptest.Answer
	openDB   = apptest.OpenDB
)
