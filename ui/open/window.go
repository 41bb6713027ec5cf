package open

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/assets/words"
)

// Exit codes of forage-window beside 0, with which it ends when it is closed.
const (
	// ExitNoWindow says that no window can be shown here; its log says why.
	ExitNoWindow = 3
	// ExitRaised says that another window was raised instead.
	ExitRaised = 4
)

const (
	// windowWait is how long a window that was started is watched: its first frame has 15 seconds.
	windowWait = 18 * time.Second
	// raiseWait is how long others that open it are waited for.
	raiseWait = windowWait + 2*time.Second
)

// Shown is what a user sees.
type Shown string

// What can be shown.
const (
	ShownWindow    Shown = "window"
	ShownDashboard Shown = "dashboard"
	ShownNothing   Shown = "none"
)

// Outcome is what came of opening something.
type Outcome struct {
	Shown Shown
	// Missed is why it is not the window; nil if it is.
	Missed error
}

// Window brings the window of a node that runs to the front, with a page (api.IsWindowPage) or as it is (""), or starts
// it. A window that ends at once, since it cannot be shown here, is replaced by the dashboard. The error says why
// nothing could be shown: ErrNoDisplay, or what kept the browser from being started.
func Window(ctx context.Context, w Where, page string) (Outcome, error) {
	if page != "" && !api.IsWindowPage(page) {
		return Outcome{Shown: ShownNothing}, fmt.Errorf("the window has no page %.40q", page)
	}
	node, err := Dial(ctx, w.StateDir)
	if err != nil {
		return Outcome{Shown: ShownNothing}, err
	}
	missed := w.window(ctx, node, page)
	if missed == nil {
		return Outcome{Shown: ShownWindow}, nil
	}
	if ctx.Err() != nil {
		return Outcome{ShownNothing, missed}, ctx.Err()
	}
	if err := w.dashboard(ctx, node, routes[page]); err != nil {
		return Outcome{ShownNothing, missed}, err
	}
	return Outcome{ShownDashboard, missed}, nil
}

// Dashboard opens the dashboard of a node that runs in the browser, at a route as api.Link.To has it. The error is
// ErrNoDisplay where none could be seen.
func Dashboard(ctx context.Context, w Where, route string) error {
	node, err := Dial(ctx, w.StateDir)
	if err != nil {
		return err
	}
	return w.dashboard(ctx, node, route)
}

// routes are where the dashboard has what is on pages of the window, if not on its first page.
var routes = map[string]string{"search": "mine", "domains": "mine", "statistics": "mine", "settings": "settings"}

func (w Where) dashboard(ctx context.Context, node *client.Client, route string) error {
	if !HasDisplay() {
		return ErrNoDisplay // and no link is made that nobody uses
	}
	link, err := node.Link(ctx)
	if err != nil {
		return err
	}
	return Link(ctx, w, link.To(route))
}

// window raises or starts the window.
func (w Where) window(ctx context.Context, node *client.Client, page string) error {
	waiting, cancel := context.WithTimeout(ctx, raiseWait)
	defer cancel()
	defer lock(waiting, w.StateDir)()
	if raised, err := node.ShowWindow(ctx, page); raised || err != nil {
		return err
	}
	if !HasDisplay() {
		return ErrNoDisplay
	}
	path, err := find(windowProgram, winVariable)
	if err != nil {
		return err
	}
	args := w.args()
	if page != "" {
		args = append(args, "--page", page)
	}
	p, err := w.launch(path, filepath.Join(w.StateDir, WindowLog), args...)
	if err != nil {
		return words.New("said.open.start-window", words.Args{"error": err})
	}
	defer p.log.Close()
	return awaitWindow(ctx, node, p)
}

// awaitWindow waits until a window is shown, which is when it follows the node's events, or has ended. One that does
// neither for long is taken for a slow one.
func awaitWindow(ctx context.Context, node *client.Client, p *program) error {
	ctx, cancel := context.WithTimeout(ctx, windowWait)
	defer cancel()
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for {
		select {
		case code := <-p.ended:
			if code == 0 || code == ExitRaised {
				return nil
			}
			return p.end(code)
		case <-ticker.C:
			if raised, err := node.ShowWindow(ctx, ""); raised && err == nil {
				return nil
			}
		case <-ctx.Done():
			if ctx.Err() == context.DeadlineExceeded {
				return nil
			}
			return ctx.Err()
		}
	}
}
