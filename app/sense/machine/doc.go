// Package machine reads what Linux tells of the computer in its files: batteries, temperatures, fans and links
// in sysfs, processors, processes and routes in proc.
//
// Each function reads at once, from the root of sysfs or proc that it is given, and follows nothing. Files are of other
// hands as well, drivers and containers: what is read is bounded, and what cannot be is not believed. A computer that
// has no such thing is told from one where reading fails by the error (see local.Lacks).
package machine
