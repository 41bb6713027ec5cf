package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"
)

// minutesOf returns minutes one after the other, each with two figures.
func minutesOf(n int) (list []LimitMinute) {
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for i := range n {
		list = append(list, LimitMinute{
			Start: start.Add(time.Duration(i) * time.Minute), Seconds: 60,
			Level: []string{"full", "full", "gentle"}[i%3],
			Figures: []LimitFigure{{Name: "cpu_percent", Limit: 25, Mean: float64(i) / 7, Max: float64(i)},
				{Name: "disk.max", Limit: -1, Mean: 1e12 + float64(i), Max: 2e12}},
		})
	}
	return list
}

func TestLimitHistory_EncodesAsJSONDoes(t *testing.T) {
	for _, h := range []LimitHistory{
		{Summary: []string{}, Minutes: []LimitMinute{}, Breaches: []LimitBreach{}},
		{Summary: []string{`"minutes":[] <b>`}, Minutes: minutesOf(3),
			Breaches: []LimitBreach{{Name: "a", Start: time.Unix(1, 5), Worst: 1.5}}},
		{Summary: []string{}, Minutes: []LimitMinute{{Start: time.Unix(7, 123456), Figures: []LimitFigure{}}},
			Breaches: []LimitBreach{}},
	} {
		want, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := h.Encode(); err != nil || string(got) != string(want) {
			t.Errorf("encoded as %s, %v\nwant %s", got, err, want)
		}
	}
}

func TestLimitHistory_Joined(t *testing.T) {
	all := minutesOf(7)
	all[6].Figures[0].Limit = -1
	all = append(all[:4], all[5:]...) // a minute without work
	all[0].Seconds = 20
	got := JoinMinutes(all, 5*time.Minute)
	want := []LimitMinute{
		{Start: all[0].Start, Seconds: 200, Level: "full", Figures: []LimitFigure{
			{Name: "cpu_percent", Limit: 25, Mean: (1 + 2 + 3) * 60.0 / 7 / 200, Max: 3},
			{Name: "disk.max", Limit: -1, Mean: 1e12 + (1+2+3)*60.0/200, Max: 2e12},
		}},
		{Start: all[4].Start, Seconds: 120, Level: "gentle",
			Figures: []LimitFigure{{Name: "cpu_percent", Limit: -1, Mean: 11.0 / 14, Max: 6},
				{Name: "disk.max", Limit: -1, Mean: 1e12 + 5.5, Max: 2e12}}},
	}
	if fmt.Sprintf("%.6v", got) != fmt.Sprintf("%.6v", want) {
		t.Errorf("joined by 5 minutes:\n%.6v\nwant\n%.6v", got, want)
	}
	if single := JoinMinutes(all, time.Minute); !reflect.DeepEqual(single, all) {
		t.Errorf("minute by minute:\n%v\nwant\n%v", single, all)
	}
	if none := JoinMinutes(nil, time.Hour); none == nil || len(none) != 0 {
		t.Errorf("of nothing: %v", none)
	}
}

// BenchmarkLimitHistory is what a whole day costs to encode.
func BenchmarkLimitHistory(b *testing.B) {
	h := LimitHistory{Minutes: minutesOf(24 * 60)}
	for i := range h.Minutes {
		f := h.Minutes[i].Figures
		h.Minutes[i].Figures = append(append(append([]LimitFigure{}, f...), f...), f...)
	}
	for b.Loop() {
		if _, err := h.Encode(); err != nil {
			b.Fatal(err)
		}
	}
}
