package autostart

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// fakeRegistry is a registry in memory; keys and values have no case.
type fakeRegistry map[string]any

func (r fakeRegistry) at(key, name string) string { return strings.ToLower(key + `\` + name) }

func (r fakeRegistry) String(key, name string) (string, bool, error) {
	value, ok := r[r.at(key, name)].(string)
	return value, ok, nil
}

func (r fakeRegistry) Binary(key, name string) ([]byte, bool, error) {
	value, ok := r[r.at(key, name)].([]byte)
	return value, ok, nil
}

func (r fakeRegistry) SetString(key, name, value string) error {
	if err, ok := r["error"].(error); ok {
		return err
	}
	r[r.at(key, name)] = value
	return nil
}

func (r fakeRegistry) Delete(key, name string) error {
	delete(r, r.at(key, name))
	return nil
}

func TestRegistry(t *testing.T) {
	r := fakeRegistry{}
	a := open(t, Options{GOOS: "windows", Registry: r})
	command := []string{`C:\Program Files\forage\forage.exe`, "run", "--home", `D:\my data\`, `say "hi"`}
	if err := a.Enable(Service, command); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a service: %v", err)
	}
	for range 2 {
		if err := a.Enable(Session, command); err != nil {
			t.Fatal(err)
		}
	}
	want := `"C:\Program Files\forage\forage.exe" run --home "D:\my data\\" "say \"hi\""`
	if got, _, _ := r.String(runKeyPath, "forage"); got != want {
		t.Errorf("the value is %s\nwant %s", got, want)
	}
	if s := status(t, a); s.Kind != Session || s.Disabled || !slices.Equal(s.Command, command) {
		t.Errorf("status is %+v", s)
	}
	r[r.at(approvedKeyPath, runName)] = []byte{3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}
	if s := status(t, a); !s.Disabled {
		t.Errorf("switched off in the task manager, status is %+v", s)
	}
	if err := a.Enable(Session, command[:2]); err != nil {
		t.Fatal(err)
	}
	if s := status(t, a); s.Disabled || len(s.Command) != 2 {
		t.Errorf("enabled again, status is %+v", s)
	}
	if err := a.Disable(); err != nil || len(r) > 0 {
		t.Errorf("Disable: %v, left %v", err, r)
	}

	r[r.at(runKeyPath, runName)] = "notepad.exe"
	if err := a.Enable(Session, command); !errors.Is(err, ErrForeign) {
		t.Errorf("Enable over another's value: %v", err)
	}
	if err := a.Disable(); !errors.Is(err, ErrForeign) || len(r) != 1 {
		t.Errorf("Disable of another's value: %v, %v", err, r)
	}
	if s := status(t, a); s.Kind != Off || len(s.Foreign) != 1 {
		t.Errorf("status is %+v", s)
	}
}

// A change that ends in the middle can be made again.
func TestRegistry_InterruptedChange(t *testing.T) {
	r := fakeRegistry{}
	a := open(t, Options{GOOS: "windows", Registry: r})
	for _, program := range []string{`C:\a.exe`, `C:\b.exe`} {
		k := runKey{stopAfter{r, new(int)}}
		if err := k.enable([]string{program}); err == nil {
			t.Fatal("no error")
		}
		if s := status(t, a); len(s.Foreign) > 0 {
			t.Errorf("status is %+v", s)
		}
		if err := a.Enable(Session, []string{program}); err != nil {
			t.Error(err)
		}
		if s := status(t, a); len(s.Command) != 1 || s.Command[0] != program {
			t.Errorf("status is %+v", s)
		}
	}
}

// stopAfter fails at the second write.
type stopAfter struct {
	Registry
	n *int
}

func (s stopAfter) SetString(key, name, value string) error {
	if *s.n++; *s.n == 2 {
		return errors.New("access denied")
	}
	return s.Registry.SetString(key, name, value)
}

func TestCommandLine_TooLongForWindows(t *testing.T) {
	a := open(t, Options{GOOS: "windows", Registry: fakeRegistry{}})
	for n, want := range map[int]error{244: nil, 245: ErrUnwritable} {
		err := a.Enable(Session, []string{`C:\forage.exe`, strings.Repeat("ä", n)})
		if !errors.Is(err, want) {
			t.Errorf("with %d more characters: %v, want %v", n, err, want)
		}
	}
}
