// Package oldgroup keeps logs that several members hold together.
//
// A log is a sequence of entries, bytes that this package does not look into. Each
// is a group of Raft: its members elect a leader, the leader proposes entries, and an
// entry is committed once a majority of the voters has it on disk. Every member gives
// the committed entries to its Machine in the same order. Learners have the log too,
// but neither vote nor count. A log with one member commits by itself, in one
// transaction, and keeps no entries.
//
// Raft is the library go.etcd.io/raft. What is added here is where its entries and
// messages go, and who the members are.
//
// # On disk
//
// Below the bucket of a log, in the bucket "raft", are one record (who this member is,
// its term and vote, the members, what is applied) and the entries that are kept. An
// entry is applied in the transaction that says so, on followers some seconds later and many in
// one; a message leaves after the transaction it speaks of. If a transaction fails, everything in memory is thrown
// away and read again, as after a crash.
//
// # Members
//
// Raft knows members by numbers. The log gives them: each new member gets the next
// one, and none is given twice, so that a member whose disk is lost is not taken for
// what it was. A node that the leader made a learner begins empty, and only then; one
// that has lost what it had says so, and is to be removed and added again. So does one whose
// store was set back (Groups.SetBack): it does not know what it acknowledged, and for whom it voted.
//
// # Copies
//
// Entries that all members have are dropped. A member that needs older ones copies the
// state: it asks the leader for one piece after another, each read from the same
// transaction of the leader, and its Machine makes its own state equal. Until all is
// there it neither applies entries nor stands for election; it does vote, since its
// entries and votes are whole.
//
// # Silence
//
// A group in which nothing happens sends nothing: once all members have all entries
// the leader says so, and all clocks stop. Who watches the members tells the
// group that a leader is down (LeaderDown), and one member to stand for election
// (Campaign). A member that starts says hello.
//
// # Concurrency
//
// Everything may be called by many goroutines. A group has a mutex and no goroutine:
// who calls does the work. Groups.Serve runs the clock, sends, copies, and calls
// Config.Led, Dropped and Epoch, all from one goroutine without locks held.
package oldgroup
