// Package near finds the fetcher that is near to a site, without a request that would not be made anyway.
//
//   - coordinate.go: where nodes are in a space in which distances are round trips: Vivaldi (Dabek et al. 2004)
//   - search.go: who is tried next, from what those tried before measured
//   - record.go: what is remembered of a site: the nearest fetchers, and when to look for another
//   - plane.go: in which direction others are, for a picture
//   - shares.go: how many sites a fetcher may have, however near it says it is
//
// All of it is arithmetic: no clock, no network, no goroutine. Nothing here is safe for concurrent use.
package near
