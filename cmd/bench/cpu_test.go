package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCPU_Options(t *testing.T) {
	o, err := parseOptions([]string{"-cpu", "-forage", ".", "-cpu-shares", "10, 50"}, new(bytes.Buffer))
	if err != nil || !slices.Equal(o.cpu.shares, []int{10, 50}) {
		t.Errorf("shares %v, %v, want 10 and 50", o.cpu.shares, err)
	}
	if s := o.cpu.stages(); len(s) != 5 || s[0].limit != noShare || s[1].set[0] != "budget.full.cpu_percent=10" ||
		s[4].limit != 0 {
		t.Errorf("stages %+v", s)
	}
	for _, args := range [][]string{{"-cpu"}, {"-cpu", "-forage", "/nonsense"},
		{"-cpu", "-forage", ".", "-cpu-shares", "100"},
		{"-cpu", "-forage", ".", "-cpu-shares", "0"}, {"-cpu", "-forage", ".", "-cpu-over", "1ms"}} {
		if _, err := parseOptions(args, new(bytes.Buffer)); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}

func TestCPU_Judged(t *testing.T) {
	for _, x := range []struct {
		row        cpuRow
		fault, say string // parts of the failure and the note, "" for none
	}{
		{cpuRow{Limit: noShare, Share: 85, Web: 10}, "", ""},
		{cpuRow{Limit: noShare, Share: 60, Web: 10}, "want 70 % of the 90.0 %", ""},
		{cpuRow{Limit: noShare, Share: 40, Web: 10, Others: 45}, "", "which is 89 % of what was left"},
		{cpuRow{Limit: 10, Share: 12.9, Pages: 5}, "", ""},
		{cpuRow{Limit: 10, Share: 0.3}, "no page was read", ""},
		{cpuRow{Limit: 10, Share: 13.1, Others: 80, Pages: 5}, "at most 3 more", ""},
		{cpuRow{Limit: 50, Share: 47.1, Pages: 5}, "", ""},
		{cpuRow{Limit: 50, Share: 46.9, Pages: 5}, "at most 3 less", ""},
		{cpuRow{Limit: 50, Share: 30, Others: 60, Web: 5, Pages: 5}, "too little to show", ""},
		{cpuRow{Limit: 0, Share: 0.2}, "", ""},
		{cpuRow{Limit: 0, Share: 1.2}, "want none", ""},
		{cpuRow{Limit: 0, Share: 0.2, Pages: 0.1}, "want none", ""},
	} {
		r := newCPUReport()
		r.add(x.row)
		for _, is := range []struct {
			got  []string
			want string
		}{{r.Failures, x.fault}, {r.Notes, x.say}} {
			if got := strings.Join(is.got, "; "); (got == "") != (is.want == "") || !strings.Contains(got, is.want) {
				t.Errorf("%+v: %q, want %q", x.row, got, is.want)
			}
		}
		var text, raw bytes.Buffer
		if err := r.print(&text, false); err != nil || strings.Contains(text.String(), "WRONG") != (x.fault != "") {
			t.Errorf("%v\n%s", err, text.String())
		}
		if err := r.print(&raw, true); err != nil || !json.Valid(raw.Bytes()) {
			t.Errorf("JSON %q, %v", raw.String(), err)
		}
	}
}

func TestStolenTime(t *testing.T) {
	if got, want := stolenTime("cpu  1 2 3 4 5 6 7 80 9 10\ncpu0 1\n"), 800*time.Millisecond; got != want {
		t.Errorf("stolen %v, want %v", got, want)
	}
	if got := stolenTime("nonsense"); got != 0 {
		t.Errorf("stolen %v of nonsense", got)
	}
}
