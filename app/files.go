package app

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/requestlog"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/requests"
	"github.com/forage-net/forage/storage/warc"
)

// files are what a node has on disk: the store with its clock, the archive, the record of requests.
type files struct {
	opts      *Options
	db        *storage.DB
	storeFile os.FileInfo // the store as it was when it was opened
	clock     *clock.Clock
	robots    *ledger.RobotsStore
	archive   *warc.Archive
	archivist *ledger.Archivist
	requests  *requests.Log // nil if none are recorded
}

// open opens them. close must be called in the end, after an error, too.
func (f *files) open() (err error) {
	o := f.opts
	if o.Config.Net.Private {
		if o.secret, err = membership.LoadSecret(o.Log, o.Paths.State); err != nil {
			return err
		}
	}
	if f.db, err = storage.Open(o.Paths.Store(), storage.Options{NoSync: o.NoSync}); err != nil {
		return err
	}
	if f.storeFile, err = os.Stat(o.Paths.Store()); err != nil {
		return words.New("said.doctor.open-store-2", words.Args{"error": err})
	}
	if err := checkNetwork(f.db, o.network()); err != nil {
		return err
	}
	was, err := clock.Stored(f.db)
	if err != nil {
		return err
	}
	if f.clock = clock.Open(was); o.Sim != nil {
		f.clock = clock.OpenWith(was, o.Sim.Clocks)
	}
	f.robots = ledger.NewRobotsStore(f.db)
	if err := f.openArchive(); err != nil {
		return err
	}
	if o.Sim == nil {
		f.requests, err = requestlog.Open(requestlog.Dir(o.Paths.State), o.Config.Log.RequestsDays, o.Log)
	}
	return err
}

func (f *files) openArchive() (err error) {
	o := f.opts
	f.archive, err = warc.Open(warc.Config{
		Dir: o.Paths.WARC(), MaxSize: o.rotateAt(), Info: ledger.ArchiveInfo(o.Lab != nil, o.network()),
	})
	if err != nil {
		return err
	}
	for _, r := range f.archive.Recovered() {
		if r.Err != nil {
			o.Log.Warn("Archive file cannot be repaired now", "file", r.File, "error", r.Err)
			continue
		}
		o.Log.Info("Archive file repaired", "file", r.File, "bytes_cut", r.Cut, "index_lines_added", r.IndexLines)
	}
	if f.archivist, err = ledger.NewArchivist(f.archive, f.db, o.Log); err != nil {
		return err
	}
	return f.archivist.CheckLast(o.Paths.WARC())
}

// sync makes sure that what a commit is about to settle is on disk.
func (f *files) sync() error {
	if f.opts.NoSync {
		return nil
	}
	return f.archive.Sync()
}

// filesEvery is how often it is made sure that the node's files are still there.
const filesEvery = 2 * time.Second

// watch ends with an error if the files were taken away, and with nil when ctx is done.
func (f *files) watch(ctx context.Context) error {
	for {
		path := f.opts.Paths.Store()
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(info, f.storeFile) {
			return words.New("said.trouble.the-store-was-removed-or-replaced",
				words.Args{"path": path, "error": ledger.ErrTakenAway})
		}
		if err := f.archivist.Missing(f.opts.Paths.WARC()); err != nil {
			return err
		}
		select {
		case <-time.After(pulse.Until(filesEvery)):
		case <-ctx.Done():
			return nil
		}
	}
}
