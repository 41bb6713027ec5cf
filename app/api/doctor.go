package api

import (
	"context"
)

// Examiner is the part of a Node that looks for what is wrong with its files.
type Examiner interface {
	// Doctor looks at everything that can be looked at while the node runs, and
	// changes nothing; what it says is in the language of ctx. The error is ErrBusy if it does so already.
	Doctor(ctx context.Context) (DoctorReport, error)
}

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
