// Package reserve reads tdmrep.json, the file in which a site says for which of
// its paths it reserves the rights to mine text and data (TDM Reservation
// Protocol, W3C Community Group Final Report of 10 May 2024).
//
// In doubt a reservation counts: what is written in a file before it breaks is
// good, and slips that leave no doubt of what is meant are overlooked. Rules are
// values that nobody changes.
package reserve
