package ladder

import "time"

// Reading is what is known of one quantity.
type Reading[T any] struct {
	// Value is meaningless unless Known.
	Value T    `json:"value"`
	Known bool `json:"known"`
	// Source is who says so ("logind", "Mutter", "sysfs"); "" if not Known.
	Source string `json:"source,omitempty"`
	// Since is when Value became what it is, or when it stopped being known.
	Since time.Time `json:"since"`
	// Why says for people why the value is not known.
	Why string `json:"why,omitempty"`
	// Never says that the value is not known because nothing here could tell: what does is not
	// installed, or the system has no way.
	Never bool `json:"never,omitempty"`
}

// Status is one quantity for people.
type Status struct {
	Name   string    `json:"name"`
	Known  bool      `json:"known"`
	Value  string    `json:"value,omitempty"`
	Source string    `json:"source,omitempty"`
	Since  time.Time `json:"since"`
	Why    string    `json:"why,omitempty"`
	// Never is as in Reading.
	Never bool `json:"never,omitempty"`
	// Sources are all that could tell, the best first.
	Sources []SourceStatus `json:"sources"`
}

// SourceStatus is how one source does.
type SourceStatus struct {
	Name string `json:"name"`
	// State is "reading", "failed", "not needed" or "starting".
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
}
