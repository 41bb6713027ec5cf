// Package resident gives back the memory that the text of a program takes while the process rests. Most of it was
// run once, at the start: the system keeps it in its cache of files, from which a part comes back within microseconds
// when it is run again, and can use the room for others without asking.
package resident
