package api

import (
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"time"
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
	case reflect.TypeFor[RunMode]():
		return string(RunAway)
	case reflect.TypeFor[State]():
		return string(StateWaiting)
	case reflect.TypeFor[Kind]():
		return string(KindPage)
	case reflect.TypeFor[Unit]():
		return string(UnitDay)
	}
	return "x"
}

func (n *fullNode) Status(context.Context) (Status, error)              { return made[Status](n) }
func (n *fullNode) StatusIn(context.Context, string) (Status, error)    { return made[Status](n) }
func (n *fullNode) Away(context.Context) (Away, error)                  { return made[Away](n) }
func (n *fullNode) LookAway(context.Context, bool) (Away, error)        { return made[Away](n) }
func (n *fullNode) Visits(context.Context, int) ([]Visit, error)        { return made[[]Visit](n) }
func (n *fullNode) Helping(context.Context) ([]Domain, error)           { return made[[]Domain](n) }
func (n *fullNode) Invitation(context.Context) (Invitation, error)      { return made[Invitation](n) }
func (n *fullNode) Peers(context.Context) (Peers, error)                { return made[Peers](n) }
func (n *fullNode) Ring(context.Context) (Ring, error)                  { return made[Ring](n) }
func (n *fullNode) Stats(context.Context, int) (Stats, error)           { return made[Stats](n) }
func (n *fullNode) Series(context.Context, SeriesQuery) (Series, error) { return made[Series](n) }
func (n *fullNode) Best(context.Context, *time.Location) (Best, error)  { return made[Best](n) }
func (n *fullNode) Limits(context.Context, string) (Limits, error)      { return made[Limits](n) }
func (n *fullNode) LimitHistory(context.Context) (LimitHistory, error)  { return made[LimitHistory](n) }
func (n *fullNode) NeverList(context.Context) (NeverList, error)        { return made[NeverList](n) }
func (n *fullNode) Settings(context.Context, string) (Settings, error)  { return made[Settings](n) }
func (n *fullNode) Setup(context.Context, string) (Setup, error)        { return made[Setup](n) }
func (n *fullNode) Doctor(context.Context) (DoctorReport, error)        { return made[DoctorReport](n) }

func (n *fullNode) Domains(context.Context, string, int) ([]Domain, error) { return made[[]Domain](n) }
func (n *fullNode) Requests(context.Context, RequestQuery) (RequestPage, error) {
	return made[RequestPage](n)
}
func (n *fullNode) Captures(context.Context, string, string, int) (CapturePage, error) {
	return made[CapturePage](n)
}
func (n *fullNode) SearchArchive(context.Context, string, string, int) (SearchPage, error) {
	return made[SearchPage](n)
}
func (n *fullNode) LinksTo(context.Context, string, string, int) (LinksPage, error) {
	return made[LinksPage](n)
}
func (n *fullNode) Site(_ context.Context, domain string) (SiteSummary, error) {
	if domain == "gone" {
		return SiteSummary{}, ErrNoSite
	}
	return made[SiteSummary](n)
}
func (n *fullNode) Finds(context.Context, []string) (Finds, error) { return made[Finds](n) }
func (n *fullNode) ReadCapture(_ context.Context, id, _ string) (ArchivedPage, error) {
	if id == "gone" {
		return ArchivedPage{}, ErrNoCapture
	}
	return made[ArchivedPage](n)
}
func (n *fullNode) ViewCapture(context.Context, string, string) (ViewedPage, error) {
	return made[ViewedPage](n)
}
func (n *fullNode) Never(context.Context, string, bool) (NeverChange, error) {
	return made[NeverChange](n)
}
func (n *fullNode) ChangeSettings(_ context.Context, c SettingsChange) (SettingsChanged, error) {
	if len(c.Reset) > 0 {
		return SettingsChanged{}, &SettingError{Text: "There is no such setting.", Key: c.Reset[0]}
	}
	return made[SettingsChanged](n)
}
func (n *fullNode) Events(since uint64, _ int) ([]Event, uint64, bool) {
	if since > 0 {
		return nil, since, false
	}
	e, _ := made[Event](n)
	e.ID = 1
	return []Event{e}, 1, false
}
func (n *fullNode) Agree(ctx context.Context, a Agreement) error {
	if !a.Agree || !a.ConnectionIsMine {
		return &SettingError{Text: "Nobody agreed."}
	}
	return n.testNode.Agree(ctx, a)
}
func (n *fullNode) ExportName(_ context.Context, format string) (string, error) {
	if !slices.Contains([]string{"warc", "wacz", "cdxj", "links", "pages", "graph", "stats"}, format) {
		return "", &InputError{errors.New("there is no such format")}
	}
	return "forage." + format, n.called("export %s", format)
}
func (n *fullNode) Export(_ context.Context, _ string, w io.Writer) error {
	_, err := io.WriteString(w, "x")
	return errors.Join(err, n.err)
}
