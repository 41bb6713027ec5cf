package extract

import "strings"

// Reservation is whether rights to mine text and data are reserved (TDM
// Reservation Protocol, W3C Community Group Final Report of 10 May 2024).
type Reservation uint8

// The values of tdm-reservation. Any other value counts as unset.
const (
	ReservationUnset Reservation = iota
	NotReserved
	Reserved
)

// ReservationHeader is the header that states a reservation.
const ReservationHeader = "Tdm-Reservation"

// ParseReservation reads one value of tdm-reservation.
func ParseReservation(value string) Reservation {
	switch strings.TrimSpace(value) {
	case "0":
		return NotReserved
	case "1":
		return Reserved
	}
	return ReservationUnset
}

// HeaderReservation returns what the lines of ReservationHeader say together:
// one that reserves is enough.
func HeaderReservation(lines []string) (r Reservation) {
	for _, line := range lines {
		for value := range strings.SplitSeq(line, ",") {
			r = max(r, ParseReservation(value))
		}
	}
	return r
}
