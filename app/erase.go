package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/forage-net/forage/app/config"
)

// eraseMarker is the file in the state directory that says: what this node
// fetched and found is to be erased. It is written before anything is, and
// removed when everything is, so that whatever ends the process in between the
// next start goes on with it.
const eraseMarker = "erase"

func eraseMarkerPath(paths config.Paths) string { return filepath.Join(paths.State, eraseMarker) }

// Erase implements api.Eraser: the node begins to end, and Close erases.
func (n *Node) Erase(ctx context.Context) error {
	if err := markErase(n.opts.Paths); err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	n.erasing.Store(true)
	n.log.Info("Everything that was fetched and found will be erased; the node ends")
	return n.Stop(ctx)
}

func markErase(paths config.Paths) error {
	f, err := os.OpenFile(eraseMarkerPath(paths), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Erased reports whether Close has erased what was fetched and found.
func (n *Node) Erased() bool { return n.erased }

// eraseIfAsked erases, once store and archive are closed, if the user asked for it.
func (n *Node) eraseIfAsked() error {
	if !n.erasing.Load() {
		return nil
	}
	if err := Erase(n.opts.Paths); err != nil {
		return fmt.Errorf("%w; the next start goes on with it", err)
	}
	n.erased = true
	n.log.Info("Erased", "settings_kept_in", n.opts.Paths.Config)
	return nil
}

// finishErase goes on with what an earlier process was asked to erase and could
// not.
func (n *Node) finishErase() error {
	if _, err := os.Stat(eraseMarkerPath(n.opts.Paths)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := Erase(n.opts.Paths); err != nil {
		return err
	}
	n.log.Info("What an earlier run was told to erase is erased now")
	return n.opts.Paths.Create()
}
