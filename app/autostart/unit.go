package autostart

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const unitMarker = "# Written by forage; \"forage autostart off\" removes this file."

func unitEntry(configHome string) entry {
	dir := strings.TrimRight(configHome, "/") + "/systemd/user/"
	l := &link{path: dir + "default.target.wants/forage.service", target: "../forage.service"}
	return entry{
		path:   dir + "forage.service",
		marker: unitMarker,
		kinds:  []Kind{Service},
		link:   l,
		text: func(_ Kind, command []string, o Options) (string, error) {
			return unitText(command, o)
		},
		kindOf:   func(string) Kind { return Service },
		command:  func(text string) []string { return unshielded(parseExecStart(valueOf(text, "ExecStart"))) },
		disabled: func(path, _ string) bool { return !l.leadsTo(path) },
	}
}

// sessionVariables lead to the display and the bus of the session, where the sensors learn whether the
// user is there.
const sessionVariables = "DISPLAY WAYLAND_DISPLAY XDG_SESSION_TYPE XDG_CURRENT_DESKTOP " +
	"XAUTHORITY DBUS_SESSION_BUS_ADDRESS"

// placeVariables say where the node's files are; those of a login shell need not be those of the
// service manager.
var placeVariables = []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"}

// secretPaths are where people have keys and passwords, which no crawler needs to read, whatever goes wrong in it. The
// minus sign passes over what is not there.
var secretPaths = []string{
	"-%h/.ssh", "-%h/.gnupg", "-%h/.password-store", "-%h/.local/share/keyrings", "-%h/.local/share/kwalletd",
	"-%h/.mozilla", "-%h/.config/google-chrome", "-%h/.config/chromium",
	"-%h/.thunderbird", "-%h/.aws", "-%h/.kube", "-%h/.config/gcloud", "-%h/.netrc", "-%h/.git-credentials",
}

// unitText is a user unit of systemd (systemd.service(5), systemd.exec(5)).
//
// Not in it, on purpose: what takes capabilities away (CapabilityBoundingSet=, PrivateDevices=,
// ProtectClock=, ProtectKernelLogs=, ProtectKernelModules=), since a user's manager has none to take and fails with
// status 218, while the filter of system calls and NoNewPrivileges= forbid the same; PrivateUsers=, without which a
// manager that may not make namespaces starts the service all the same; PrivateTmp=, which would hide the socket of the
// X server.
func unitText(command []string, o Options) (string, error) {
	writable, err := writablePaths(o)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", unitMarker)
	line("[Unit]")
	line("Description=forage, a crawler of the web")
	line("StartLimitIntervalSec=600")
	line("StartLimitBurst=5")
	line("")
	line("[Service]")
	line("Type=exec")
	line("ExecStart=%s", execStart(command))
	line("PassEnvironment=%s", sessionVariables)
	for _, name := range placeVariables {
		if value := o.Env(name); isAbs(o.GOOS, value) {
			if err := checkWord(value); err != nil {
				return "", err
			}
			line("Environment=%s", unitWord(name+"="+value))
		}
	}
	line("Restart=on-failure")
	line("RestartSec=30")
	line("# A command line, another node, settings or an agreement that must be seen to first.")
	line("RestartPreventExitStatus=2 5 6 7")
	line("TimeoutStopSec=15")
	line("")
	line("# Everything else goes first.")
	line("Nice=19")
	line("CPUSchedulingPolicy=batch")
	line("IOSchedulingClass=idle")
	line("OOMScoreAdjust=500")
	line("MemoryHigh=%d", o.MemoryHigh)
	line("")
	line("# It writes to its own directories only, and speaks to the network and the desktop only.")
	line("UMask=0077")
	line("NoNewPrivileges=yes")
	line("ProtectSystem=strict")
	line("ProtectHome=read-only")
	line("InaccessiblePaths=%s", strings.Join(secretPaths, " "))
	line("ReadWritePaths=%s", strings.Join(writable, " "))
	line("ProtectKernelTunables=yes")
	line("ProtectControlGroups=yes")
	line("LockPersonality=yes")
	line("MemoryDenyWriteExecute=yes")
	line("RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK")
	line("RestrictNamespaces=yes")
	line("RestrictRealtime=yes")
	line("RestrictSUIDSGID=yes")
	line("SystemCallArchitectures=native")
	line("SystemCallFilter=@system-service")
	line("SystemCallErrorNumber=EPERM")
	line("")
	line("[Install]")
	line("WantedBy=default.target")
	return b.String(), nil
}

// writablePaths returns, as words, the directories that the node writes to. The minus sign lets the service start, and
// say what is wrong, where one is missing.
func writablePaths(o Options) ([]string, error) {
	dirs := []string{filepath.Dir(o.Paths.Config), o.Paths.State, o.Paths.Data}
	// People keep their settings elsewhere and link to them.
	if target, err := filepath.EvalSymlinks(o.Paths.Config); err == nil {
		dirs = append(dirs, filepath.Dir(target))
	}
	var words []string
	for _, dir := range dirs {
		if err := checkWord(dir); err != nil {
			return nil, err
		}
		if !isAbs(o.GOOS, dir) {
			return nil, unwritable(strconv.Quote(dir), errNotAbsolute)
		}
		if word := unitWord("-" + dir); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words, nil
}

// execStart writes a command line. The colon keeps dollar signs as they are. systemd takes no program
// whose path has quotes or backslashes, however it is written.
func execStart(command []string) string {
	command = shielded(command, "\"'\\")
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = unitWord(word)
	}
	return ":" + strings.Join(words, " ")
}

// unitWord writes one word: in quotes, with percent signs, which begin specifiers, doubled.
func unitWord(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(word) + `"`
}

// parseExecStart reads what execStart wrote; nil if it is not in that form.
func parseExecStart(value string) []string {
	value, ok := strings.CutPrefix(value, ":")
	if !ok {
		return nil
	}
	return wordsOf(value, parseUnitWord)
}

func parseUnitWord(s string) (word, rest string, ok bool) {
	if s[0] != '"' {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			rest = s[i+1:]
			return b.String(), strings.TrimPrefix(rest, " "), rest == "" || rest[0] == ' '
		case '\\', '%':
			if i+1 == len(s) || s[i] == '%' && s[i+1] != '%' {
				return "", "", false
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}
