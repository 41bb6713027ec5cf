package x11

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/sense/local"
)

// startX starts a display, or skips the test. It returns its name, and what ends it.
func startX(t *testing.T) (name string, end func()) {
	t.Helper()
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip("Xvfb is not installed: nothing is tested against a real display")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(path, "-displayfd", "3", "-screen", "0", "640x480x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	w.Close()
	line, err := bufio.NewReader(r).ReadString('\n') // it says so when it is ready
	if err != nil {
		t.Fatalf("Xvfb: %v", err)
	}
	return ":" + strings.TrimSpace(line), func() { cmd.Process.Kill() }
}

func TestReal_Xvfb(t *testing.T) {
	name, end := startX(t)
	host := local.Host{
		Getenv:   func(k string) string { return map[string]string{"DISPLAY": name}[k] },
		Dial:     local.Dial,
		ReadFile: os.ReadFile,
	}
	open := func() *Display {
		x, err := Open(t.Context(), host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(x.Close)
		return x
	}
	x, user := open(), open()
	send := func(b []byte) {
		if err := user.write(b); err != nil {
			t.Fatal(err)
		}
	}
	atom := func(name string) uint32 {
		a, err := user.atom(name)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	set := func(name, kind string, values ...uint32) {
		body := longs(user.root, atom(name), atom(kind), 32, uint32(len(values)))
		send(request(18, 0, append(body, longs(values...)...)))
	}
	if guest, err := x.Guest(); guest || err != nil {
		t.Errorf("Guest = %t, %v", guest, err)
	}

	opcode, err := user.extension("XTEST")
	if err != nil || opcode == 0 {
		t.Fatalf("no XTEST: %v", err)
	}
	const while = 100 * time.Millisecond
	idle := func() time.Duration {
		d, err := x.Idle()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for idle() < while {
		time.Sleep(while / 10)
	}
	motion := make([]byte, 32)
	motion[0] = 6
	for at := uint16(1); ; at++ {
		binary.LittleEndian.PutUint16(motion[20:], at%600)
		if send(request(opcode, 2, motion)); idle() < while {
			break
		}
	}

	set("_NET_SUPPORTED", "ATOM", atom("_NET_ACTIVE_WINDOW"))
	set("_NET_ACTIVE_WINDOW", "WINDOW", user.root)
	w, err := x.Window()
	if err != nil {
		t.Fatal(err)
	}
	until := func(want string) {
		for {
			full, err := w.FullScreen()
			if got := fmt.Sprint(full, err != nil); got == want {
				return
			}
			if err := x.Wait(time.Minute); err != nil && want != "false true" {
				t.Fatalf("not %s: %v", want, err)
			}
		}
	}
	until("false false")
	set("_NET_WM_STATE", "ATOM", atom("_NET_WM_STATE_FULLSCREEN"))
	until("true false")
	end()
	until("false true")
}
