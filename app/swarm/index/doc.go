// Package index gives the frontier's indexes (queues, due times, Bloom filters) to the domains that this node
// acts for, and takes them from those that others lead. A follower has items alone: indexes are built from
// them, never sent.
package index
