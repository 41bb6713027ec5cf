// Package e2e uses the dashboard as a person does: a real browser, a real node, the practice web.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
)

var (
	program string       // the node
	chrome  *rod.Browser // nil where there is no browser
)

// TestMain builds the program once, with the dashboard that "make dashboard" built, and starts a browser.
// FORAGE_E2E_PROGRAM names a program that is there already. Without a browser tests are skipped, unless
// FORAGE_NEED_BROWSER says that one must be there.
func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "forage-browser-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if program, err = buildProgram(dir); err != nil {
		return 0, err
	}
	path := findBrowser()
	if path == "" {
		if os.Getenv("FORAGE_NEED_BROWSER") != "" {
			return 0, fmt.Errorf("no browser: install Chromium")
		}
		return m.Run(), nil
	}
	l := launcher.New().Bin(path).NoSandbox(true).Leakless(false).UserDataDir(filepath.Join(dir, "profile")).
		Set("disable-gpu").Set("disable-quic").Set("disable-background-networking").Set("disable-component-update").Set("disable-sync")
	url, err := l.Launch()
	if err != nil {
		return 0, fmt.Errorf("start the browser: %w", err)
	}
	defer l.Cleanup()
	defer l.Kill()
	chrome = rod.New().ControlURL(url)
	if err := chrome.Connect(); err != nil {
		return 0, fmt.Errorf("connect to the browser: %w", err)
	}
	defer chrome.Close()
	return m.Run(), nil
}

func buildProgram(dir string) (string, error) {
	if name := os.Getenv("FORAGE_E2E_PROGRAM"); name != "" {
		return filepath.Abs(name)
	}
	if _, err := os.Stat("../dist/index.html"); err != nil {
		return "", fmt.Errorf("the dashboard is not built: run make dashboard: %w", err)
	}
	path := filepath.Join(dir, "forage")
	build := exec.Command("go", "build", "-o", path, "./cmd/forage")
	build.Dir = "../../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
}

func findBrowser() string {
	for _, name := range []string{os.Getenv("FORAGE_BROWSER"), "chromium", "chromium-browser", "google-chrome"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
