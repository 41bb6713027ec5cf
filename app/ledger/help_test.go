package ledger

import "github.com/forage-net/forage/app/apptest"

var (
	mustURL   = apptest.URL
	page      = apptest.Page
	answerOf  = apptest.Answer
	packed    = apptest.Packed
	openDB    = apptest.OpenDB
	emptyHome = apptest.EmptyHome
	captured  = apptest.Captured
)
