package app

import (
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/crawl/words"
)

// counter returns what counts the words of the next page for the search index, nil if they are not wanted.
func (n *Node) counter() *words.Counter {
	if n.finder == nil {
		return nil
	}
	return n.finder.Counter()
}

// indexSettings returns what the user wants of the search index.
func (n *Node) indexSettings() find.Settings {
	if last := n.lastGood.Load(); last != nil {
		return searchSettings(last.Index)
	}
	return searchSettings(n.opts.Config.Index)
}

func searchSettings(c config.Index) find.Settings {
	return find.Settings{On: c.On, MaxBytes: int64(c.Disk), Share: c.CPU}
}

// IndexConfig returns how the search index of a node is made, by its settings.
func IndexConfig(paths config.Paths, c config.Config) find.Config {
	return find.Config{
		Archive: paths.WARC(), Index: paths.Index(), Settings: func() find.Settings { return searchSettings(c.Index) },
		Challenged: func(status int, header map[string][]string, body []byte) bool {
			return isChallenge(status, header, body)
		},
	}
}

// indexStatus says how the search index stands.
func (n *Node) indexStatus() api.IndexStatus {
	if n.finder == nil {
		return api.IndexStatus{On: n.indexSettings().On}
	}
	return tellIndex(n.finder.Status())
}

func tellIndex(s find.Status) api.IndexStatus {
	return api.IndexStatus{On: s.On, Pages: int64(s.Pages), Bytes: s.Bytes, Waiting: int64(s.Waiting), Full: s.Full}
}

// indexStatusOf says how the search index of a node stands that does not run. One that cannot be read counts as empty: doctor says what is wrong.
func indexStatusOf(paths config.Paths) api.IndexStatus {
	cfg, _ := config.Read(paths.Config)
	x, err := find.Examine(IndexConfig(paths, cfg), false)
	if err != nil || x.Fault != nil {
		return api.IndexStatus{On: cfg.Index.On}
	}
	return tellIndex(x.Status)
}

// indexAllowed reports whether the user's limits allow that the search index is worked on beside what is fetched.
func (n *Node) indexAllowed() bool { return n.governor != nil && n.governor.works() }
