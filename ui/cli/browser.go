package cli

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// errNoDisplay is returned where no browser can be seen.
var errNoDisplay = errors.New("there is no display")

const (
	// openerName is the page that leads a browser to the dashboard.
	openerName = "open-dashboard.html"
	// askBrowser is how long it may take to find out which browser is the usual one.
	askBrowser = 2 * time.Second
)

// openLink opens a link in the user's browser. What a program is started with can be read by everybody on
// the computer, so the browser is not given the link but a file of the user that leads to it. The link in
// it works once.
func openLink(ctx context.Context, stateDir, link string) error {
	if !hasDisplay(runtime.GOOS, os.Getenv) {
		return errNoDisplay
	}
	path := filepath.Join(openerDir(stateDir, usualBrowser(ctx)), openerName)
	if err := writePrivate(path, openerPage(link)); err != nil {
		return fmt.Errorf("open the dashboard: %w", err)
	}
	program, args := opener(runtime.GOOS, fileURL(runtime.GOOS, path))
	cmd := exec.Command(program, args...) // not with ctx: it may live on as the browser
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open the dashboard: %w", err)
	}
	go cmd.Wait() // so that it leaves nothing behind while we live
	return nil
}

// hasDisplay reports whether a window that is opened here can be seen by who started this.
func hasDisplay(goos string, env func(string) string) bool {
	if env("SSH_CONNECTION") != "" {
		return false
	}
	if goos == "windows" || goos == "darwin" {
		return true
	}
	return env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != ""
}

// opener returns the command that opens an address in the usual browser.
func opener(goos, address string) (program string, args []string) {
	switch goos {
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", address}
	case "darwin":
		return "open", []string{address}
	}
	return "xdg-open", []string{address}
}

// openerPage is a page that leads to a link at once, or by a click.
func openerPage(link string) string {
	link = html.EscapeString(link)
	return "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n" +
		"<meta http-equiv=\"refresh\" content=\"0; url=" + link + "\">\n<title>forage</title>\n<p><a href=\"" + link + "\">forage</a></p>\n"
}

// writePrivate puts a file in place that nobody but the user can read.
func writePrivate(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".open-*.tmp") // 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// fileURL returns the address of a file by its absolute path.
func fileURL(goos, path string) string {
	if goos == "windows" {
		path = "/" + strings.ReplaceAll(path, `\`, "/")
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// openerDir returns where a browser can read: one from a snap sees no hidden directories, but its own.
func openerDir(stateDir, browser string) string {
	name, _, found := strings.Cut(browser, "_") // the desktop file of a snap is SNAP_PROGRAM.desktop
	home, err := os.UserHomeDir()
	if !found || err != nil || name == "" || strings.ContainsAny(name, `/\.`) {
		return stateDir
	}
	dir := filepath.Join(home, "snap", name, "common")
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return stateDir
	}
	return dir
}

// usualBrowser returns the name of the desktop file of the user's browser, "" if that cannot be found out.
func usualBrowser(ctx context.Context) string {
	if runtime.GOOS != "linux" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, askBrowser)
	defer cancel()
	out, err := exec.CommandContext(ctx, "xdg-settings", "get", "default-web-browser").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
