package look

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

// NewLog returns "forage log", which prints events, or requests.
func NewLog(e *env.Env) *cobra.Command {
	c := env.Command("log [--follow|--requests]", "recent events; with --requests every request", 0, 0)
	fs := c.Flags()
	follow := fs.Bool("follow", false, "keep printing events")
	full := fs.Bool("full", false, "print whole lines on a terminal, too")
	record := recordFlags(fs)
	return env.Does(c, func(ctx context.Context, _ []string) error {
		if !*full {
			e.Columns = console.ColumnsOf(e.Out)
		}
		if record.wanted() {
			return printRecord(ctx, e, record, *follow)
		}
		client, err := e.Dial()
		if err != nil {
			return err
		}
		var page api.EventPage
		for {
			if page, err = client.Events(ctx, page.BootID, page.Next, domainPage); err != nil {
				return err
			}
			if err := printEvents(e, page); err != nil {
				return err
			}
			if len(page.Events) == 0 {
				break
			}
		}
		if !*follow {
			return nil
		}
		err = client.Follow(ctx, page.BootID, page.Next, func(page api.EventPage) error { return printEvents(e, page) })
		if errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	})
}

func printEvents(e *env.Env, page api.EventPage) error {
	for _, ev := range page.Events {
		if err := printEvent(e, ev); err != nil {
			return err
		}
	}
	return nil
}

func printEvent(e *env.Env, ev api.Event) error {
	if e.JSON {
		return console.EncodeJSON(e.Out, ev, "")
	}
	status := ""
	if ev.Status > 0 {
		status = fmt.Sprint(ev.Status)
	}
	text := ev.Title
	if ev.Kind != api.KindPage || text == "" {
		text = ev.Text
	}
	return printLine(e, fmt.Sprintf("%s  %-8s %3s  %s  %s", ev.Time.Local().Format(time.TimeOnly),
		e.Lang.Word("event", string(ev.Kind)), status,
		console.Printable(ev.URL), console.Printable(text)))
}
