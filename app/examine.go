package app

import (
	"context"
	"errors"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
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
	report, err := n.opts.Examine(ctx)
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
