// Package footing keeps a node to how far it takes part in the swarm now: on duty, on standby, or silent
// (limits.Footing). It decides nothing: when which footing is taken is for the limits to say.
//
// A [Gate] stands before all calls. On standby it counts what they bring and tells those that would not get through in
// time to come again, and when. It needs no other part, so that the way into the network can be made with it. A
// [Changer] takes footings, one after another: to fall silent, a node gives its leases back, hands the shards that it
// leads to others of their lines and tells them; when it is back, it pulls what it missed and leads again.
//
// Both are safe for concurrent use, and store nothing.
package footing
