package desktest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
)

// Answers are what a node of the tests says.
type Answers struct {
	Status   api.Status
	Limits   api.Limits
	History  api.LimitHistory
	Ring     api.Ring
	Visits   []api.Visit
	Series   api.Series
	Best     api.Best
	Away     api.Away
	Domains  []api.Domain
	Found    api.SearchPage
	Setup    api.Setup
	Settings api.Settings
}

// StandIn is a node of the tests.
type StandIn struct {
	// Mu guards all below, once the node may be asked.
	Mu sync.Mutex
	Is Answers
	// Err, if not nil, is what every call fails with.
	Err error
	// calls are what it was asked to do.
	calls   []string
	Agreed  []api.Agreement
	Changes []api.SettingsChange
	// Refuse is what changes of settings and agreements fail with.
	Refuse error
	// Stays is why it does not start with the computer.
	Stays error
	// pages are sent to who follows.
	pages chan api.EventPage
}

// NewStandIn returns a node that works.
func NewStandIn() *StandIn {
	return &StandIn{pages: make(chan api.EventPage, 100), Is: Answers{
		Status: api.Status{
			Identity:   api.Identity{Version: "1.2.3"},
			State:      api.StateWorking,
			Consent:    true,
			Sentence:   "Working gently: you are away.",
			Progress:   api.Progress{Pages: 12345, PagesSession: 321},
			Backlog:    api.Backlog{Domains: 42, Queued: 98765},
			Membership: api.Membership{Members: 7},
		},
		Limits: api.Limits{Level: "gentle", Mode: "auto"},
	}}
}

// answer returns a field of a node as it is now, and counts nothing.
func answer[T any](s *StandIn, field *T) (T, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return *field, s.Err
}

// Change changes what a node answers.
func (s *StandIn) Change(fn func(*StandIn)) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	fn(s)
}

func (s *StandIn) called(what string) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.calls = append(s.calls, what)
	return s.Err
}

// Did returns what the node was asked to do.
func (s *StandIn) Did() []string {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return append([]string(nil), s.calls...)
}

// StatusIn implements desktop.Node, as do the methods below.
func (s *StandIn) StatusIn(context.Context, string) (api.Status, error) {
	return answer(s, &s.Is.Status)
}

func (s *StandIn) Limits(context.Context, string) (api.Limits, error) { return answer(s, &s.Is.Limits) }

func (s *StandIn) LimitHistory(context.Context) (api.LimitHistory, error) {
	return answer(s, &s.Is.History)
}

func (s *StandIn) Ring(context.Context) (api.Ring, error) { return answer(s, &s.Is.Ring) }

func (s *StandIn) Visits(context.Context, int) ([]api.Visit, error) { return answer(s, &s.Is.Visits) }

func (s *StandIn) Best(context.Context, *time.Location) (api.Best, error) {
	return answer(s, &s.Is.Best)
}

func (s *StandIn) Setup(context.Context, string) (api.Setup, error) { return answer(s, &s.Is.Setup) }

func (s *StandIn) Pause(_ context.Context, d time.Duration) error {
	return s.called("pause " + d.String())
}

func (s *StandIn) Resume(context.Context) error { return s.called("resume") }

func (s *StandIn) Work(_ context.Context, d time.Duration) error {
	return s.called("work " + d.String())
}

func (s *StandIn) Away(context.Context) (api.Away, error) { return answer(s, &s.Is.Away) }

func (s *StandIn) LookAway(_ context.Context, seen bool) (api.Away, error) {
	if seen {
		s.Change(func(s *StandIn) { s.Is.Away, s.calls = api.Away{}, append(s.calls, "seen") })
	}
	return answer(s, &s.Is.Away)
}

func (s *StandIn) SetRun(_ context.Context, mode api.RunMode) error {
	return s.called("run " + string(mode))
}

func (s *StandIn) Finish(context.Context) error { return s.called("finish") }

func (s *StandIn) Settings(context.Context, string) (api.Settings, error) {
	return answer(s, &s.Is.Settings)
}

func (s *StandIn) Series(_ context.Context, q api.SeriesQuery) (api.Series, error) {
	if q.Limit == 26 {
		if from := q.From; q.Unit != api.UnitHour || from.Hour() != 0 || from.Location() != time.Local ||
			time.Since(from) > 25*time.Hour {
			return api.Series{}, fmt.Errorf("today begins at %v", from)
		}
	}
	return answer(s, &s.Is.Series)
}

func (s *StandIn) Domains(_ context.Context, after string, limit int) ([]api.Domain, error) {
	all, err := answer(s, &s.Is.Domains)
	for len(all) > 0 && all[0].Domain <= after {
		all = all[1:]
	}
	return all[:min(limit, len(all))], err
}

func (s *StandIn) Never(_ context.Context, text string, undo bool) (api.NeverChange, error) {
	what := "never "
	if undo {
		what = "undo never "
	}
	return api.NeverChange{Changed: true}, s.called(what + text)
}

func (s *StandIn) SetStartup(_ context.Context, on bool) error {
	s.Change(func(s *StandIn) { s.Is.Setup.Startup.On = on == (s.Stays == nil) })
	return errors.Join(s.called(fmt.Sprintf("startup %t", on)), s.Stays)
}

func (s *StandIn) Agree(_ context.Context, a api.Agreement) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Refuse == nil {
		s.Agreed = append(s.Agreed, a)
		s.Is.Status.Consent = true
	}
	return s.Refuse
}

func (s *StandIn) ChangeSettings(_ context.Context, c api.SettingsChange) (api.SettingsChanged, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Refuse == nil {
		s.Changes = append(s.Changes, c)
	}
	return api.SettingsChanged{}, s.Refuse
}

func (s *StandIn) FollowWindow(
	ctx context.Context, _ string, _ uint64, events func(api.EventPage) error, _ func(string),
) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p := <-s.pages:
			if err := events(p); err != nil {
				return err
			}
		}
	}
}

func (s *StandIn) SearchArchive(ctx context.Context, query, from string, limit int) (api.SearchPage, error) {
	if query == "slow" {
		<-ctx.Done()
		return api.SearchPage{}, ctx.Err()
	}
	page, err := answer(s, &s.Is.Found)
	s.called(fmt.Sprintf("search %s %s %d", query, from, limit))
	page.Results = page.Results[:min(limit, len(page.Results))]
	return page, err
}
