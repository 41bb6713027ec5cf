// Package raftlog is the log of a shard: etcd's Raft, its entries in memory, and how they lie on disk. A log is short,
// as the record that it orders is small. What its entries say is for its user, package shard.
package raftlog
