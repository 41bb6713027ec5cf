package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/app/release"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
)

// source answers questions about a node: one that runs, or the files of one
// that does not.
type source interface {
	StatusIn(ctx context.Context, lang string) (api.Status, error)
	Domains(ctx context.Context, after string, limit int) ([]api.Domain, error)
	Stats(ctx context.Context, hours int) (api.Stats, error)
	Series(ctx context.Context, q api.SeriesQuery) (api.Series, error)
	LimitHistory(ctx context.Context) (api.LimitHistory, error)
	Why(ctx context.Context, text string) (api.Why, error)
}

// ask runs fn with the node that runs here or, if none does, with its files.
func (e *env) ask(ctx context.Context, fn func(source) error) error {
	client, err := e.dial()
	if err == nil {
		return fn(client)
	}
	if !errors.Is(err, api.ErrNotRunning) {
		return err
	}
	reader, err := nodeapi.OpenReader(e.paths)
	if errors.Is(err, os.ErrNotExist) {
		return e.neverRan()
	}
	if err != nil {
		return err
	}
	defer reader.Close()
	return fn(reader)
}

func (e *env) neverRan() error {
	return errors.New(e.lang.text("trouble.never_ran", words.Args{"folder": e.paths.State}))
}

func runStatus(ctx context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags("status"), args, 0, 0); err != nil {
		return done(err)
	}
	return e.ask(ctx, func(s source) error {
		st, err := s.StatusIn(ctx, e.lang.of())
		if err != nil {
			return err
		}
		if e.json {
			return printJSON(e.out, st)
		}
		return printStatus(e.out, e.lang, st)
	})
}

// domainPage is how many domains are asked for at a time.
const domainPage = 1000

func runDomains(ctx context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags("domains"), args, 0, 0); err != nil {
		return done(err)
	}
	ctx = api.WithLang(ctx, e.lang.of())
	return e.ask(ctx, func(s source) error {
		all := []api.Domain{}
		for after := ""; ; {
			page, err := s.Domains(ctx, after, domainPage)
			if err != nil {
				return err
			}
			all = append(all, page...)
			if len(page) < domainPage {
				break
			}
			after = page[len(page)-1].Domain
		}
		if client, is := s.(*api.Client); is {
			others, err := client.Helping(ctx)
			if err != nil {
				return err
			}
			all = append(all, others...)
		}
		if e.json {
			return printJSON(e.out, all)
		}
		return printDomains(e.out, e.lang, all, time.Now())
	})
}

func printDomains(w io.Writer, lang language, domains []api.Domain, now time.Time) error {
	rows := [][]string{lang.heading("domains", "domain", "fetched", "queued", "failed", "bytes", "next", "state")}
	for _, d := range domains {
		next := "-"
		if d.NextVisit != nil && d.NextVisit.After(now) {
			next = when(*d.NextVisit, now)
		} else if d.State == api.DomainRefused {
			next = lang.text("domains.never", nil)
		} else if d.Queued > 0 {
			next = lang.text("domains.now", nil)
		}
		rows = append(rows, []string{
			d.Domain, lang.number(d.Fetched), lang.number(d.Queued), lang.number(d.Failed), lang.bytes(d.Bytes), next, domainState(lang, d),
		})
	}
	return table(w, rows)
}

// domainState says what becomes of a domain, and why.
func domainState(lang language, d api.Domain) string {
	state := lang.term("domains.state", d.State)
	if d.Owner != "" {
		state = lang.text("domains.for", words.Args{"state": state, "peer": shortID(d.Owner)})
	}
	state = joined(state, printable(d.Reason))
	if d.Distance != "" {
		state += " (" + printable(d.Distance) + ")"
	}
	if d.Refusals+d.Challenges > 0 {
		state += " " + lang.text("domains.refusals", words.Args{"refusals": d.Refusals, "challenges": d.Challenges})
	}
	return state
}

