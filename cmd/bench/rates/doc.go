// Package rates measures whether a budget (package bandwidth) holds. A node that is
// under one fetches pages from six sites, and asks and answers two peers, one over
// TCP and one over QUIC, in all classes, all as fast as they may. All of them are in one
// process on loopback; only the node has a budget.
//
// What moved is counted three times: at the node's socket calls, at those of the
// sites and peers, and by the kernel (TCP_INFO, on Linux and for TCP only).
package rates
