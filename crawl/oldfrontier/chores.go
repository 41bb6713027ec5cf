package frontier

import "github.com/forage-net/forage/storage"

// hasChores reports whether moves have left something to do.
func hasChores(tx *storage.Tx, logID string) (bool, error) {
	b, err := openBuckets(tx, logID)
	if err != nil {
		return false, err
	}
	if _, ok := b.restOf(); ok {
		return true, nil
	}
	moves, err := b.liveMoves()
	for _, mv := range moves {
		if mv.State == MoveOpening || mv.State == MoveAborting {
			return true, err
		}
	}
	return false, err
}

// chores does a piece of what moves have left to do, and reports whether there
// is more: domains that are gone are deleted, moves that are to end end, and
// what is long over is forgotten.
func (m *machine) chores() (more bool, err error) {
	room := m.cfg.piece
	for room > 0 {
		name, ok := m.b.restOf()
		if !ok {
			break
		}
		if err := m.sweep(name, &room); err != nil {
			return false, err
		}
	}
	if m.meta.Moves > 0 {
		if err := m.endMoves(&room); err != nil {
			return false, err
		}
	}
	if err := m.pruneGone(); err != nil {
		return false, err
	}
	return room <= 0, m.pruneMoves()
}

// endMoves goes on with moves that are to end.
func (m *machine) endMoves(room *int) error {
	moves, err := m.b.liveMoves()
	if err != nil {
		return err
	}
	for _, mv := range moves {
		r := moveRecord{State: mv.State, Seq: mv.Seq, Mark: mv.Mark, Orphan: mv.Orphan}
		switch {
		case *room <= 0:
			return nil
		case mv.State == MoveOpening:
			_, err = m.open(mv.From, mv.N, r, room)
		case mv.State == MoveAborting:
			_, err = m.undo(mv.From, mv.N, r, room)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
