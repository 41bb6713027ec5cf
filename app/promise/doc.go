// Package promise keeps account of what a node was allowed and what it used, so that its user need not
// believe it: one record a minute for a day, and every breach of a limit that lasted.
//
// A [Recorder] is told about once a second what is allowed and what was measured. What is paced is judged
// by the mean of a while, as it is promised: CPU and rates by that of 10 s, pages by that of a minute.
// The mean of what was used is held against the mean of what was allowed in the same while, so that a limit
// that was just lowered does not make a breach of what was used before. A limit of 0 is not paced: there it is
// judged by each sample.
//
// A lowered limit counts after a grace, since stopping takes up to 2 s. What is above its limit
// and tolerance for more than 5 s is a [Breach].
//
// Times go by the steady hand of [limits.Clock] and are told as the wall clock would have shown
// them: a clock that is set neither makes nor hides anything. Where no sample came, as in suspend, there is
// a gap: it counts as nothing, neither kept nor broken, and not as 0.
//
// All is pure: no clock, no file, no goroutine. A Recorder is not for concurrent use.
package promise
