// Package never knows what the user does not want visited: the lists of the settings, and files of domains (the
// setting safety.blocklists). A Refuser holds what is in force; it is safe for concurrent use, and a change is in
// force before the call returns.
package never

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/scope"
)

// Refuser is the part of a node that knows what its user does not want visited. It implements api.Refuser.
type Refuser struct {
	file string // the settings
	lab  bool
	// domains are those of the node, tell takes an event.
	domains Domains
	tell    func(api.Event)
	log     *slog.Logger

	current atomic.Pointer[scope.Refusals]

	mu           sync.Mutex // one change at a time
	sites        []string
	tlds, topics []string
	lists        blocklists
}

// Domains lists domains as api.Node.Domains does.
type Domains func(ctx context.Context, after string, limit int) ([]api.Domain, error)

// Config says what a list begins with, and what it needs.
type Config struct {
	File     string // of the settings
	Settings config.Config
	Lab      bool
	Domains  Domains         // of the node
	Tell     func(api.Event) // takes what happened
	Log      *slog.Logger
}

// New returns what is in force by the settings.
func New(c Config) (*Refuser, error) {
	r := &Refuser{
		file: c.File, lab: c.Lab, domains: c.Domains, tell: c.Tell, log: c.Log,
		tlds: c.Settings.TLD.Never, topics: c.Settings.Topics.Never,
	}
	var err error
	if r.lists, err = readBlocklists(c.Settings.Safety.Blocklists); err != nil {
		return r, fmt.Errorf("safety.blocklists: %w", err)
	}
	return r, r.use(c.Settings.Sites.Never)
}

// RefusalsOf returns what a node with these settings never visits.
func RefusalsOf(c config.Config, lab bool) (*scope.Refusals, error) {
	lists, err := readBlocklists(c.Safety.Blocklists)
	if err != nil {
		return nil, err
	}
	return scope.NewRefusals(scope.RefusalsConfig{
		Sites: c.Sites.Never, TLDs: c.TLD.Never, Topics: c.Topics.Never, Lists: lists.list, Lab: lab,
	})
}

// Refusals returns what is in force now. It may be nil, which refuses nothing.
func (r *Refuser) Refusals() *scope.Refusals { return r.current.Load() }

// Refuses reports whether an address is never visited.
func (r *Refuser) Refuses(u crawl.URL) bool { return r.Refusals().Reason(u) != nil }

// use puts a list of sites in force.
func (r *Refuser) use(sites []string) error {
	refusals, err := scope.NewRefusals(scope.RefusalsConfig{
		Sites: sites, TLDs: r.tlds, Topics: r.topics, Lists: r.lists.list, Lab: r.lab,
	})
	if err == nil {
		r.sites = sites
		r.current.Store(refusals)
	}
	return err
}

// Take reads settings and puts what they never visit in force. No change is made by Never meanwhile: what
// is read is not older than that.
func (r *Refuser) Take(read func() (config.Config, error)) (config.Config, error) {
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
func (r *Refuser) Never(ctx context.Context, text string, undo bool) (api.NeverChange, error) {
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
		r.tell(api.Event{
			Kind: api.KindDomain, Code: code, Domain: change.domain(),
			Said: change.in,
		})
	}
	change.Text = change.in(api.Lang(ctx))
	return change.NeverChange, nil
}

func (r *Refuser) change(text string, undo bool) (neverChange, error) {
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
	change.refuse(r.Refusals())
	if err != nil {
		return change, change.unsaved(err)
	}
	return change, nil
}

// Mark returns what says of the domains in a list that are refused as a whole that they are, in a language.
// It takes a list with its error, and passes the error on.
func (r *Refuser) Mark(lang string) func(list []api.Domain, err error) ([]api.Domain, error) {
	return func(list []api.Domain, err error) ([]api.Domain, error) {
		MarkRefused(lang, list, r.Refusals())
		return list, err
	}
}

func MarkRefused(lang string, list []api.Domain, refusals *scope.Refusals) {
	for i := range list {
		if why := refusals.Domain(crawl.Domain(list[i].Domain)); why != nil {
			list[i].State, list[i].Reason, list[i].NextVisit = api.DomainRefused, why.In(lang), nil
		}
	}
}

// NeverList implements api.Refuser.
func (r *Refuser) NeverList(ctx context.Context) (api.NeverList, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return neverList(api.Lang(ctx), r.sites, r.tlds, r.topics, r.lab), nil
}

func neverList(lang string, sites, tlds, topics []string, lab bool) api.NeverList {
	list := api.NeverList{
		Sites: slices.Clone(sites), TLDs: slices.Clone(tlds), Topics: slices.Clone(topics),
		BuiltinVersion: scope.BuiltinVersion(),
	}
	for _, topic := range topics {
		list.TopicNames = append(list.TopicNames, words.Text(lang, "settings.choice."+topic, nil))
	}
	if !lab {
		for _, b := range scope.Builtin() {
			list.Builtin = append(list.Builtin, api.Refusal{Pattern: b.Pattern, Reason: b.Reason.In(lang)})
		}
	}
	return list
}

// Change changes the list of a node that does not run, in the file of its settings.
func Change(ctx context.Context, file, text string, undo bool, domains Domains) (api.NeverChange, error) {
	cfg, err := config.Load(file)
	if err != nil {
		return api.NeverChange{}, err
	}
	change, _, err := changeSites(cfg.Sites.Never, text, undo)
	if err != nil {
		return change.NeverChange, err
	}
	if cfg.Sites.Never, err = saveSite(file, change.Pattern, undo); err != nil {
		return change.NeverChange, err
	}
	refusals, err := RefusalsOf(cfg, false)
	if err != nil {
		return change.NeverChange, err
	}
	change.refuse(refusals)
	change.count(ctx, domains)
	change.Text = change.in(api.Lang(ctx))
	return change.NeverChange, nil
}

// Listed returns what a node that does not run will not visit, by the file of its settings, in a language.
func Listed(file, lang string) (api.NeverList, error) {
	cfg, err := config.Load(file)
	if err != nil {
		return api.NeverList{}, err
	}
	return neverList(lang, cfg.Sites.Never, cfg.TLD.Never, cfg.Topics.Never, false), nil
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

var _ api.Refuser = (*Refuser)(nil)
