package nodeapi

import (
	"context"
	"sync"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

// Examiner looks for what is wrong with the files of the node. It implements api.Examiner.
type Examiner struct {
	Look func(context.Context) (api.DoctorReport, error) // in the language of the context; nil if nobody can

	mu sync.Mutex // held meanwhile
}

// Doctor implements api.Examiner.
func (e *Examiner) Doctor(ctx context.Context) (api.DoctorReport, error) {
	if e.Look == nil {
		return api.DoctorReport{}, &api.InputError{
			Err: words.New("said.api.this-node-cannot-look-at-its", nil),
		}
	}
	if !e.mu.TryLock() {
		return api.DoctorReport{}, api.ErrBusy
	}
	defer e.mu.Unlock()
	return e.Look(ctx)
}
