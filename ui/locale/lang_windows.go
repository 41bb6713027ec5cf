package locale

import "golang.org/x/sys/windows"

// Lang returns the language of the user, "en" or "de": that of LC_ALL if it is set, else as Windows shows its menus.
func Lang(env func(string) string) string {
	if locale := env("LC_ALL"); locale != "" {
		return langOf(locale)
	}
	names, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil {
		return langOf()
	}
	return langOf(names...)
}
