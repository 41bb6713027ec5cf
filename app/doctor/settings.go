package doctor

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/settings"
	"github.com/forage-net/forage/crawl/scope"
)

func (d *doctor) lookAtSettings(context.Context) *Area {
	a := newArea("settings")
	a.Summary = d.paths.Config
	if _, err := os.Stat(d.paths.Config); errors.Is(err, os.ErrNotExist) {
		a.note("There is no settings file; the defaults hold.")
	}
	is, err := config.Load(d.paths.Config)
	if err != nil {
		for _, err := range unjoin(err) {
			a.problem("%v", err)
		}
		a.note("No node starts with these settings; edit the file, or change one with \"forage set KEY=VALUE\".")
		return a
	}
	d.settings = is
	if _, err := scope.New(scope.Config{Patterns: is.Crawl.Scope, Depth: int(is.Crawl.Depth)}); err != nil {
		a.problem("%v", config.WrongIn(d.paths.Config, "crawl.scope"))
	}
	if _, err := settings.ReadSeeds(is.Crawl.Seeds); err != nil {
		a.problem("crawl.seeds: %v", err)
	}
	if config.Consented(is) {
		a.note("You agreed to what a node does on %s.", is.Consent.Time.Local().Format(time.DateOnly))
	} else {
		a.note("You have not agreed yet to what a node does; \"forage consent\" shows the text. Until then nothing " +
			"is fetched.")
	}
	return a
}

// unjoin takes joined errors apart.
func unjoin(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

func (d *doctor) lookAtDisk(context.Context) *Area {
	a := newArea("disk")
	disk, err := ledger.LookAtDisk(d.paths, d.settings.Limits.Disk)
	if errors.Is(err, os.ErrNotExist) {
		a.Summary = "nothing stored yet"
		return a
	}
	if err != nil {
		a.problem("%v", err)
		return a
	}
	a.Summary = ledger.FormatBytes(disk.Free) + " free of " + ledger.FormatBytes(disk.Total) + ", " +
		ledger.FormatBytes(disk.Archive) + " stored"
	if disk.Full != "" {
		a.note("Nothing more is stored: %s. \"forage set disk.max=SIZE\" and its like change the limits.",
			strings.TrimSuffix(disk.Full, "."))
	}
	return a
}
