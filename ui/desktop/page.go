package desktop

import (
	"fyne.io/fyne/v2"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
)

// page is one view of the window. All its methods are called on the UI goroutine.
type page interface {
	// Content is what is shown. It is made once; calling again returns the same.
	Content() fyne.CanvasObject
	// Shown says whether somebody looks at it now. A page that nobody looks at asks the node nothing and draws nothing.
	Shown(bool)
	// Told gives it the state of the node, whenever that was asked for.
	Told(desk.Live)
	// Happened gives it events, the oldest first, whether it is shown or not. missed says that some before these were
	// missed: what was derived from events is to be asked for again.
	Happened(events []api.Event, missed bool)
}

// entry is a page in the list at the side.
type entry struct {
	name string
	icon fyne.Resource
	page page
}
