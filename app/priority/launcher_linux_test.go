package priority

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// launcherVariable makes a child of the test lower itself and start programs, which print what they are.
const launcherVariable = "FORAGE_TEST_LAUNCHER"

// What a launcher starts has the priority of before, in CPU, I/O and the group of its session, while all threads of the process are
// lowered, those that came later too.
func TestLauncher(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), launcherVariable+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	nice, io, err := priorities(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("launched %d %d ", nice, io)
	if _, err := os.Stat(autogroup); err == nil {
		want += "nice 0 "
	}
	want += fmt.Sprintf("lowered %d %d", nicest, ioIdle)
	if got := strings.Join(strings.Fields(string(out)), " "); !strings.HasPrefix(got, want) {
		t.Errorf("the programs are %q, want %q", got, want)
	}
}

// launchBoth is what the child does.
func launchBoth() error {
	l := NewLauncher()
	defer l.Close()
	if err := Lower(l); err != nil {
		return err
	}
	_, free := holdThreads(new(testing.T), 10)
	defer free()
	if err := Lower(l); err != nil {
		return err
	}
	if err := printOf("launched", l.Start); err != nil {
		return err
	}
	return printOf("lowered", (*Launcher)(nil).Start)
}

// printOf starts a program that prints what it is.
func printOf(name string, start func(*exec.Cmd) error) error {
	var out, errs bytes.Buffer
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), launcherVariable+"="+name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := start(cmd); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return errors.Join(err, errors.New(errs.String()))
	}
	_, err := os.Stdout.Write(out.Bytes())
	return err
}
