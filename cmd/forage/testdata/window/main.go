// Window stands in for forage-window in tests: it follows the node's events as a window does, and writes what
// it is told into the file that STANDIN_LOG names.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/ui/open"
)

func main() {
	home := flag.String("home", "", "")
	page := flag.String("page", "", "")
	flag.Parse()
	say("start %d page=%s", os.Getpid(), *page)
	if code, err := strconv.Atoi(os.Getenv("STANDIN_EXIT")); err == nil {
		fmt.Fprintln(os.Stderr, "forage-window: it is too dark")
		os.Exit(code)
	}
	if os.Getenv("STANDIN_CRASH") != "" {
		panic("in the dark")
	}
	os.Exit(follow(*home, *page))
}

func follow(home, page string) int {
	where, err := open.At(home)
	if err != nil {
		say("error %v", err)
		return 1
	}
	node, err := client.Dial(where.StateDir)
	if err != nil {
		say("error %v", err)
		return 1
	}
	show := func(page string) { say("show %s", page) }
	err = node.FollowWindow(context.Background(), "", 0, func(api.EventPage) error { return nil }, show)
	if errors.Is(err, api.ErrOtherWindow) {
		raised, err := node.ShowWindow(context.Background(), page)
		say("other %v %v", raised, err)
		return open.ExitRaised
	}
	say("end %v", err)
	return 0
}

func say(format string, args ...any) {
	f, err := os.OpenFile(os.Getenv("STANDIN_LOG"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintf(f, format+"\n", args...)
}
