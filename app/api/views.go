package api

import (
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api/secret"
)

const (
	// viewLength is the length of the name of a view: 128 random bits.
	viewLength = 32
	// viewTime is how long a view is good after its last use.
	viewTime = time.Hour
	// maxViews is how many are kept; the one that was not used for longest goes.
	maxViews = 16
)

// views are those that were begun. The zero value has none.
type views struct {
	mu    sync.Mutex
	list  []*view          // the one used last is the last
	clock func() time.Time // nil means time.Now
}

// view is one: a frame of the dashboard, and what it shows.
type view struct {
	key   secret.Digest
	lang  string
	until time.Time
	page  ViewedPage // without HTML
}

func (v *views) now() time.Time {
	if v.clock != nil {
		return v.clock()
	}
	return time.Now()
}

func (v *views) begin(lang string) (name string) {
	name = secret.New(viewLength / 2)
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.list) == maxViews {
		v.list = slices.Delete(v.list, 0, 1)
	}
	v.list = append(v.list, &view{key: secret.Of(name), lang: lang, until: v.now().Add(viewTime)})
	return name
}

// endAll ends all views: a session is over. Frames of others begin new ones.
func (v *views) endAll() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.list = nil
}

// use returns a view for as long as v.mu is held, nil if there is none.
func (v *views) use(name string) *view {
	key, now := secret.Of(name), v.now()
	v.list = slices.DeleteFunc(v.list, func(one *view) bool { return !now.Before(one.until) })
	i := slices.IndexFunc(v.list, func(one *view) bool { return one.key == key })
	if i < 0 {
		return nil
	}
	one := v.list[i]
	one.until = now.Add(viewTime)
	v.list = append(slices.Delete(v.list, i, i+1), one)
	return one
}

// lang returns the language of a view; ok is false if there is none.
func (v *views) lang(name string) (lang string, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if one := v.use(name); one != nil {
		return one.lang, true
	}
	return "", false
}

// show notes what a view shows.
func (v *views) show(name string, page ViewedPage) {
	page.HTML = nil
	v.mu.Lock()
	defer v.mu.Unlock()
	if one := v.use(name); one != nil {
		one.page = page
	}
}

func (v *views) shown(name string) (shown ArchiveView, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if one := v.use(name); one != nil {
		return one.page.ArchiveView, true
	}
	return ArchiveView{}, false
}

// parts returns the parts of a page if the view shows it. Nobody changes them.
func (v *views) parts(name, id string) map[string]string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if one := v.use(name); one != nil && one.page.ID == id {
		return one.page.Parts
	}
	return nil
}
