package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/scope"
)

// refusing is the part of a node that knows what its user does not want
// visited. It implements api.Refuser.
type refusing struct {
	file string // the settings
	lab  bool
	// domains is Node.Domains, tell takes an event.
	domains listDomains
	tell    func(api.Event)

	current atomic.Pointer[scope.Refusals]

	mu           sync.Mutex // one change at a time
	sites        []string
	tlds, topics []string
	lists        blocklists
}

// listDomains returns domains as api.Node.Domains does.
type listDomains func(ctx context.Context, after string, limit int) ([]api.Domain, error)

// newRefusing returns the refusals of a configuration.
func newRefusing(opts *Options, domains listDomains, tell func(api.Event)) (*refusing, error) {
	c := &opts.Config
	r := &refusing{
		file: opts.Paths.Config, lab: opts.Lab != nil, domains: domains, tell: tell, tlds: c.TLD.Never, topics: c.Topics.Never,
	}
	var err error
	if r.lists, err = readBlocklists(c.Safety.Blocklists); err != nil {
		return r, fmt.Errorf("safety.blocklists: %w", err)
	}
	return r, r.use(c.Sites.Never)
}

// refusals returns what is in force now. It may be nil, which refuses nothing.
func (r *refusing) refusals() *scope.Refusals { return r.current.Load() }

// refuses reports whether an address is never visited.
func (r *refusing) refuses(u crawl.URL) bool { return r.refusals().Reason(u) != "" }

// use puts a list of sites in force.
func (r *refusing) use(sites []string) error {
	refusals, err := scope.NewRefusals(scope.RefusalsConfig{Sites: sites, TLDs: r.tlds, Topics: r.topics, Lists: r.lists.list, Lab: r.lab})
	if err == nil {
		r.sites = sites
		r.current.Store(refusals)
	}
	return err
}

// take reads settings and puts what they never visit in force. No change is made by Never meanwhile: what
// is read is not older than that.
func (r *refusing) take(read func() (config.Config, error)) (config.Config, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	cfg, err := read()
	if err != nil {
		return cfg, err
	}
	tlds, topics, lists := r.tlds, r.topics, r.lists
	if !slices.Equal(lists.files, cfg.Safety.Blocklists) {
		if r.lists, err = readBlocklists(cfg.Safety.Blocklists); err != nil {
			r.lists = lists
			return cfg, fmt.Errorf("safety.blocklists: %w", err)
		}
	}
	r.tlds, r.topics = cfg.TLD.Never, cfg.Topics.Never
	if err = r.use(cfg.Sites.Never); err != nil {
		r.tlds, r.topics, r.lists = tlds, topics, lists
	}
	return cfg, err
}

// Never implements api.Refuser. What can be put in force is, even if the file
// cannot be written; the error says so then.
func (r *refusing) Never(ctx context.Context, text string, undo bool) (api.NeverChange, error) {
	change, err := r.change(text, undo)
	if err != nil {
		return api.NeverChange{}, err
	}
	change.count(ctx, r.domains)
	if change.Changed {
		code := api.CodeDomainRefused
		if undo {
			code = api.CodeDomainAllowed
		}
		r.tell(api.Event{Kind: api.KindDomain, Code: code, Domain: change.domain(), Text: change.in(words.English), German: change.in(words.German)})
	}
	change.Text = change.in(api.Lang(ctx))
	return change.NeverChange, nil
}

func (r *refusing) change(text string, undo bool) (neverChange, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change, sites, err := changeSites(r.sites, text, undo)
	if err != nil {
		return change, err
	}
	saved, err := saveSite(r.file, change.Pattern, undo)
	if err == nil {
		sites = saved // the file may hold more than it did at the start
	}
	if wrong := r.use(sites); wrong != nil {
		return change, wrong
	}
	change.refuse(r.refusals())
	if err != nil {
		return change, fmt.Errorf("%s but only until forage ends: it could not be saved: %w", change.now(), err)
	}
	return change, nil
}

