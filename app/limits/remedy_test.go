package limits

import (
	"slices"
	"testing"
)

// Whatever keeps a node from work by the settings names one that exists; what does not is of the user or of the node.
func TestReason_Remedy(t *testing.T) {
	var names []string
	for _, s := range Settings() {
		names = append(names, s.Name)
	}
	without := []Kind{NoConsent, PausedByUser, Finishing, TimedWork, UnknownInputIsAway, HasFullBudget, LookingForHelpers, NothingDue, SitesAskedToWait, UpdateNeeded, StoreTrouble, ArchiveTrouble, Starting, Stopping}
	for k := range kinds {
		setting, _ := Reason{Kind: k, Name: "data.day"}.Remedy()
		if (setting == "") != slices.Contains(without, k) || setting != "" && !slices.Contains(names, setting) {
			t.Errorf("what changes %s is %q", k, setting)
		}
	}
}
