package app

import (
	"context"
	"errors"

	"github.com/forage-net/forage/app/api"
)

// Doctor implements api.Examiner.
func (n *Node) Doctor(ctx context.Context) (api.DoctorReport, error) {
	if n.opts.Examine == nil {
		return api.DoctorReport{}, &api.InputError{Err: errors.New("this node cannot look at its files; \"forage doctor\" does")}
	}
	if !n.examining.TryLock() {
		return api.DoctorReport{}, api.ErrBusy
	}
	defer n.examining.Unlock()
	return n.opts.Examine(ctx)
}
