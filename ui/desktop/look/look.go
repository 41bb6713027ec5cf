// Package look is how the window looks: its theme, and the colours that views paint with. It follows the
// desktop from light to dark, and all it gives is asked for on the UI goroutine.
package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// windowTheme is the window's theme: the dashboard's colours on Fyne's shapes, light or dark as the desktop is.
// Texts have a contrast of at least 4.5 : 1 on their grounds.
type windowTheme struct {
	fyne.Theme
	// forced is the variant whatever the desktop's is, -1 for the desktop's.
	forced int
}

// NewTheme returns the window's theme. variant is "light", "dark" or "" for the desktop's.
func NewTheme(variant string) fyne.Theme {
	forced := -1
	switch variant {
	case "light":
		forced = int(theme.VariantLight)
	case "dark":
		forced = int(theme.VariantDark)
	}
	return windowTheme{theme.DefaultTheme(), forced}
}

// Names of colours that Fyne has none for.
const (
	Soft      fyne.ThemeColorName = "forage.soft"
	Card      fyne.ThemeColorName = "forage.card"
	LeafPale  fyne.ThemeColorName = "forage.leafpale"
	AmberMark fyne.ThemeColorName = "forage.ambermark"
	AmberPale fyne.ThemeColorName = "forage.amberpale"
	RedPale   fyne.ThemeColorName = "forage.redpale"
	Slate     fyne.ThemeColorName = "forage.slate"
	SlatePale fyne.ThemeColorName = "forage.slatepale"
)

type shade struct{ light, dark uint32 }

// shades are 0xRRGGBB, or 0xAARRGGBB where something is seen through.
var shades = map[fyne.ThemeColorName]shade{
	theme.ColorNameBackground:          {0xf6f4ee, 0x10160f},
	theme.ColorNameForeground:          {0x1f2a22, 0xe8ede6},
	theme.ColorNamePrimary:             {0x1f6b41, 0x7fd09b},
	theme.ColorNameForegroundOnPrimary: {0xffffff, 0x0e1a12},
	theme.ColorNameHyperlink:           {0x1f6b41, 0x7fd09b},
	theme.ColorNameButton:              {0xebe7db, 0x26302a},
	theme.ColorNameDisabledButton:      {0xf0ede4, 0x1c241e},
	theme.ColorNameDisabled:            {0x5f6a62, 0x97a399},
	theme.ColorNamePlaceHolder:         {0x56625a, 0xa3afa5},
	theme.ColorNameInputBackground:     {0xfffefa, 0x131a14},
	theme.ColorNameInputBorder:         {0x8d958c, 0x5d6a60},
	theme.ColorNameSeparator:           {0xdcd7c8, 0x303b32},
	theme.ColorNameOverlayBackground:   {0xfffefa, 0x182019},
	theme.ColorNameMenuBackground:      {0xfffefa, 0x1c261e},
	theme.ColorNameHeaderBackground:    {0xf0ede4, 0x182019},
	theme.ColorNameHover:               {0x141f6b41, 0x1e7fd09b},
	theme.ColorNamePressed:             {0x281f6b41, 0x327fd09b},
	theme.ColorNameFocus:               {0x501f6b41, 0x607fd09b},
	theme.ColorNameSelection:           {0x381f6b41, 0x467fd09b},
	theme.ColorNameScrollBar:           {0x801f2a22, 0x80e8ede6},
	theme.ColorNameShadow:              {0x1e283228, 0x50000000},
	theme.ColorNameSuccess:             {0x1f6b41, 0x7fd09b},
	theme.ColorNameWarning:             {0x8a5a00, 0xf0bc62},
	theme.ColorNameError:               {0xa5301f, 0xff9a87},
	theme.ColorNameForegroundOnError:   {0xffffff, 0x2a0f0a},
	theme.ColorNameForegroundOnWarning: {0xffffff, 0x2a1d05},
	theme.ColorNameForegroundOnSuccess: {0xffffff, 0x0e1a12},
	Soft:                               {0x56625a, 0xa3afa5},
	Card:                               {0xfffefa, 0x182019},
	LeafPale:                           {0xdfeee2, 0x1f3a29},
	AmberMark:                          {0xd98e1f, 0xeda93a},
	AmberPale:                          {0xfaeccf, 0x3a2e15},
	RedPale:                            {0xf9e2dc, 0x452019},
	Slate:                              {0x4c5a67, 0xb3bfca},
	SlatePale:                          {0xe6e9ea, 0x262f33},
}

// Color implements fyne.Theme.
func (l windowTheme) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	if l.forced >= 0 {
		variant = fyne.ThemeVariant(l.forced)
	}
	s, ok := shades[name]
	if !ok {
		return l.Theme.Color(name, variant)
	}
	if variant == theme.VariantDark {
		return rgb(s.dark)
	}
	return rgb(s.light)
}

func rgb(v uint32) color.Color {
	alpha := uint8(v >> 24)
	if alpha == 0 {
		alpha = 255
	}
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), alpha}
}

// Size implements fyne.Theme.
func (l windowTheme) Size(name fyne.ThemeSizeName) float32 {
	switch name {
	case theme.SizeNamePadding:
		return 5
	case theme.SizeNameInnerPadding:
		return 8
	case theme.SizeNameHeadingText:
		return 22
	case theme.SizeNameSubHeadingText:
		return 16
	case theme.SizeNameCaptionText:
		return 12
	case theme.SizeNameInputRadius, theme.SizeNameSelectionRadius:
		return 6
	}
	return l.Theme.Size(name)
}

// Color returns a colour of the theme that is in force.
func Color(name fyne.ThemeColorName) color.Color {
	s := fyne.CurrentApp().Settings()
	return s.Theme().Color(name, s.ThemeVariant())
}

// Dark reports whether the theme that is in force is a dark one.
func Dark() bool {
	s := fyne.CurrentApp().Settings()
	if l, ok := s.Theme().(windowTheme); ok && l.forced >= 0 {
		return l.forced == int(theme.VariantDark)
	}
	return s.ThemeVariant() == theme.VariantDark
}
