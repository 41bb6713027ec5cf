package api

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"time"
)

// Limiter is the part of a Node that keeps to the limits of its user.
type Limiter interface {
	// Limits returns what holds now. lang is the language of sentences, "en" or "de".
	Limits(ctx context.Context, lang string) (Limits, error)
	// LimitHistory returns what was allowed and used in the last 24 hours, in the language of ctx.
	LimitHistory(ctx context.Context) (LimitHistory, error)
	// Work has the node work for a time although its user is there and whatever the hours, or until Resume if it is 0.
	Work(ctx context.Context, d time.Duration) error
	// Finish lets what is in flight come to its end, starts nothing more, and then ends the node. Until then Resume
	// and Work take it back.
	Finish(ctx context.Context) error
}

// Limits are what a node may do now, and why.
type Limits struct {
	// Level is "off", "gentle" or "full". Footing is "duty", "standby" or "silent".
	Level   string `json:"level"`
	Footing string `json:"footing"`
	// Sentence says the most important reason, Reasons are all that hold.
	Sentence string        `json:"sentence"`
	Reasons  []LimitReason `json:"reasons"`
	// Mode is "auto", "on" or "off": what the user asked for by hand, until Until if that is set.
	Mode  string     `json:"mode"`
	Until *time.Time `json:"until"`
	// Run says when the node works: "always", "away" or "off". Other limits hold in each.
	Run RunMode `json:"run"`
	// Changes is when the level changes though nothing happens, nil if it does not within a day or does so within
	// a minute.
	Changes *time.Time `json:"changes"`
	// HelpNow says that nothing but the user's presence or hours keeps it from work: POST /api/work lets it work for a
	// time.
	HelpNow bool `json:"help_now"`
	// Budgets are the bounds that hold now, and what is used.
	Budgets []LimitBudget `json:"budgets"`
	// Quotas are what may be used up in all.
	Quotas []LimitQuota `json:"quotas"`
	// Sensors are what is known of the computer; empty where its user's limits do not hold, as in most labs.
	Sensors []LimitSensor `json:"sensors"`
	// Fault says what is wrong with the settings file: the last good settings are in force. "" if nothing is.
	Fault string `json:"fault"`
}

// LimitReason is one thing that holds now.
type LimitReason struct {
	// Kind is a word for programs.
	Kind string `json:"kind"`
	// Allows is the level that it allows at most.
	Allows   string     `json:"allows"`
	Sentence string     `json:"sentence"`
	Since    *time.Time `json:"since"`
	Until    *time.Time `json:"until"`
}

// LimitBudget is one bound on how fast something is used. Limit is -1 where there is none; the means are -1
// where they are not known.
type LimitBudget struct {
	// Name is the last part of the setting's name, as "cpu_percent"; Unit is that of all numbers.
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Limit float64 `json:"limit"`
	// Now is the mean of the last 10 seconds, or the present value of what has no mean.
	Now    float64 `json:"now"`
	Minute float64 `json:"minute"`
	Hour   float64 `json:"hour"`
	Day    float64 `json:"day"`
	// Month is the mean of the last 30 days, as the others of the time in which the node ran.
	Month float64 `json:"month"`
}

// LimitQuota is one bound on how much is used in all, in bytes; Limit is -1 where there is none.
type LimitQuota struct {
	// Name is that of the setting, as "data.day".
	Name  string `json:"name"`
	Used  int64  `json:"used"`
	Limit int64  `json:"limit"`
	// Sites are those of Used that went to sites and came from them; the rest is what nodes say to each other, and what
	// finds names, nodes and ways through routers.
	Sites int64 `json:"sites"`
}

// LimitSensor is what is known of one thing about the computer.
type LimitSensor struct {
	Name   string `json:"name"`
	Known  bool   `json:"known"`
	Value  string `json:"value"`
	Source string `json:"source"`
	// Never says that nothing here could tell, ever: what depends on it has no effect.
	Never bool `json:"never"`
	// Why says why it is not known.
	Why string `json:"why"`
}

// LimitHistory is what was allowed and used.
type LimitHistory struct {
	// Summary are sentences for people.
	Summary  []string      `json:"summary"`
	Minutes  []LimitMinute `json:"minutes"`
	Breaches []LimitBreach `json:"breaches"`
}

