package library

import (
	"context"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/warc/lookup"
)

// LinksTo implements api.LinkFinder.
func (l *Library) LinksTo(ctx context.Context, target, from string, limit int) (page api.LinksPage, err error) {
	domain, u, err := find.Target(target)
	if err != nil {
		return page, &api.InputError{Err: err}
	}
	at, ok := find.ParseFrom(from)
	if !ok {
		return page, asPlaceError(lookup.ErrNoCapture)
	}
	page = api.LinksPage{Target: target, Domain: u.IsZero()}
	err = l.ask(ctx, func(f *find.Finder) (err error) {
		page, err = f.LinksTo(ctx, domain, u, at, limit)
		return err
	})
	return page, err
}

// Site implements api.SiteTeller.
func (l *Library) Site(ctx context.Context, name string) (api.SiteSummary, error) {
	domain, _, err := find.Target(name)
	if err != nil {
		return api.SiteSummary{}, &api.InputError{Err: err}
	}
	site := api.SiteSummary{}
	err = l.ask(ctx, func(f *find.Finder) (err error) {
		site, err = f.Site(ctx, domain)
		return err
	})
	if err == nil && site.Pages == 0 {
		err = api.ErrNoSite
	}
	return site, err
}

// Finds implements api.Finder.
func (l *Library) Finds(ctx context.Context, languages []string) (finds api.Finds, err error) {
	err = l.ask(ctx, func(f *find.Finder) (err error) {
		finds, err = f.Finds(ctx, languages)
		return err
	})
	return finds, err
}

// Picks returns a few pages that were fetched from since to until and are worth reading, none without an index.
func (l *Library) Picks(ctx context.Context, since, until time.Time) (list []api.Find, err error) {
	err = l.ask(ctx, func(f *find.Finder) (err error) {
		list, err = f.Picks(ctx, since, until)
		return err
	})
	return list, err
}

// ask asks the index, if there is one.
func (l *Library) ask(ctx context.Context, question func(f *find.Finder) error) error {
	leave, err := l.sit(ctx)
	if err != nil {
		return err
	}
	defer leave()
	f, done, err := l.index()
	if err != nil {
		return words.New("said.doctor.index-open", words.Args{"error": err})
	}
	defer done()
	if f == nil || !f.Status().On {
		return nil
	}
	return question(f)
}
