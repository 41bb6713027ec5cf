package open

import (
	"bytes"
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

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
)

// ErrNoDisplay is returned where nothing that is opened can be seen.
var ErrNoDisplay error = words.New("said.open.no-display", nil)

// errNoBrowser is returned where no browser opens a page.
var errNoBrowser error = words.New("said.open.no-browser-could-be-started", nil)

const (
	// openerName is the page that leads a browser to the dashboard.
	openerName = "open-dashboard.html"
	// askBrowser is how long it may take to find out which browser is the usual one.
	askBrowser = 2 * time.Second
	// openerFails is how long what opens a page has to say that there is no browser.
	openerFails = time.Second
)

// Link opens a link in the user's browser. What a program is started with can be read by everybody on
// the computer, so the browser is not given the link but a file of the user that leads to it. The link in
// it works once.
func Link(ctx context.Context, w Where, link string) error {
	err := w.browse(ctx, openerName, openerPage(link))
	if err != nil && err != ErrNoDisplay {
		err = words.New("said.open.dashboard", words.Args{"error": err})
	}
	return err
}

// browse shows a page, which nobody but the user can read, in the browser.
func (w Where) browse(ctx context.Context, name, page string) error {
	if !HasDisplay() {
		return ErrNoDisplay
	}
	path := filepath.Join(openerDir(w.StateDir, w.usualBrowser(ctx)), name)
	if err := writePrivate(path, page); err != nil {
		return err
	}
	program, args := opener(runtime.GOOS, fileURL(runtime.GOOS, path))
	cmd := exec.Command(program, args...) // not with ctx: it may live on as the browser
	detach(cmd)
	if err := w.start(cmd); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // so that it leaves nothing behind while we live
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%w: %w", errNoBrowser, err)
		}
	case <-time.After(openerFails): // it has become the browser
	case <-ctx.Done():
	}
	return nil
}

// troubleName is the page that says why there is nothing to open.
const troubleName = "forage-trouble.html"

// Trouble shows in the browser, in a language, why forage could not be started: who clicked an icon sees nothing else.
func Trouble(ctx context.Context, w Where, lang, reason string) error {
	title := html.EscapeString(words.Text(lang, "open.trouble", nil))
	more := html.EscapeString(words.Text(lang, "open.trouble.more",
		words.Args{"file": filepath.Join(w.StateDir, NodeLog)}))
	page := "<!doctype html>\n<html lang=\"" + html.EscapeString(lang) + "\">\n<meta charset=\"utf-8\">\n<title>" +
		title + "</title>\n<h1>" + title +
		"</h1>\n<p>" + html.EscapeString(reason) + "</p>\n<p>" + more + "</p>\n"
	return w.browse(ctx, troubleName, page)
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
		"<meta http-equiv=\"refresh\" content=\"0; url=" + link + "\">\n<title>forage</title>\n<p><a href=\"" + link +
		"\">forage</a></p>\n"
}

// writePrivate puts a file in place that nobody but the user can read.
func writePrivate(path, text string) error {
	return durable.Change{Fleeting: true}.Write(path, []byte(text))
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

// erasePages removes the pages that browsers were given, wherever they could read them, whichever browser is the usual
// one now.
func erasePages(stateDir string) error {
	dirs := []string{stateDir}
	if home, err := os.UserHomeDir(); err == nil {
		snaps, _ := os.ReadDir(filepath.Join(home, "snap")) // most have none
		for _, snap := range snaps {
			dirs = append(dirs, filepath.Join(home, "snap", snap.Name(), "common"))
		}
	}
	var all error
	for _, dir := range dirs {
		for _, name := range []string{openerName, troubleName} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				all = errors.Join(all, words.New("said.open.erase-page", words.Args{"error": err}))
			}
		}
	}
	return all
}

// usualBrowser returns the name of the desktop file of the user's browser, "" if that cannot be found out.
func (w Where) usualBrowser(ctx context.Context) string {
	if runtime.GOOS != "linux" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, askBrowser)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "xdg-settings", "get", "default-web-browser")
	cmd.Stdout, cmd.WaitDelay = &out, askBrowser // what it started may hold its output open
	if w.start(cmd) != nil || cmd.Wait() != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

// EraseLogs removes what programs have written in a state directory. A node that still runs goes on with an empty file.
// With it go the pages that led browsers to the dashboard.
func EraseLogs(stateDir string) error {
	all := erasePages(stateDir)
	for _, name := range []string{NodeLog, WindowLog} {
		path := filepath.Join(stateDir, name)
		for _, err := range []error{os.Truncate(path, 0), os.Remove(path + oldLog)} {
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				all = errors.Join(all, words.New("said.open.erase-log", words.Args{"error": err}))
			}
		}
	}
	return all
}