// LimitMinute is what a minute was like, or as many as were asked for: with the level that held longest and the
// greatest limit. Minutes without work or sample are not there.
type LimitMinute struct {
	Start   time.Time     `json:"start"`
	Seconds int           `json:"seconds"`
	Level   string        `json:"level"`
	Figures []LimitFigure `json:"figures"`
}

// LimitFigure is what was allowed at most and used of one thing in a minute, -1 for no limit.
type LimitFigure struct {
	Name  string  `json:"name"`
	Limit float64 `json:"limit"`
	Mean  float64 `json:"mean"`
	Max   float64 `json:"max"`
}

// LimitBreach is a limit that was not kept for more than 5 seconds.
type LimitBreach struct {
	Name    string    `json:"name"`
	Start   time.Time `json:"start"`
	LengthS float64   `json:"length_s"`
	Limit   float64   `json:"limit"`
	Worst   float64   `json:"worst"`
	Cause   string    `json:"cause"`
}

// JoinMinutes returns minutes, in their order, put together by so much time.
func JoinMinutes(minutes []LimitMinute, every time.Duration) []LimitMinute {
	list := []LimitMinute{}
	var levels map[string]int // seconds
	for _, m := range minutes {
		if n := len(list) - 1; n >= 0 && every > time.Minute &&
			list[n].Start.Truncate(every).Equal(m.Start.Truncate(every)) {
			list[n].join(m)
			levels[m.Level] += m.Seconds
			if levels[m.Level] > levels[list[n].Level] {
				list[n].Level = m.Level
			}
			continue
		}
		m.Figures = append([]LimitFigure{}, m.Figures...)
		list, levels = append(list, m), map[string]int{m.Level: m.Seconds}
	}
	return list
}

// join adds another minute except for its level.
func (m *LimitMinute) join(with LimitMinute) {
	all := float64(max(m.Seconds+with.Seconds, 1))
	for i := range m.Figures {
		f, g := &m.Figures[i], with.Figures[i]
		f.Mean = (f.Mean*float64(m.Seconds) + g.Mean*float64(with.Seconds)) / all
		f.Max = max(f.Max, g.Max)
		if f.Limit >= 0 && (g.Limit < 0 || g.Limit > f.Limit) {
			f.Limit = g.Limit
		}
	}
	m.Seconds += with.Seconds
}

// Encode returns what json.Marshal does, in a third of the time: a day of minutes is half a megabyte, most of it
// numbers.
func (h *LimitHistory) Encode() ([]byte, error) {
	frame := *h
	frame.Minutes = []LimitMinute{}
	text, err := json.Marshal(frame)
	if err != nil {
		return nil, err
	}
	const empty = `"minutes":[]` // within a text its quotes would be escaped
	before, after, _ := bytes.Cut(text, []byte(empty))
	b := make([]byte, 0, len(text)+len(h.Minutes)*400)
	b = append(append(b, before...), empty[:len(empty)-1]...)
	for i := range h.Minutes {
		if i > 0 {
			b = append(b, ',')
		}
		b = h.Minutes[i].append(b)
	}
	return append(append(b, ']'), after...), nil
}

func (m *LimitMinute) append(b []byte) []byte {
	b = append(b, `{"start":"`...)
	b = m.Start.AppendFormat(b, time.RFC3339Nano)
	b = append(b, `","seconds":`...)
	b = strconv.AppendInt(b, int64(m.Seconds), 10)
	b = append(b, `,"level":"`...)
	b = append(b, m.Level...) // a word of ours, as the names are
	b = append(b, `","figures":[`...)
	for i, f := range m.Figures {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"name":"`...)
		b = append(b, f.Name...)
		b = append(b, `","limit":`...)
		b = strconv.AppendFloat(b, f.Limit, 'f', -1, 64)
		b = append(b, `,"mean":`...)
		b = strconv.AppendFloat(b, f.Mean, 'f', -1, 64)
		b = append(b, `,"max":`...)
		b = strconv.AppendFloat(b, f.Max, 'f', -1, 64)
		b = append(b, '}')
	}
	return append(b, "]}"...)
}
