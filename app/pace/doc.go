// Package pace keeps the processor time of this process within a share of the machine.
//
// What counts is measured, not guessed: the time that the system says the process has
// used, whatever it was for. A [Pacer] holds a bucket of CPU seconds that refills at the share the
// user gives and is debited with what was measured. Work calls [Pacer.Wait] before each piece; in
// credit it goes on at once, else it waits in line, first come first served. The smaller the pieces,
// the smoother the load.
//
// Not all work waits (talking to peers does not), but all of it is debited, so the pieces
// that wait make room for it. A debt is carried over, up to what ten seconds refill: the
// mean of ten seconds is what users are promised. Credit is held for a quarter of a second only,
// so nothing comes in bursts, neither after a pause nor after the computer slept.
package pace
