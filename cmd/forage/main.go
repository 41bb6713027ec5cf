// Forage lends an idle computer to a crawl of the web. This is the node and
// its command line.
package main

import (
	"os"

	"github.com/forage-net/forage/ui/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
