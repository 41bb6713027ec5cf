// Package settings reads and changes what a node's settings file says while the node runs, and says it in words.
//
// A [Keeper] reads the file when it has been saved, and has the parts go by what it says now. If the file is wrong or
// gone, the last good settings stay in force, and front ends are told what is wrong. Some settings hold from the next
// start on. Consent is a setting, too: who agrees, with settings that go together, has it written in one step.
//
// A Keeper is safe for concurrent use. It stores nothing but the file itself (app/config).
package settings
