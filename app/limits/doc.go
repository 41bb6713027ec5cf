// Package limits decides when a node may work, and how much. It is the arbiter between
// the user's settings and everything a node would like to do.
//
// [Decide] is one pure function: settings, one reading of every sensor, what is
// remembered, and the time go in; the level, the footing, the budgets, all reasons that hold and
// the time of the next change come out. It reads no clock, no file and no
// global, so what front ends say, what is enforced and what tests see is the same thing.
//
// # Rules
//
// A rule looks at its own part of the input and adds a [Reason] where it allows less
// than everything. The level is the least that any reason allows, and the footing the most
// quiet one that any asks for; rules do not know of each other. One thing lifts rules: timed work,
// by which a user at the computer asks to see forage working. It lifts what is there for the sake of
// the user's presence and of the hours of work, and nothing that costs money, wears the
// battery or was never agreed to.
//
// # Time
//
// A [Clock] has two hands. The wall clock, in the user's time zone, decides in which
// cell of a week it is and when a day of data begins; daylight saving is in it. All that lasts
// (idle time, holds, a pause of an hour) goes by the steady hand, which nobody can set and
// which counts suspend: a wall clock that jumps neither ends nor prolongs it.
//
// Rules remember in [State], which Decide returns again, and only what they saw at a change of
// their input. Calling Decide at each change of a sensor and at each announced
// change gives the same as calling it every second.
//
// # What is not known
//
// A [Reading] is known, unknown or absent. A sensor that should answer and does not counts
// as a user at the computer, and a reason says so. Absent is what cannot be on this computer, such as
// a battery in a desktop, or what its system has no way to tell: its rule has no
// effect, and the doctor lists it. The time of the last input is the exception: without it nobody
// knows whether the user is there, so absent is unknown.
package limits
