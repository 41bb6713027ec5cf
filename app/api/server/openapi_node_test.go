package server

import (
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
)

// How much there is in what a fullNode answers.
const (
	fillAll    = 9 // everything
	fillHeads  = 1 // lists, but in their elements none
	fillBarely = 0 // no lists, and nothing that may be null
)

// fullNode answers everything with values made from their types.
type fullNode struct {
	*testNode
	depth int
}

// made returns a value of a type, or the error of the node.
func made[T any](n *fullNode) (v T, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err == nil {
		fill(reflect.ValueOf(&v).Elem(), n.depth)
	}
	return v, n.err
}

// fill sets what is in v: lists and maps have an element as far as depth goes down.
func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), depth)
		}
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth)
		}
	case reflect.Slice:
		if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth-1)
		}
	case reflect.Map:
		if depth > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			element := reflect.New(v.Type().Elem()).Elem()
			fill(element, depth-1)
			v.SetMapIndex(reflect.ValueOf("x").Convert(v.Type().Key()), element)
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf("x"))
	case reflect.Float64:
		v.SetFloat(-0.25)
	case reflect.Int, reflect.Int64:
		v.SetInt(-1)
	case reflect.Uint64:
		v.SetUint(1<<64 - 1)
	case reflect.String:
		v.SetString(wordOf(v.Type()))
	}
}

// wordOf returns a text of a type; of some there are only certain ones.
func wordOf(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[api.RunMode]():
		return string(api.RunAway)
	case reflect.TypeFor[api.State]():
		return string(api.StateWaiting)
	case reflect.TypeFor[api.Kind]():
		return string(api.KindPage)
	case reflect.TypeFor[api.Unit]():
		return string(api.UnitDay)
	}
	return "x"
}

func (n *fullNode) Status(context.Context) (api.Status, error)           { return made[api.Status](n) }
func (n *fullNode) StatusIn(context.Context, string) (api.Status, error) { return made[api.Status](n) }
func (n *fullNode) Away(context.Context) (api.Away, error)               { return made[api.Away](n) }
func (n *fullNode) LookAway(context.Context, bool) (api.Away, error)     { return made[api.Away](n) }
func (n *fullNode) Visits(context.Context, int) ([]api.Visit, error)     { return made[[]api.Visit](n) }
func (n *fullNode) Helping(context.Context) ([]api.Domain, error)        { return made[[]api.Domain](n) }
func (n *fullNode) Invitation(context.Context) (api.Invitation, error) {
	return made[api.Invitation](n)
}
func (n *fullNode) Peers(context.Context) (api.Peers, error)      { return made[api.Peers](n) }
func (n *fullNode) Ring(context.Context) (api.Ring, error)        { return made[api.Ring](n) }
func (n *fullNode) Stats(context.Context, int) (api.Stats, error) { return made[api.Stats](n) }
func (n *fullNode) Series(context.Context, api.SeriesQuery) (api.Series, error) {
	return made[api.Series](n)
}
func (n *fullNode) Best(context.Context, *time.Location) (api.Best, error) { return made[api.Best](n) }
func (n *fullNode) Limits(context.Context, string) (api.Limits, error)     { return made[api.Limits](n) }
func (n *fullNode) LimitHistory(context.Context) (api.LimitHistory, error) {
	return made[api.LimitHistory](n)
}
func (n *fullNode) NeverList(context.Context) (api.NeverList, error) { return made[api.NeverList](n) }
func (n *fullNode) Settings(context.Context, string) (api.Settings, error) {
	return made[api.Settings](n)
}
func (n *fullNode) Setup(context.Context, string) (api.Setup, error) { return made[api.Setup](n) }
func (n *fullNode) Doctor(context.Context) (api.DoctorReport, error) {
	return made[api.DoctorReport](n)
}

func (n *fullNode) Domains(context.Context, string, int) ([]api.Domain, error) {
	return made[[]api.Domain](n)
}
func (n *fullNode) Requests(context.Context, api.RequestQuery) (api.RequestPage, error) {
	return made[api.RequestPage](n)
}
func (n *fullNode) Captures(context.Context, string, string, int) (api.CapturePage, error) {
	return made[api.CapturePage](n)
}
func (n *fullNode) SearchArchive(context.Context, string, string, int) (api.SearchPage, error) {
	return made[api.SearchPage](n)
}
func (n *fullNode) LinksTo(context.Context, string, string, int) (api.LinksPage, error) {
	return made[api.LinksPage](n)
}
func (n *fullNode) Site(_ context.Context, domain string) (api.SiteSummary, error) {
	if domain == "gone" {
		return api.SiteSummary{}, api.ErrNoSite
	}
	return made[api.SiteSummary](n)
}
func (n *fullNode) Finds(context.Context, []string) (api.Finds, error) { return made[api.Finds](n) }
func (n *fullNode) ReadCapture(_ context.Context, id, _ string) (api.ArchivedPage, error) {
	if id == "gone" {
		return api.ArchivedPage{}, api.ErrNoCapture
	}
	return made[api.ArchivedPage](n)
}
func (n *fullNode) ViewCapture(context.Context, string, string) (api.ViewedPage, error) {
	return made[api.ViewedPage](n)
}
func (n *fullNode) Never(context.Context, string, bool) (api.NeverChange, error) {
	return made[api.NeverChange](n)
}
func (n *fullNode) ChangeSettings(_ context.Context, c api.SettingsChange) (api.SettingsChanged, error) {
	if len(c.Reset) > 0 {
		return api.SettingsChanged{}, &api.SettingError{Text: "There is no such setting.", Key: c.Reset[0]}
	}
	return made[api.SettingsChanged](n)
}
func (n *fullNode) Events(since uint64, _ int) ([]api.Event, uint64, bool) {
	if since > 0 {
		return nil, since, false
	}
	e, _ := made[api.Event](n)
	e.ID = 1
	return []api.Event{e}, 1, false
}
func (n *fullNode) Agree(ctx context.Context, a api.Agreement) error {
	if !a.Agree || !a.ConnectionIsMine {
		return &api.SettingError{Text: "Nobody agreed."}
	}
	return n.testNode.Agree(ctx, a)
}
func (n *fullNode) ExportName(_ context.Context, format string) (string, error) {
	if !slices.Contains([]string{"warc", "wacz", "cdxj", "links", "pages", "graph", "stats"}, format) {
		return "", &api.InputError{Err: errors.New("there is no such format")}
	}
	return "forage." + format, n.called("export %s", format)
}
func (n *fullNode) Export(_ context.Context, _ string, w io.Writer) error {
	_, err := io.WriteString(w, "x")
	return errors.Join(err, n.err)
}
