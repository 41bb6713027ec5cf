// Package nodeapi is what front ends see of a node. Each type answers for one room of the API: an Overview says what
// the node does and with whom, a Picture draws the members, an Inquiry says what became of an address, an Examiner
// looks at the files. A Reader answers some of the same questions from the files of a node that does not run.
package nodeapi
