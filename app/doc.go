// Package app puts the parts of a node together: store, archive, frontier,
// fetchers, local API. New wires them and Serve runs them; every front end
// talks to the Node through its API and to nothing else.
package app
