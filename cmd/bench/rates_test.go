package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/forage-net/forage/cmd/bench/rates"
)

func TestRates_JudgedByBothCounts(t *testing.T) {
	for _, x := range []struct {
		flow rates.Flow
		want string // "" if all is well
	}{
		{rates.Flow{Limit: 1000, Sockets: 1049, TCP: 1000, Kernel: 1040}, ""},
		{rates.Flow{Limit: 1000, Sockets: 951, TCP: 900, Kernel: 860}, ""},
		{rates.Flow{Limit: 1000, Sockets: 1060, Kernel: -1}, "+6.0 % at socket calls"},
		{rates.Flow{Limit: 1000, Sockets: 900, Kernel: -1}, "-10.0 % at socket calls"},
		{rates.Flow{Limit: 1000, Sockets: 1000, TCP: 800, Kernel: 950}, "+15.0 % by TCP_INFO"},
	} {
		r := new(rateReport)
		r.judge("x", x.flow)
		if got := strings.Join(r.Failures, "; "); !strings.Contains(got, x.want) || x.want == "" && got != "" {
			t.Errorf("%+v: failures %q, want %q", x.flow, got, x.want)
		}
	}
}

func TestRates_Options(t *testing.T) {
	o, err := parseOptions([]string{"-rates", "-kbit", "256, 4000"}, new(bytes.Buffer))
	if err != nil || len(o.rates.kbit) != 2 || o.rates.kbit[1] != 4000 {
		t.Errorf("rates %v, %v, want 256 and 4000", o.rates.kbit, err)
	}
	for _, args := range [][]string{{"-rates", "-kbit", "0"}, {"-rates", "-kbit", "x"}, {"-rates", "-over", "1ms"}} {
		if _, err := parseOptions(args, new(bytes.Buffer)); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}

func TestRates_Report(t *testing.T) {
	r := &rateReport{Rows: []rates.Row{{DownKbit: 1000, UpKbit: 250, Seconds: 10,
		Down: rates.Flow{Limit: 125_000, Sockets: 125_000, Kernel: -1},
		Up:   rates.Flow{Limit: 31_250, Sockets: 31_250, TCP: 31_250, Kernel: 32_000}}},
		Failures: []string{"too fast"}}
	var text, raw bytes.Buffer
	if err := r.print(&text, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1000  down     1000", "FAILED: too fast", "+2.4 %"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if err := r.print(&raw, true); err != nil || !json.Valid(raw.Bytes()) {
		t.Errorf("JSON %q, %v", raw.String(), err)
	}
}
