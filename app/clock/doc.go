// Package clock tells the time that politeness is counted by.
//
// The wall clock is set by people, by time servers and by operating systems that
// disagree about time zones; the clock behind Go's timers stands still while the
// computer sleeps. Neither may decide how long a site has been left alone. A
// Clock is one steady line instead: it starts from the wall clock once, the
// first time a node runs, and from then on goes by the clock that counts
// suspend and that nobody can set. Steps of the wall clock change nothing.
//
// # Restarts
//
// Due times are stored as points of the line, so the line has to go on where
// it was: the node stores State in every commit and opens the next Clock with it.
// Within one boot of the computer the line goes on exactly. Over a boot
// nothing but the wall clock knows how long the computer was off, and a wall
// clock may come up wrong: an empty battery, two operating systems with two ideas
// of the hardware clock's zone, years ahead. Two questions then want two answers.
//
//   - Has enough time passed? Gaps, back-off, holds and leases ask this, and a
//     wrong yes costs a site. [Clock.Now] counts only time that is certain: what
//     passed since the new boot, and no more than the wall clock admits. Time
//     the computer was off is not counted, whatever the wall clock says.
//   - Has too much time passed? The age of a robots.txt asks this, and a wrong
//     no breaks a promise. [Clock.Latest] also counts all that any rise of the
//     wall clock says may have passed.
//
// No bound on a forward jump would do instead: waits are a day at most, so any
// jump that a computer switched off overnight needs is one that a wrong clock
// can use to drop them all. The price is that a wait goes on where it was when
// the computer was switched off. Gaps of seconds do not notice; a back-off
// of a day may take a few days where the computer runs in the evenings; and after a
// year off, all is due within a day of running at the latest.
//
// # Which clock to use
//
//   - Now: due times, gaps, back-off, leases, wants, pace.
//   - Latest: when a robots.txt was fetched, and whether it is still fresh.
//   - time.Now: what others read (WARC-Date, statistics by the hour, logs,
//     events), what others sent (dates in Retry-After, certificates), and
//     durations within one request.
//   - Wall: showing a due time to people.
//
// Points of the line and readings of time.Now must not meet in one comparison:
// they may lie years apart. This includes context.WithDeadline and the deadlines of
// sockets, which compare with time.Now; give them durations.
//
// # Waiting
//
// Timers of the time package do not run in suspend and know nothing of the
// line. Whoever waits for a point of the line takes a timer for what is left,
// ten seconds at most, and then looks at the line again.
package clock
