package desktop

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/look"
)

// mood is how a node is, in a shape and a colour.
type mood uint8

const (
	moodProblem mood = iota
	moodWorking
	moodWaiting
	moodPaused
)

func moodOf(l desk.Live) mood {
	switch {
	case !l.Reachable && l.Stopped:
		return moodPaused
	case !l.Reachable || l.Limits.Fault != "" || l.Status.Trouble != "":
		return moodProblem
	case l.Status.State == api.StateWorking:
		return moodWorking
	case l.Status.State == api.StateWaiting:
		return moodWaiting
	}
	return moodPaused
}

// ground is the colour behind the status sentence.
func (m mood) ground() fyne.ThemeColorName {
	return [...]fyne.ThemeColorName{moodProblem: look.RedPale, moodWorking: look.LeafPale,
		moodWaiting: look.AmberPale, moodPaused: look.SlatePale}[m]
}

// The shapes are those of the dashboard. Some are filled, some are lines.
const (
	moodPlay  = `<path fill="#000" d="M8 5l11 7-11 7z"/>`
	moodPause = `<path fill="#000" d="M7 5h4v14H7zM13 5h4v14h-4z"/>`
	moodClock = "M12 4A8 8 0 0 1 20 12A8 8 0 0 1 12 20A8 8 0 0 1 4 12A8 8 0 0 1 12 4z|M12 7v5l4 2"
	moodAlarm = "M12 3l10 18H2z|M12 10v5|M12 17v1.5"
)

// icon is the shape in its colour.
func (m mood) icon() fyne.Resource {
	filled := func(name, shape string, tint fyne.ThemeColorName) fyne.Resource {
		r := fyne.NewStaticResource("mood-"+name+".svg",
			[]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24">`+
				shape+`</svg>`))
		return theme.NewColoredResource(r, tint)
	}
	switch m {
	case moodWorking:
		return filled("working", moodPlay, theme.ColorNamePrimary)
	case moodPaused:
		return filled("paused", moodPause, look.Slate)
	case moodWaiting:
		return controls.LineIcon{Shape: moodClock, Width: 2, Tint: theme.ColorNameWarning}
	}
	return controls.LineIcon{Shape: moodAlarm, Width: 2, Tint: theme.ColorNameError}
}
