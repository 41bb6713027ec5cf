package nodeapi

import (
	"context"
	"errors"
	"sync"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

// Examiner looks for what is wrong with the files of the node. It implements api.Examiner.
type Examiner struct {
	Look func(context.Context) (api.DoctorReport, error) // nil if nobody can

	mu sync.Mutex // held meanwhile
}

// Doctor implements api.Examiner.
func (e *Examiner) Doctor(ctx context.Context) (api.DoctorReport, error) {
	if e.Look == nil {
		return api.DoctorReport{}, &api.InputError{
			Err: errors.New("this node cannot look at its files; \"forage doctor\" does"),
		}
	}
	if !e.mu.TryLock() {
		return api.DoctorReport{}, api.ErrBusy
	}
	defer e.mu.Unlock()
	report, err := e.Look(ctx)
	return reportIn(api.Lang(ctx), report), err
}

// reportIn returns a report, which is in English, in a language.
func reportIn(lang string, report api.DoctorReport) api.DoctorReport {
	for i := range report.Areas {
		a := &report.Areas[i]
		a.Summary = words.Said(lang, a.Summary)
		for j := range a.Findings {
			a.Findings[j].Text = words.Said(lang, a.Findings[j].Text)
		}
	}
	return report
}
