package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/conns"
	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/api/server"
	"github.com/forage-net/forage/ui/cli/env"
)

// refuserNode is a node of which nothing works but what this file needs.
type refuserNode struct {
	api.Node
	boot string
}

func (n *refuserNode) Status(context.Context) (api.Status, error) {
	return api.Status{Identity: api.Identity{BootID: n.boot}}, nil
}

func (n *refuserNode) Never(_ context.Context, text string, undo bool) (api.NeverChange, error) {
	if text == "full.example" {
		return api.NeverChange{}, errors.New("the disk is full")
	}
	return api.NeverChange{Pattern: text, Never: !undo, Changed: true, Text: "The node knows " + text + "."}, nil
}

func (n *refuserNode) NeverList(context.Context) (api.NeverList, error) {
	return api.NeverList{Sites: []string{"of-the-node.example"}}, nil
}

// serveRefuser runs the API of a refuserNode in a home until the test ends.
func serveRefuser(t *testing.T, home string) {
	t.Helper()
	serve(t, home, func(boot string) api.Node { return &refuserNode{boot: boot} })
}

// serve runs the API of a node in a home until the test ends.
func serve(t *testing.T, home string, node func(boot string) api.Node) {
	t.Helper()
	e := &env.Env{Home: home}
	if err := e.FindPaths(); err != nil {
		t.Fatal(err)
	}
	if err := e.Paths.Create(); err != nil {
		t.Fatal(err)
	}
	ln, err := conns.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := descriptor.Descriptor{Addr: ln.Addr().String(), Token: descriptor.NewToken(), PID: 1,
		BootID: descriptor.NewBootID(), Started: time.Now()}
	if err := descriptor.Write(e.Paths.State, d); err != nil {
		t.Fatal(err)
	}
	server := server.New(server.Config{Node: node(d.BootID), Token: d.Token, BootID: d.BootID})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// forage runs a command line in a home.
func forage(home, line string) (code int, out, complaint string) {
	return forageArgs(home, strings.Fields(line)...)
}

// forageArgs is forage for arguments that may have blanks.
func forageArgs(home string, args ...string) (code int, out, complaint string) {
	var o, e bytes.Buffer
	code = Main(append(args, "--home", home), &o, &e)
	return code, o.String(), e.String()
}

func TestNever_WithoutANode(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		args     string
		code     int
		out, err string
	}{
		{"never https://www.example.org/a?b bücher.example/shop", env.ExitOK,
			"This computer will not visit example.org.\nThis computer will not visit xn--bcher-kva.example/shop.\n",
			""},
		{"never example.org", env.ExitOK,
			"example.org was already on your list. This computer does not visit it.\n", ""},
		{"never --undo example.org", env.ExitOK,
			"example.org may be visited from this computer again, within a day.\n", ""},
		{"never --undo example.org", env.ExitError, "",
			"forage: example.org is not on your list; \"forage never --list\" shows it\n"},
		{"never --undo adnxs.com", env.ExitError, "",
			"forage: adnxs.com is on the built-in list (advertising or measurement, no pages), which is always in force\n"},
		{"never", env.ExitUsage, "",
			"forage: say which site: \"forage never example.org\", or \"forage never --list\"\n"},
		{"never --list a.org", env.ExitUsage, "", "forage: \"forage never --list\" takes nothing more\n"},
		{"never --list --undo", env.ExitUsage, "", "forage: \"forage never --list\" takes nothing more\n"},
		{"never good.org user@bad.org", env.ExitUsage, "",
			"forage: \"user@bad.org\" is an e-mail address; for its site, write bad.org\n"},
		{"never org", env.ExitUsage, "",
			"forage: \"org\" is a whole top-level domain; use \"forage set tld.never=org\"\n"},
		{"set tld.never=zip,рф", env.ExitOK,
			"tld.never = [\"zip\", \"рф\"], in force from the next start.\n", ""},
		{"never org", env.ExitUsage, "",
			"forage: \"org\" is a whole top-level domain; use \"forage set tld.never=zip,рф,org\"\n"},
		{"never --undo http://zip/", env.ExitUsage, "",
			"forage: \"zip\" is a whole top-level domain; use \"forage set tld.never=рф\"\n"},
		{"set tld.never=", env.ExitOK, "tld.never = [], in force from the next start.\n", ""},
		{"never good.org co.uk", env.ExitUsage, "",
			"forage: \"co.uk\" is not one site: anybody can have one below it, and all of them would be meant. Add --all-of-it if they are\n"},
		{"never github.io", env.ExitUsage, "",
			"forage: \"github.io\" is not one site: anybody can have one below it, and all of them would be meant. Add --all-of-it if they are\n"},
		{"never https://GitHub.io/", env.ExitUsage, "",
			"forage: \"github.io\" is not one site: anybody can have one below it, and all of them would be meant. Add --all-of-it if they are\n"},
		{"never --all-of-it co.uk", env.ExitOK, "This computer will not visit co.uk.\n", ""},
		{"never --undo co.uk", env.ExitOK, "co.uk may be visited from this computer again, within a day.\n", ""},
		{"get sites.never", env.ExitOK, "[\"xn--bcher-kva.example/shop\"]\n", ""},
	} {
		if code, out, complaint := forage(home, c.args); code != c.code || out != c.out || complaint != c.err {
			t.Errorf("forage %s: exit code %d\nout: %s\nerr: %s\nwant %d\n%s\n%s", c.args, code, out, complaint,
				c.code, c.out, c.err)
		}
	}
	code, out, _ := forage(home, "never --list")
	for _, want := range []string{"xn--bcher-kva.example/shop", "you chose it", "web.archive.org",
		"built-in list: an endless mirror of other sites"} {
		if code != env.ExitOK || !strings.Contains(out, want) {
			t.Errorf("the list misses %q:\n%s", want, out)
		}
	}
	var list api.NeverList
	if _, out, _ := forage(home, "never --list --json"); json.Unmarshal([]byte(out), &list) != nil ||
		len(list.Sites) != 1 || len(list.Builtin) == 0 {
		t.Errorf("the list as JSON: %s", out)
	}
	var changes []api.NeverChange
	if _, out, _ := forage(home, "never --json a.org b.org"); json.Unmarshal([]byte(out), &changes) != nil ||
		len(changes) != 2 || changes[1].Pattern != "b.org" {
		t.Errorf("the changes as JSON: %s", out)
	}
}

