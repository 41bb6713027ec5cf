// Package signed is the form that items of a roster share: Ed25519 keys as peer IDs, signatures bound to a network, and
// vouches, by which a member says that it has met another.
package signed
