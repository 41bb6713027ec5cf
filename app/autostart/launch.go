package autostart

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

const launchMarker = "<!-- Written by forage; \"forage autostart off\" removes this file. -->"

// launchLabel is unique among the user's agents.
const launchLabel = "io.github.forage-net.forage"

func launchEntries(home string) []entry {
	return []entry{{
		path:   strings.TrimRight(home, "/") + "/Library/LaunchAgents/" + launchLabel + ".plist",
		marker: launchMarker,
		kinds:  []Kind{Session, Service},
		text: func(kind Kind, command []string, _ Options) (string, error) {
			return launchText(kind, command), nil
		},
		kindOf: func(text string) Kind {
			if strings.Contains(text, "<key>KeepAlive</key>") {
				return Service
			}
			return Session
		},
		command:  parsePlist,
		disabled: func(_, text string) bool { return strings.Contains(text, "<key>Disabled</key>\n\t<true/>") },
	}}
}

// launchText is a property list (launchd.plist(5)). An agent of either kind is started at
// login; a service is started again when it fails.
func launchText(kind Kind, command []string) string {
	var b strings.Builder
	b.WriteString(xml.Header)
	b.WriteString(`<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" ` +
		`"http://www.apple.com/DTDs/PropertyList-1.0.dtd">` + "\n")
	b.WriteString(launchMarker + "\n")
	b.WriteString("<plist version=\"1.0\">\n<dict>\n")
	b.WriteString("\t<key>Label</key>\n\t" + plistString(launchLabel) + "\n")
	b.WriteString("\t<key>ProgramArguments</key>\n\t<array>\n")
	for _, word := range command {
		b.WriteString("\t\t" + plistString(word) + "\n")
	}
	b.WriteString("\t</array>\n\t<key>RunAtLoad</key>\n\t<true/>\n")
	if kind == Service {
		b.WriteString("\t<key>KeepAlive</key>\n\t<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>\n")
		b.WriteString("\t<key>ThrottleInterval</key>\n\t<integer>60</integer>\n")
	}
	b.WriteString("\t<key>ProcessType</key>\n\t<string>Background</string>\n")
	b.WriteString("\t<key>LowPriorityIO</key>\n\t<true/>\n")
	b.WriteString("\t<key>Nice</key>\n\t<integer>19</integer>\n")
	b.WriteString("\t<key>ExitTimeOut</key>\n\t<integer>15</integer>\n")
	b.WriteString("\t<key>Umask</key>\n\t<integer>63</integer>\n") // 0077
	b.WriteString("</dict>\n</plist>\n")
	return b.String()
}

// plistString writes a string element.
func plistString(s string) string {
	var b strings.Builder
	b.WriteString("<string>")
	xml.EscapeText(&b, []byte(s)) // to a strings.Builder: cannot fail
	b.WriteString("</string>")
	return b.String()
}

// parsePlist reads the ProgramArguments of a property list, nil if there are none.
func parsePlist(text string) []string {
	d := xml.NewDecoder(strings.NewReader(text))
	key := ""
	for {
		token, err := d.Token()
		if err != nil {
			return nil
		}
		start, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case start.Name.Local == "key":
			if d.DecodeElement(&key, &start) != nil {
				return nil
			}
		case start.Name.Local == "array" && key == "ProgramArguments":
			var array struct {
				Strings []string `xml:"string"`
			}
			if err := d.DecodeElement(&array, &start); err != nil && !errors.Is(err, io.EOF) {
				return nil
			}
			return array.Strings
		}
	}
}
