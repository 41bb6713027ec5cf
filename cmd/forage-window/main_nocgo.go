//go:build !cgo

// Forage-window is the window of a forage node. This one was built without CGO, and can show none.
package main

import (
	"os"

	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/ui/open"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr, show)) }

func show(*client.Client, open.Where, options) error {
	return noWindowError("it was built without CGO")
}