// mark returns what says of the domains in a list that are refused as a whole that they are, in a language.
// It takes the answer of describeAll and passes its error on.
func (r *refusing) mark(lang string) func(list []api.Domain, err error) ([]api.Domain, error) {
	return func(list []api.Domain, err error) ([]api.Domain, error) {
		markRefused(lang, list, r.refusals())
		return list, err
	}
}

func markRefused(lang string, list []api.Domain, refusals *scope.Refusals) {
	for i := range list {
		if why := refusals.Domain(crawl.Domain(list[i].Domain)); why != "" {
			list[i].State, list[i].Reason, list[i].NextVisit = api.DomainRefused, words.Said(lang, why), nil
		}
	}
}

// NeverList implements api.Refuser.
func (r *refusing) NeverList(ctx context.Context) (api.NeverList, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return neverList(api.Lang(ctx), r.sites, r.tlds, r.topics, r.lab), nil
}

func neverList(lang string, sites, tlds, topics []string, lab bool) api.NeverList {
	list := api.NeverList{
		Sites: slices.Clone(sites), TLDs: slices.Clone(tlds), Topics: slices.Clone(topics), BuiltinVersion: scope.BuiltinVersion(),
	}
	for _, topic := range topics {
		list.TopicNames = append(list.TopicNames, words.Text(lang, "settings.choice."+topic, nil))
	}
	if !lab {
		for _, b := range scope.Builtin() {
			list.Builtin = append(list.Builtin, api.Refusal{Pattern: b.Pattern, Reason: words.Said(lang, b.Reason)})
		}
	}
	return list
}

// Never changes the list of a node that does not run, in its settings.
func Never(ctx context.Context, paths config.Paths, text string, undo bool) (api.NeverChange, error) {
	cfg, err := config.Load(paths.Config)
	if err != nil {
		return api.NeverChange{}, err
	}
	change, _, err := changeSites(cfg.Sites.Never, text, undo)
	if err != nil {
		return change.NeverChange, err
	}
	sites, err := saveSite(paths.Config, change.Pattern, undo)
	if err != nil {
		return change.NeverChange, err
	}
	lists, err := readBlocklists(cfg.Safety.Blocklists)
	if err != nil {
		return change.NeverChange, err
	}
	refusals, err := scope.NewRefusals(scope.RefusalsConfig{Sites: sites, TLDs: cfg.TLD.Never, Topics: cfg.Topics.Never, Lists: lists.list})
	if err != nil {
		return change.NeverChange, err
	}
	change.refuse(refusals)
	reader, err := OpenReader(paths)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return change.NeverChange, err
	}
	if err == nil {
		defer reader.Close()
		change.count(ctx, reader.Domains)
	}
	change.Text = change.in(api.Lang(ctx))
	return change.NeverChange, nil
}

// NeverListOf returns what a node that does not run will not visit.
func NeverListOf(paths config.Paths) (api.NeverList, error) {
	cfg, err := config.Load(paths.Config)
	if err != nil {
		return api.NeverList{}, err
	}
	return neverList(words.English, cfg.Sites.Never, cfg.TLD.Never, cfg.Topics.Never, false), nil
}

// saveSite makes a change in the settings and returns the list they hold then.
func saveSite(file, pattern string, undo bool) ([]string, error) {
	cfg, err := config.Load(file)
	if err != nil {
		return nil, err
	}
	listed := false
	for _, entry := range cfg.Sites.Never {
		if !isSame(entry, pattern) {
			continue
		}
		listed = true
		if undo {
			if err := config.RemoveItem(file, "sites.never", entry); err != nil {
				return nil, err
			}
		}
	}
	if !undo && !listed {
		if err := config.AddItem(file, "sites.never", pattern); err != nil {
			return nil, err
		}
	}
	if cfg, err = config.Load(file); err != nil {
		return nil, err
	}
	return cfg.Sites.Never, nil
}

var _ api.Refuser = (*refusing)(nil)
