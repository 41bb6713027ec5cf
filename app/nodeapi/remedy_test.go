package nodeapi

import (
	"slices"
	"testing"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
)

// Whatever keeps a node from work by the settings names one that exists; what does not is of the user or of the node.
func TestRemedyOf_NamesASetting(t *testing.T) {
	var names []string
	for _, k := range config.Keys() {
		names = append(names, k.Name)
	}
	without := []limits.Kind{
		limits.NoConsent, limits.PausedByUser, limits.Finishing, limits.TimedWork, limits.UnknownInputIsAway, limits.HasFullBudget,
		limits.LookingForHelpers, limits.NothingDue, limits.SitesAskedToWait, limits.UpdateNeeded, limits.StoreTrouble, limits.ArchiveTrouble,
		limits.Starting, limits.Stopping,
	}
	for k := limits.NoConsent; k <= limits.Stopping; k++ {
		setting, _ := remedyOf(limits.Reason{Kind: k, Name: "data.day", Limit: 5e9})
		if (setting == "") != slices.Contains(without, k) || setting != "" && !slices.Contains(names, setting) {
			t.Errorf("what changes %s is %q", k, setting)
		}
	}
}

// What is proposed allows more than what is set.
func TestRemedyOf_AllowsMore(t *testing.T) {
	for _, c := range []struct {
		kind  limits.Kind
		limit int64
		want  string
	}{
		{limits.DayUsedUp, 1e9, "2 GB"},
		{limits.DayUsedUp, 50e9, "100 GB"},
		{limits.MonthNearlyUsed, 300e6, "600 MB"},
		{limits.DiskMaxReached, 7e6, "14 MB"},
		{limits.DiskMaxReached, 1<<63 - 1, "9223372036 GB"},
		{limits.DiskNearlyFull, 5e9, "2 GB"},
		{limits.DiskNearlyFull, 1e9, "500 MB"},
		{limits.DiskNearlyFull, limits.AlwaysFree, ""},
	} {
		if _, got := remedyOf(limits.Reason{Kind: c.kind, Limit: c.limit}); got != c.want {
			t.Errorf("%s at %d: %q, want %q", c.kind, c.limit, got, c.want)
		}
	}
}
