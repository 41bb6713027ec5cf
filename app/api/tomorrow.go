package api

import "time"

// UntilTomorrow is how long a pause until tomorrow is: until six in the morning in the zone of now, when a new day
// begins for most; before four in the morning that is today's. It is at least a minute.
func UntilTomorrow(now time.Time) time.Duration {
	day := now.Day()
	if now.Hour() >= 4 {
		day++
	}
	at := time.Date(now.Year(), now.Month(), day, 6, 0, 0, 0, now.Location())
	return max(time.Minute, at.Sub(now).Round(time.Second))
}
