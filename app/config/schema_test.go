package config

import "testing"

// A setting that takes the path of a file says so: other computers do not change it.
func TestKeys_ThoseThatNameFilesAreLocal(t *testing.T) {
	forms := map[string]string{"net.bootstrap": "an address of a node", "crawl.scope": "a pattern",
		"pause.apps": "the name of a program", "pause.ssid_allow": "the name of a network"}
	local := 0
	for _, k := range Keys() {
		if k.Local {
			local++
		}
		if takes := Check(k.Name, "/etc/passwd") == nil; takes && forms[k.Name] == "" && !k.Local {
			t.Errorf("%s takes a path, and is not local", k.Name)
		}
	}
	if local < 4 {
		t.Errorf("%d settings are local", local)
	}
}
