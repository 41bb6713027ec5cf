//go:build !windows

package locale

// Lang returns the language of the user, "en" or "de", as the environment has it: of LC_ALL, LC_MESSAGES and LANG the
// first that is set, as POSIX has them.
func Lang(env func(string) string) string {
	return langOf(env("LC_ALL"), env("LC_MESSAGES"), env("LANG"))
}
