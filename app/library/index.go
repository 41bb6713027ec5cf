package library

import (
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/health"
)

// SearchSettings returns what the settings want of a search index.
func SearchSettings(c config.Index) find.Settings {
	return find.Settings{On: c.On, MaxBytes: int64(c.Disk), Share: c.CPU}
}

// IndexConfig returns how the search index of a node is made, by its settings.
func IndexConfig(paths config.Paths, c config.Config) find.Config {
	return find.Config{
		Archive: paths.WARC(), Index: paths.Index(), Settings: func() find.Settings { return SearchSettings(c.Index) },
		Challenged: func(status int, header map[string][]string, body []byte) bool {
			return health.Challenged(status, header, body)
		},
	}
}

// TellIndex says for front ends how a search index stands.
func TellIndex(s find.Status) api.IndexStatus {
	return api.IndexStatus{On: s.On, Pages: int64(s.Pages), Bytes: s.Bytes, Waiting: int64(s.Waiting), Full: s.Full}
}

// IndexStatus says how the search index of a node stands that does not run. One that cannot be read counts as empty:
// doctor says what is wrong.
func IndexStatus(paths config.Paths) api.IndexStatus {
	cfg, _ := config.Read(paths.Config)
	x, err := find.Examine(IndexConfig(paths, cfg), false)
	if err != nil || x.Fault != nil {
		return api.IndexStatus{On: cfg.Index.On}
	}
	return TellIndex(x.Status)
}
