package main

import (
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/nearness"
)

// experiments are the rows of the table.
var experiments = []lab.Experiment{
	e01, nearness.E02, e03, e04, nearness.E05, e06, nearness.E07, nearness.E08, nearness.E09,
	nearness.E10, nearness.E11, nearness.E12, nearness.E13, e14, e15, e16, e17,
}
