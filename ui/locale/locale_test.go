//go:build !windows

package locale

import "testing"

func TestLang(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "en"}, {map[string]string{"LANG": "de_AT.UTF-8"}, "de"}, {map[string]string{"LANG": "de_DE", "LC_ALL": "C"}, "en"},
		{map[string]string{"LANG": "fr_FR", "LC_MESSAGES": "de_DE"}, "de"}, {map[string]string{"LANG": "fr_FR"}, "en"},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_MESSAGES": "C"}, "en"}, {map[string]string{"LC_ALL": "de"}, "de"}, {map[string]string{"LANG": "den"}, "en"},
	} {
		if got := Lang(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("Lang(%v) = %s, want %s", c.env, got, c.want)
		}
	}
}
