//go:build linux

package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// screenWidth and screenHeight are the size of the screen in pixels: a window with the panel above it.
const screenWidth, screenHeight = 1280, 860

// display is a desktop of its own: an X server, a session bus, a window manager, and a panel with a place for tray
// icons. Nothing of it is shared with the desktop of whoever runs the tests.
type display struct {
	dir   string
	env   []string // of everything that runs on it
	parts []*process
	// opened is the file to which the browser that stands in writes the addresses it is given.
	opened string
}

// openDisplay starts a desktop. flags are those of the X server; panel says whether there is one.
func openDisplay(panel bool, flags ...string) (*display, error) {
	dir, err := os.MkdirTemp("", "forage-desktop-")
	if err != nil {
		return nil, err
	}
	d := &display{dir: dir, opened: filepath.Join(dir, "opened")}
	if err := d.open(panel, flags); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *display) open(panel bool, flags []string) error {
	if err := d.furnish(); err != nil {
		return err
	}
	d.env = []string{
		"PATH=" + filepath.Join(d.dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + d.dir, "LANG=en_US.UTF-8", "TZ=UTC",
		"XDG_CONFIG_HOME=" + d.dir + "/config", "XDG_DATA_HOME=" + d.dir + "/share", "XDG_STATE_HOME=" + d.dir + "/state",
		"XDG_CACHE_HOME=" + d.dir + "/cache", "XDG_RUNTIME_DIR=" + d.dir + "/run", "XDG_CURRENT_DESKTOP=XFCE",
		"XDG_SESSION_TYPE=x11", "NO_AT_BRIDGE=1", "GTK_OVERLAY_SCROLLING=0", "GSETTINGS_BACKEND=memory",
		"DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent/bus", "LIBGL_ALWAYS_SOFTWARE=1", "FYNE_THEME=light",
		"FYNE_DISABLE_DPI_DETECTION=1",
	}
	number, err := d.answering("Xvfb", append([]string{"-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", screenWidth, screenHeight),
		"-nolisten", "tcp", "-noreset", "-wr", "-fbdir", filepath.Join(d.dir, "screen")}, flags...)...)
	if err != nil {
		return err
	}
	d.env = append(d.env, "DISPLAY=:"+number)
	bus, err := d.answering("dbus-daemon", "--session", "--nofork", "--nosyslog", "--print-address=3", "--address=unix:path="+d.dir+"/bus")
	if err != nil {
		return err
	}
	d.env = append(d.env, "DBUS_SESSION_BUS_ADDRESS="+bus)
	if err := d.run("openbox", "--sm-disable"); err != nil {
		return err
	}
	if !panel {
		return nil
	}
	return d.run("xfce4-panel", "--disable-wm-check")
}

// furnish writes what the parts read when they start.
func (d *display) furnish() error {
	for _, name := range []string{"bin", "run", "screen", "share", "state", "cache", "config/xfce4/xfconf/xfce-perchannel-xml"} {
		if err := os.MkdirAll(filepath.Join(d.dir, name), 0o700); err != nil {
			return err
		}
	}
	browser := "#!/bin/sh\nprintf '%s\\n' \"$@\" >> " + d.opened + "\n"
	for _, name := range []string{"xdg-open", "x-www-browser", "sensible-browser"} {
		if err := os.WriteFile(filepath.Join(d.dir, "bin", name), []byte(browser), 0o700); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(d.dir, "config/xfce4/xfconf/xfce-perchannel-xml/xfce4-panel.xml"), []byte(panelSettings), 0o600)
}

// panelSettings are those of a panel at the top with a list of windows, and tray icons and a clock at its right end.
const panelSettings = `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="length" type="uint" value="100"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="icon-size" type="uint" value="22"/>
      <property name="size" type="uint" value="32"/>
      <property name="plugin-ids" type="array">
        <value type="int" value="1"/>
        <value type="int" value="2"/>
        <value type="int" value="3"/>
      </property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="tasklist"/>
    <property name="plugin-2" type="string" value="separator">
      <property name="expand" type="bool" value="true"/>
      <property name="style" type="uint" value="0"/>
    </property>
    <property name="plugin-3" type="string" value="systray">
      <property name="square-icons" type="bool" value="true"/>
    </property>
  </property>
</channel>
`

// answering starts a part that writes one line to its file 3 when it can be used, and returns that line.
func (d *display) answering(name string, args ...string) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	p := &process{cmd: exec.Command(name, args...), ended: make(chan struct{})}
	p.cmd.Env, p.cmd.ExtraFiles = d.env, []*os.File{w}
	err = p.start()
	w.Close()
	if err != nil {
		return "", err
	}
	d.parts = append(d.parts, p)
	r.SetReadDeadline(time.Now().Add(patience))
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%s does not say that it runs: %w\n%s", name, err, p.out.String())
	}
	return strings.TrimSpace(line), nil
}

func (d *display) run(name string, args ...string) error {
	p, err := launch(d.env, name, args...)
	if err == nil {
		d.parts = append(d.parts, p)
	}
	return err
}

// close ends everything that runs on the desktop, and removes what it wrote.
func (d *display) close() {
	for _, pid := range living("HOME="+d.dir, "") {
		if !d.part(pid) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	for i := len(d.parts) - 1; i >= 0; i-- {
		d.parts[i].kill()
	}
	os.RemoveAll(d.dir)
}

func (d *display) part(pid int) bool {
	for _, p := range d.parts {
		if p.cmd.Process.Pid == pid {
			return true
		}
	}
	return false
}

// do runs a short program on the desktop and returns what it printed.
func (d *display) do(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = d.env
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// browsed lists the addresses that the browser was given.
func (d *display) browsed() []string {
	text, err := os.ReadFile(d.opened)
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}
