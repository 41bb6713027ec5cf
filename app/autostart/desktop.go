package autostart

import (
	"strings"
)

// desktopMarker is a key, since tools that switch an entry on and off drop comments.
const desktopMarker = "X-Forage-Autostart=true"

func desktopEntry(configHome string) entry {
	return entry{
		path:   strings.TrimRight(configHome, "/") + "/autostart/forage.desktop",
		marker: desktopMarker,
		kinds:  []Kind{Session},
		text: func(_ Kind, command []string, _ Options) (string, error) {
			return desktopText(command), nil
		},
		kindOf: func(string) Kind { return Session },
		command: func(text string) []string {
			return unshielded(parseExec(valueOf(text, "Exec")))
		},
		disabled: func(_, text string) bool {
			return valueOf(text, "Hidden") == "true" || valueOf(text, "X-GNOME-Autostart-enabled") == "false"
		},
	}
}

// desktopText is a desktop entry (freedesktop.org, Desktop Entry Specification 1.5).
func desktopText(command []string) string {
	var b strings.Builder
	for _, line := range []string{
		"[Desktop Entry]",
		"# \"forage autostart off\" removes this file.",
		desktopMarker,
		"Type=Application",
		"Version=1.4",
		"Name=forage",
		"Comment=Lend this computer to a crawl of the web while nobody uses it",
		"Comment[de]=Diesen Computer einem Crawl des Webs leihen, während ihn niemand benutzt",
		"TryExec=" + keyfile(command[0]),
		// A name with an equals sign may not stand first, and systemd, which starts these entries on many desktops,
		// does not see that a percent sign in it is doubled.
		"Exec=" + execValue(shielded(command, "=%")),
		"Terminal=false",
		"NoDisplay=true",
		"StartupNotify=false",
		"X-GNOME-Autostart-enabled=true",
	} {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// execReserved are the characters for which a word is put in quotes.
const execReserved = " \t\n\"'\\><~|&;$*?#()`"

// execValue writes a command as the value of Exec: words in quotes where they need them, percent signs, which begin
// field codes, doubled, and all of that escaped as every value of a key file.
func execValue(command []string) string {
	var b strings.Builder
	for i, word := range command {
		if i > 0 {
			b.WriteByte(' ')
		}
		word = strings.ReplaceAll(word, "%", "%%")
		if word != "" && !strings.ContainsAny(word, execReserved) {
			b.WriteString(word)
			continue
		}
		b.WriteByte('"')
		for _, r := range word {
			if strings.ContainsRune("\"`$\\", r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
		b.WriteByte('"')
	}
	return keyfile(b.String())
}

// keyfile escapes a value of type string.
func keyfile(s string) string {
	s = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(s)
	if strings.HasPrefix(s, " ") {
		s = `\s` + s[1:]
	}
	return s
}

// parseExec reads what execValue wrote; nil if it is not in that form.
func parseExec(value string) []string {
	value, ok := unkeyfile(value)
	if !ok {
		return nil
	}
	words := wordsOf(value, execWord)
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, "%%", "%")
	}
	return words
}

// execWord takes the first word off.
func execWord(s string) (word, rest string, ok bool) {
	if s[0] != '"' {
		word, rest, _ = strings.Cut(s, " ")
		return word, rest, !strings.ContainsAny(word, execReserved)
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			rest = s[i+1:]
			return b.String(), strings.TrimPrefix(rest, " "), rest == "" || rest[0] == ' '
		case '\\':
			if i++; i == len(s) {
				return "", "", false
			}
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}

func unkeyfile(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return "", false
		}
		at := strings.IndexByte(`sntr\`, s[i])
		if at < 0 {
			return "", false
		}
		b.WriteByte(" \n\t\r\\"[at])
	}
	return b.String(), true
}

// valueOf returns the value of the first line that sets a key, "" if there is none.
func valueOf(text, key string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, key+"="); ok {
			return strings.TrimRight(value, "\r\n")
		}
	}
	return ""
}
