package identity

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func TestLoadOrChoosePort_KeepsThePort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "port")
	first, err := LoadOrChoosePort(path, "")
	if err != nil {
		t.Fatal(err)
	}
	if first.Taken() || first.Use < lowPort || first.Use >= highPort {
		t.Errorf("LoadOrChoosePort = %+v, want a free port from %d on", first, lowPort)
	}
	second, err := LoadOrChoosePort(path, "")
	if err != nil || second != first {
		t.Errorf("second LoadOrChoosePort = %+v, %v, want %+v", second, err, first)
	}
}

func TestLoadOrChoosePort_TakenPortIsLentNotLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "port")
	mine, err := LoadOrChoosePort(path, "")
	if err != nil {
		t.Fatal(err)
	}
	other, err := net.ListenPacket("udp", ":"+strconv.Itoa(mine.Use))
	if err != nil {
		t.Skipf("port taken meanwhile: %v", err)
	}
	got, err := LoadOrChoosePort(path, "")
	if err != nil || !got.Taken() || got.Kept != mine.Use || got.Use == mine.Use {
		t.Errorf("LoadOrChoosePort = %+v, %v, want another port than %d and that kept", got, err, mine.Use)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if back, err := LoadOrChoosePort(path, ""); err != nil || back != mine {
		t.Errorf("LoadOrChoosePort = %+v, %v, want %+v back", back, err, mine)
	}
}

func TestLoadOrChoosePort_ChoosesAnewIfDamaged(t *testing.T) {
	for _, text := range []string{"", "x", "0", "80", "65536", "-1", "4001 4002"} {
		path := filepath.Join(t.TempDir(), "port")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := LoadOrChoosePort(path, "")
		if err != nil || p.Taken() {
			t.Errorf("%q: LoadOrChoosePort = %+v, %v, want a new port", text, p, err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != strconv.Itoa(p.Use)+"\n" {
			t.Errorf("%q: file holds %q, %v, want %d", text, data, err, p.Use)
		}
	}
}
