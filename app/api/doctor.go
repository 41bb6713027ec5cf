package api

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Examiner is the part of a Node that looks for what is wrong with its files.
type Examiner interface {
	// Doctor looks at everything that can be looked at while the node runs, and
	// changes nothing; what it says is in the language of ctx. The error is ErrBusy if it does so already.
	Doctor(ctx context.Context) (DoctorReport, error)
}

// ErrBusy is returned for what is under way already.
var ErrBusy = errors.New("this is under way already; try again in a moment")

// DoctorReport is what was found, as "forage doctor --dry-run --json" tells it.
type DoctorReport struct {
	// OK says that nothing is wrong.
	OK bool `json:"ok"`
	// DryRun says that nothing was changed.
	DryRun bool `json:"dry_run"`
	// Running says that the files are in use, so that not all could be looked at.
	Running bool         `json:"running"`
	Areas   []DoctorArea `json:"areas"`
}

// DoctorArea is one part of what a node keeps. Verdict is "ok" or "problem".
type DoctorArea struct {
	Name     string          `json:"name"`
	Verdict  string          `json:"verdict"`
	Summary  string          `json:"summary"`
	Findings []DoctorFinding `json:"findings"`
}

// DoctorFinding is one thing found. Text is a sentence or more.
type DoctorFinding struct {
	Verdict string `json:"verdict"`
	Text    string `json:"text"`
}

// doctorTimeout is how long a call looks at the files: less than a Client
// waits.
const doctorTimeout = 14 * time.Second

func (s *Server) doctor(w http.ResponseWriter, r *http.Request) error {
	if _, err := query(r, "lang"); err != nil {
		return err
	}
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(2 * doctorTimeout)) // recorders have no deadlines
	ctx, cancel := context.WithTimeout(r.Context(), doctorTimeout)
	defer cancel()
	report, err := s.node.Doctor(ctx)
	switch {
	case errors.Is(err, ErrBusy):
		return refuse(http.StatusServiceUnavailable, "%s", err)
	case errors.Is(err, context.DeadlineExceeded):
		return refuse(http.StatusGatewayTimeout,
			"the files could not be looked at within %v; \"forage doctor\" takes the time it needs", doctorTimeout)
	case err != nil:
		return err
	}
	return writeJSON(w, report)
}

// Doctor returns what is wrong with the files of the node, as far as can be seen
// while it runs.
func (c *Client) Doctor(ctx context.Context) (DoctorReport, error) {
	return getAs[DoctorReport](ctx, c, "/api/doctor")
}
