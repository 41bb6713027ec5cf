// Package limiter keeps a node within what its user allows, and says what holds now and why.
//
// An [Arbiter] is the one place where settings, sensors and what the user asks for by hand come together. It decides
// again and again (package limits) and has the parts that use the computer keep to it: fetchers, processor, bandwidth,
// connections, memory, footing (package footing). A [Governor] alone starts and stops the fetchers; limits are one of
// the reasons why it may not. [Rules] say whose limits hold at all: a lab does without most.
//
// Both are safe for concurrent use. What the user asked for and what was used outlive a restart: they are kept in the
// store, under "limits" among what it says of itself.
package limiter
