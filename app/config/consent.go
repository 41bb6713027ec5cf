package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/crawl"
)

// ConsentVersion is the version of ConsentText. It grows when the text comes
// to say more than users agreed to; then they are asked again.
const ConsentVersion = 3

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
	for _, l := range limitLines(c.Limits) {
		item("%s", l)
	}
	b.WriteString("\n")
	say("\"forage pause\" makes it rest, \"forage stop\" ends it, and \"forage erase\" deletes what it stored.")
	b.WriteString("\n")
	say("Agree only if this is your connection, or if you may use it for this.")
	return b.String()
}

// limitLines say what is allowed, for people.
func limitLines(l limits.Config) []string {
	full, disk := l.Budget.Full, l.Disk
	when := "it works when nobody has used the computer for " + limits.FormatDuration(l.Idle.After)
	switch {
	case l.Level.InUse != limits.Off:
		when += ", and " + l.Level.InUse.String() + " while you use it"
	case l.Footing.Standby:
		when += "; while you use it, it keeps the books for others: a little traffic, and no page"
	default:
		when += ", and not while you use it"
	}
	var rests []string
	for _, r := range []struct {
		is   bool
		what string
	}{
		{l.Pause.Battery, "on battery"}, {l.Pause.Metered, "over a network that is paid for by use"}, {l.Pause.Fullscreen, "while a program fills the screen"},
		{l.Pause.OtherCPU < 100, "while other programs are busy"},
	} {
		if r.is {
			rests = append(rests, r.what)
		}
	}
	list := []string{when}
	if n := len(rests); n > 1 {
		list = append(list, "it rests "+strings.Join(rests[:n-1], ", ")+" and "+rests[n-1])
	} else if n == 1 {
		list = append(list, "it rests "+rests[0])
	}
	return append(list,
		fmt.Sprintf("at most %g %% of the processor, %s in and %s out, %s a day and %s a month", full.CPUPercent,
			rate(full.DownKbit), rate(full.UpKbit), orNoLimit(l.Data.Day), orNoLimit(l.Data.Month)),
		fmt.Sprintf("at most %d pages a minute, %d at the same time, %d connections", full.PagesPerMin, full.Fetchers, full.Sockets),
		fmt.Sprintf("at most %s on the disk and %d %% of it, and %s of it stay free", orNoLimit(disk.Max), disk.MaxPercent, Size(disk.KeepFree)))
}

func rate(kbit int) string {
	if kbit < 0 {
		return "as fast as it goes"
	}
	return fmt.Sprintf("%d kbit/s", kbit)
}

// orNoLimit writes a number of bytes that may be NoLimit.
func orNoLimit(bytes int64) string {
	if bytes < 0 {
		return "any amount"
	}
	return Size(bytes).String()
}
