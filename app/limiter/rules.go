package limiter

import (
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
)

// Rules say whose limits hold. The zero value is a node of a user.
type Rules struct {
	// Lab is a node of a closed test network: it has no user and needs no consent, unless Limits and AwaitConsent say
	// that those are what is tried there. NoLimits lifts those of the disk and of pages a minute, too.
	Lab, Limits, AwaitConsent, NoLimits bool
	// Bootstrap is a node that nobody sits at, and others rely on.
	Bootstrap bool
}

// HasUser reports whether the limits of a user hold.
func (r Rules) HasUser() bool { return !r.Lab || r.Limits }

// Follow reports whether the footing follows the limits. Else it is given.
func (r Rules) Follow() bool { return r.HasUser() || r.AwaitConsent }

// Of returns what is to be kept to.
func (r Rules) Of(c config.Config) limits.Config {
	l := c.Limits
	if !r.HasUser() {
		full := limits.Budget{
			CPUPercent: limits.NoLimit, DownKbit: limits.NoLimit, UpKbit: limits.NoLimit,
			Sockets:  l.Budget.Full.Sockets,
			Fetchers: l.Budget.Full.Fetchers, PagesPerMin: l.Budget.Full.PagesPerMin,
		}
		l = limits.Config{
			Idle:     limits.Idle{UnknownIs: limits.Away},
			Level:    limits.Levels{InUse: limits.Full, Away: limits.Full},
			Schedule: limits.Schedule{Work: limits.AllWeek(limits.Full), NetIsWork: true},
			Data:     limits.Data{Day: limits.NoLimit, Month: limits.NoLimit, MonthStarts: 1},
			Disk:     l.Disk, RAM: l.RAM, Budget: limits.Budgets{Full: full, Gentle: full},
			Pause: limits.Pause{OtherCPU: 100, VPN: limits.No, Recall: l.Pause.Recall},
		}
	} else if r.Bootstrap {
		l.Idle.UnknownIs, l.Level = limits.Away, limits.Levels{InUse: limits.Full, Away: limits.Full}
		l.Pause = limits.Pause{OtherCPU: 100, VPN: limits.No}
	}
	l.Consent = r.Lab && !r.AwaitConsent || config.Consented(c)
	if r.NoLimits {
		l.Disk = limits.Disk{Max: limits.NoLimit, MaxPercent: limits.NoLimit}
		l.Budget.Full.PagesPerMin, l.Budget.Gentle.PagesPerMin = limits.NoLimit, limits.NoLimit
	}
	return l
}
