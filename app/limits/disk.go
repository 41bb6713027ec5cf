package limits

const (
	// AlwaysFree is how many bytes are kept free whatever the settings say: a store needs room to commit.
	AlwaysFree = 64 << 20
	// diskSlack must come back after the disk was full before work goes on.
	diskSlack = 16 << 20
)

// Allowed returns how many bytes may be stored by these rules, NoLimit never, and the kind of the
// rule that is met first.
func (d Disk) Allowed(space DiskSpace) (bytes int64, rule Kind) {
	used, free, total := max(space.Used, 0), max(space.Free, 0), max(space.Total, 0)
	bytes, rule = satAdd(used, free)-max(d.KeepFree, AlwaysFree), DiskNearlyFull
	if d.Max != NoLimit && max(d.Max, 0) < bytes {
		bytes, rule = max(d.Max, 0), DiskMaxReached
	}
	if d.MaxPercent != NoLimit && total > 0 {
		if share := total / 100 * int64(min(max(d.MaxPercent, 0), 100)); share < bytes {
			bytes, rule = share, DiskShareReached
		}
	}
	return max(bytes, 0), rule
}

// disk keeps to the room there is.
func (e *eval) disk() {
	d := e.cfg.Disk
	if proper(d.Max) == 0 {
		e.addZero("disk.max", false)
	}
	space, ok := e.s.Disk.Get()
	if !ok {
		e.diskAllowed, e.diskLeft = proper(d.Max), proper(d.Max)
		e.unknown(UnknownDisk)
		return
	}
	allowed, rule := d.Allowed(space)
	e.diskAllowed, e.diskLeft = allowed, max(allowed-max(space.Used, 0), 0)
	slack := int64(0)
	if e.st.diskFull {
		slack = diskSlack
	}
	e.st.diskFull = e.diskLeft <= slack
	if !e.st.diskFull || proper(d.Max) == 0 {
		return
	}
	r := Reason{Kind: rule, Allows: Off, Footing: Standby, Value: space.Used, Limit: allowed}
	if rule == DiskNearlyFull {
		r.Value, r.Limit = space.Free, max(d.KeepFree, AlwaysFree)
	}
	e.add(r)
}