func TestIsSuffix(t *testing.T) {
	for pattern, want := range map[string]bool{
		"co.uk": true, "github.io": true, "foo.ck": true, "gov.au": true, "xn--55qx5d.cn": true,
		"example.org": false, "example.co.uk": false, "a.b.github.io": false, "www.ck": false,
		"github.io/a/*": false, "192.0.2.1": false, "[2001:db8::1]": false, "lab.test": false,
	} {
		if got := isSuffix(pattern); got != want {
			t.Errorf("isSuffix(%s) = %v", pattern, got)
		}
	}
}

func TestNever_WithANode(t *testing.T) {
	home := t.TempDir()
	serveRefuser(t, home)
	if code, out, complaint := forage(home, "never a.example --undo b.example"); code != env.ExitOK ||
		out != "The node knows a.example.\nThe node knows b.example.\n" {
		t.Errorf("exit code %d\nout: %s\nerr: %s", code, out, complaint)
	}
	if code, out, complaint := forage(home, "never a.example full.example c.example"); code != env.ExitError ||
		out != "The node knows a.example.\n" || complaint != "forage: the disk is full\n" {
		t.Errorf("exit code %d\nout: %s\nerr: %s", code, out, complaint)
	}
	if _, out, _ := forage(home, "never --list"); !strings.Contains(out, "of-the-node.example") {
		t.Errorf("the list is not the node's: %s", out)
	}
	if _, err := os.Stat(filepath.Join(home, "config.toml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the settings were written beside the node: %v", err)
	}
}
