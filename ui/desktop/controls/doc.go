// Package controls is what a person works with: buttons, boxes to tick, cards to choose from and menus. All of
// them are worked by mouse and by keys, and scroll into sight when they get the focus.
package controls
