package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/crawl"
)

// ConsentVersion is the version of ConsentText. It grows when the text comes
// to say more than users agreed to; then they are asked again.
const ConsentVersion = 2

// Consented reports whether the user agreed to the present text. Before, no
// packet may leave the machine.
func Consented(c Config) bool { return c.Consent.Version == ConsentVersion }

// Consent records in the settings file that the user agrees to the present text at the time now.
func Consent(path string, now time.Time) error {
	return setAll(path,
		assignment{"consent.version", strconv.Itoa(ConsentVersion)},
		assignment{"consent.time", now.UTC().Format(time.RFC3339)})
}

func consentTime(c *Config) *time.Time { return &c.Consent.Time }

// ConsentText says what a node with these settings does to whom, in lines of
// at most 76 columns (paths may be longer).
func ConsentText(p Paths, c Config) string {
	var b strings.Builder
	say := func(format string, args ...any) { b.WriteString(wrap("", fmt.Sprintf(format, args...))) }
	item := func(format string, args ...any) {
		b.WriteString("  - " + strings.TrimPrefix(wrap("    ", fmt.Sprintf(format, args...)), "    "))
	}
	say("Nothing has been sent yet. If you agree, this happens:")
	b.WriteString("\n")
	item("forage visits public web pages from this computer, over your internet connection, while it runs and is not paused.")
	item("The sites see your internet address and the name %s. The name leads their owners to a page about forage, "+
		"which tells them how to turn it away: %s", crawl.Token, crawl.WebmasterPage)
	item("Your internet provider can see which sites are visited. They may be sites you would not visit yourself.")
	item("It works with other computers that run forage, near and far: they see your internet address, divide the sites " +
		"among themselves and with you, and may have this computer visit pages for them. It looks for them on your local network too.")
	item("forage keeps to robots.txt and waits between two visits to a site. It does not log in, fill in forms or " +
		"visit addresses of your home network.")
	b.WriteString("\n")
	say("What it stores on this computer:")
	b.WriteString("\n")
	b.WriteString("  pages     " + p.WARC() + "\n")
	b.WriteString("  state     " + p.State + "\n")
	b.WriteString("  settings  " + p.Config + "\n")
	b.WriteString("\n")
	say("Its limits, which you can change:")
	b.WriteString("\n")
	full, disk := c.Limits.Budget.Full, c.Limits.Disk
	item("at most %d pages a minute, %d at the same time, %d connections", full.PagesPerMin, full.Fetchers, full.Sockets)
	item("at most %s on the disk and %d %% of it, and %s of it stay free", orNoLimit(disk.Max), disk.MaxPercent, Size(disk.KeepFree))
	b.WriteString("\n")
	say("\"forage pause\" makes it rest, \"forage stop\" ends it, and \"forage erase\" deletes what it stored.")
	b.WriteString("\n")
	say("Agree only if this is your connection, or if you may use it for this.")
	return b.String()
}

// orNoLimit writes a number of bytes that may be NoLimit.
func orNoLimit(bytes int64) string {
	if bytes < 0 {
		return "as much as there is"
	}
	return Size(bytes).String()
}
