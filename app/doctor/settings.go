package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/settings"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/scope"
)

func (d *doctor) lookAtSettings(context.Context) *Area {
	a := d.area("settings")
	a.Summary = d.paths.Config
	if _, err := os.Stat(d.paths.Config); errors.Is(err, os.ErrNotExist) {
		a.note(words.New("said.doctor.there-is-no-settings-file-the", nil))
	}
	is, err := config.Load(d.paths.Config)
	if err != nil {
		for _, err := range unjoin(err) {
			a.problem(err)
		}
		a.note(words.New("said.doctor.no-node-starts-with-these-settings", nil))
		return a
	}
	d.settings = is
	if _, err := scope.New(scope.Config{Patterns: is.Crawl.Scope, Depth: int(is.Crawl.Depth)}); err != nil {
		a.problem(config.WrongIn(d.paths.Config, "crawl.scope"))
	}
	if _, err := settings.ReadSeeds(is.Crawl.Seeds); err != nil {
		a.problem(fmt.Errorf("crawl.seeds: %w", err))
	}
	if config.Consented(is) {
		a.note(words.New("said.doctor.you-agreed-to-what-a-node",
			words.Args{"date": is.Consent.Time.Local().Format(time.DateOnly)}))
	} else {
		a.note(words.New("said.doctor.you-have-not-agreed-yet-to", nil))
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
	a := d.area("disk")
	disk, err := ledger.LookAtDisk(d.paths, d.settings.Limits.Disk)
	if errors.Is(err, os.ErrNotExist) {
		a.Summary = d.say("said.doctor.nothing-stored-yet", nil)
		return a
	}
	if err != nil {
		a.problem(err)
		return a
	}
	a.Summary = d.say("said.doctor.free-of-stored", words.Args{
		"free": ledger.FormatBytes(disk.Free), "total": ledger.FormatBytes(disk.Total),
		"size": ledger.FormatBytes(disk.Archive),
	})
	if disk.Full != "" {
		a.note(words.New("said.doctor.nothing-more-is-stored-forage-set",
			words.Args{"reason": strings.TrimSuffix(disk.Full, ".")}))
	}
	return a
}