func runLog(ctx context.Context, e *env, args []string) error {
	fs := e.flags("log")
	follow := fs.Bool("follow", false, "keep printing events")
	full := fs.Bool("full", false, "print whole lines on a terminal, too")
	record := recordFlags(fs)
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	if !*full {
		e.columns = columnsOf(e.out)
	}
	if record.wanted() {
		return e.printRecord(ctx, record, *follow)
	}
	client, err := e.dial()
	if err != nil {
		return err
	}
	var page api.EventPage
	for {
		if page, err = client.Events(ctx, page.BootID, page.Next, domainPage); err != nil {
			return err
		}
		if err := e.printEvents(page); err != nil {
			return err
		}
		if len(page.Events) == 0 {
			break
		}
	}
	if !*follow {
		return nil
	}
	err = client.Follow(ctx, page.BootID, page.Next, e.printEvents)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (e *env) printEvents(page api.EventPage) error {
	for _, ev := range page.Events {
		if err := e.printEvent(ev); err != nil {
			return err
		}
	}
	return nil
}

func (e *env) printEvent(ev api.Event) error {
	if e.json {
		return encodeJSON(e.out, ev, "")
	}
	status := ""
	if ev.Status > 0 {
		status = fmt.Sprint(ev.Status)
	}
	text := ev.Title
	if ev.Kind != api.KindPage || text == "" {
		text = ev.Text
	}
	return e.printLine(fmt.Sprintf("%s  %-8s %3s  %s  %s", ev.Time.Local().Format(time.TimeOnly), e.lang.word("event", string(ev.Kind)), status,
		printable(ev.URL), printable(text)))
}

// printLine prints a line of a log, of which a terminal shows as much as fits.
func (e *env) printLine(line string) error {
	if e.columns > 0 {
		line = cut(line, e.columns)
	}
	_, err := fmt.Fprintln(e.out, line)
	return err
}

func runPaths(_ context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags("paths"), args, 0, 0); err != nil {
		return done(err)
	}
	if e.json {
		return printJSON(e.out, pathsAnswer{Config: e.paths.Config, State: e.paths.State, Data: e.paths.Data, WARC: e.paths.WARC()})
	}
	return facts(e.out, [][]string{
		{e.lang.text("paths.settings", nil), e.paths.Config}, {e.lang.text("paths.state", nil), e.paths.State},
		{e.lang.text("paths.data", nil), e.paths.Data}, {e.lang.text("paths.warc", nil), e.paths.WARC()},
	})
}

func runVersion(ctx context.Context, e *env, args []string) error {
	fs := e.flags("version")
	check := fs.String("check", "", "verify by its signature that `FILE|URL` is a release of Forage")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	if *check != "" {
		comment, err := release.Check(ctx, *check)
		if err != nil {
			return fmt.Errorf("check %s: %w", *check, err)
		}
		return e.show(checkedRelease{Checked: *check, Comment: comment}, func() { e.tell("version.checked", words.Args{"file": *check, "comment": comment}) })
	}
	if e.json {
		return printJSON(e.out, versionAnswer{Version: crawl.Version, SuffixList: crawl.SuffixListHash()})
	}
	_, err := fmt.Fprintln(e.out, "forage", crawl.Version)
	return err
}

func runGet(_ context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags("get"), args, 0, 1)
	if err != nil {
		return done(err)
	}
	if len(rest) == 0 {
		return e.listSettings()
	}
	value, err := e.setting(rest[0])
	if err != nil {
		return err
	}
	return e.show(value, func() { fmt.Fprintln(e.out, value.Value) })
}

// listSettings prints all settings with their values.
func (e *env) listSettings() error {
	all, err := e.settings()
	if err != nil {
		return err
	}
	if e.json {
		return printJSON(e.out, all)
	}
	rows := make([][]string, len(all))
	for i, s := range all {
		rows[i] = []string{s.Key, s.Value}
	}
	return table(e.out, rows)
}

// setting returns a setting as it is in the file, or by default.
func (e *env) setting(key string) (setting, error) {
	all, err := e.settings()
	if err != nil {
		return setting{}, err
	}
	if i := slices.IndexFunc(all, func(s setting) bool { return s.Key == key }); i >= 0 {
		return all[i], nil
	}
	_, err = config.Defaults().Get(key) // says which ones there are
	return setting{}, err
}

// settings returns all of them in the order of the file.
func (e *env) settings() ([]setting, error) {
	cfg, err := config.Load(e.paths.Config)
	if err != nil {
		return nil, err
	}
	var all []setting
	for _, k := range config.Keys() {
		value, err := cfg.Get(k.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, setting{Key: k.Name, Value: value, Default: k.Default, Type: k.Type, Range: k.Range, Meaning: k.Meaning, now: k.Now})
	}
	return all, nil
}
