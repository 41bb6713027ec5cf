package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The keys of the wire are a promise.
func TestTypes_Keys(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{Status{}, "waiting undone undone_peer undone_at members connected share version boot_id pid started " +
			"network lab home state reasons resume_at uptime_s pages pages_session pages_per_s bytes_received " +
			"bytes_sent " +
			"leads whole careful follows catching_up admission domains queued known leases in_flight sockets " +
			"archive_dir archive_files archive_bytes disk_free index health seq sentence consent setting " +
			"remedy trouble"},
		{Health{}, "sentence factor answered refused challenged answered_before refused_before answered_week " +
			"refused_week challenged_week " +
			"waits waits_week forbidden forbidden_week sampled"},
		{NeverChange{}, "pattern never changed queued text"},
		{NeverList{}, "sites tlds topics topic_names builtin builtin_version"},
		{Refusal{}, "pattern reason"},
		{Limits{}, "level footing sentence reasons mode until run changes help_now budgets quotas sensors fault"},
		{Away{}, "since until sentence pages firsts sites more languages first farthest shown milestones"},
		{Milestone{}, "kind count language day"},
		{AwayPage{}, "id url domain title"},
		{AwaySite{}, "domain ms"},
		{LimitReason{}, "kind allows sentence since until"},
		{LimitBudget{}, "name unit limit now minute hour day month"},
		{LimitQuota{}, "name used limit sites"},
		{LimitSensor{}, "name known value source never why"},
		{LimitHistory{}, "summary minutes breaches"},
		{LimitMinute{}, "start seconds level figures"},
		{LimitFigure{}, "name limit mean max"},
		{LimitBreach{}, "name start length_s limit worst cause"},
		{Settings{}, "settings cards presets startup file fault"},
		{SettingsCard{}, "title rows"},
		{SettingsRow{}, "key label note"},
		{Setting{}, "key group group_name name type control value default text default_text words default_words range " +
			"meaning why choices choice_names unit number number_unit units min max no_limit limit levels same_as " +
			"set read_only applies pending"},
		{SettingsUnit{}, "text name"},
		{SettingsChange{}, "set reset dry_run lang"},
		{SettingsChanged{}, "changed restart fault"},
		{SettingError{}, "error key line reason range"},
		{Setup{}, "needed consent facts presets questions startup"},
		{Startup{}, "possible on"},
		{SetupConsent{}, "version given time title text note"},
		{SetupFact{}, "name known text"},
		{SetupPreset{}, "id title text settings most chosen"},
		{SetupQuestion{}, "key title text many choices"},
		{SetupChoice{}, "value text on"},
		{Agreement{}, "agree connection_is_mine preset settings version lang"},
		{Domain{}, "domain owner state reason queued fetched failed duplicates bytes refusals challenges backoffs " +
			"next_visit crawl_delay_s title distance"},
		{Visit{}, "domain owner url busy next left"},
		{Event{}, "id time kind code domain url at peer count status bytes took_ms title language first text"},
		{EventPage{}, "boot_id events next dropped"},
		{RequestPage{}, "requests next kept_days"},
		{Request{}, "time url domain status code bytes took_ms title addr owner checks by allowed rule waited_s gap_s"},
		{Ring{}, "self members points arcs exact domains fill version"},
		{RingMember{}, "id self connected share capacity away_ms bearing"},
		{RingPoint{}, "at member"},
		{RingArc{}, "from to member"},
		{RingDomain{}, "at domain fetched last language"},
		{Stats{}, "hours totals"},
		{Hour{}, "start pages duplicates redirects unchanged gone failed forbidden found bytes_received " +
			"bytes_sent " + newCounts},
		{Point{}, "start pages duplicates redirects unchanged gone failed forbidden found bytes_received " +
			"bytes_sent domains languages " + newCounts},
		{Series{}, "unit points totals"},
		{Best{}, "first_page busiest_day days_helped streak_days milestones"},
		{FirstPage{}, "time url title"},
		{BusiestDay{}, "start pages"},
	} {
		text, err := json.Marshal(c.v)
		if err != nil {
			t.Fatal(err)
		}
		var keys map[string]any
		if err := json.Unmarshal(text, &keys); err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(c.want)
		for _, key := range want {
			if _, ok := keys[key]; !ok {
				t.Errorf("%T has no key %s", c.v, key)
			}
		}
		for key := range keys {
			if !slices.Contains(want, key) {
				t.Errorf("%T has the key %s, which this table lacks", c.v, key)
			}
		}
	}
}

const newCounts = "firsts links helped_s peer_received peer_sent connects connect_ms"
