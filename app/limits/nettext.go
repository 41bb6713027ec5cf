package limits

// netIsWork is the value of schedule.net that follows schedule.work.
const netIsWork = "work"

// NetText is the setting schedule.net of a Schedule, in its textual form.
type NetText struct{ Schedule *Schedule }

// MarshalText implements encoding.TextMarshaler.
func (n NetText) MarshalText() ([]byte, error) {
	if n.Schedule.NetIsWork {
		return []byte(netIsWork), nil
	}
	return n.Schedule.Net.MarshalText()
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (n NetText) UnmarshalText(text []byte) error {
	if string(text) == netIsWork {
		n.Schedule.Net, n.Schedule.NetIsWork = AllWeek(Full), true
		return nil
	}
	if err := n.Schedule.Net.UnmarshalText(text); err != nil {
		return err
	}
	n.Schedule.NetIsWork = false
	return nil
}
