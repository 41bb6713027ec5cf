package app

import (
	"errors"
	"net"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/config"
)

// When the password goes, what another computer had open ends, and nothing listens to it any more. This computer's own way in stays.
func TestServeAPI_LetsNobodyInWithoutPassword(t *testing.T) {
	s := startSettlerWith(t, "", func(o *Options) {
		if err := api.SetPassword(o.Paths.State, "correct horse battery"); err != nil {
			t.Fatal(err)
		}
		o.Config.Web = config.Web{Addr: "127.0.0.1:0", LAN: true}
	})
	d, err := descriptor.Read(s.o.Paths.State)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(d.Addr)
	dial := func() (net.Conn, error) { return net.Dial("tcp", "127.0.0.2:"+port) } // is heard where all networks are
	open, err := dial()
	if err != nil {
		t.Skip("this system has no 127.0.0.2")
	}
	defer open.Close()
	if err := api.RemovePassword(s.o.Paths.State); err != nil {
		t.Fatal(err)
	}
	if _, err := open.Read(make([]byte, 1)); err == nil {
		t.Error("a connection of another computer lasts")
	}
	s.until("the door to be shut", func() error {
		c, err := dial()
		if err == nil {
			c.Close()
			return errors.New("it is open")
		}
		return nil
	})
	s.until("this computer's own door", func() error {
		_, err := s.api.Status(t.Context())
		return err
	})
	if now, err := descriptor.Read(s.o.Paths.State); err != nil || now.Addr != d.Addr {
		t.Errorf("it is at %s now, %v, want %s", now.Addr, err, d.Addr)
	}
	if err := api.SetPassword(s.o.Paths.State, "another horse battery"); err != nil {
		t.Fatal(err)
	}
	s.until("the door to others", func() error {
		c, err := dial()
		if err == nil {
			c.Close()
		}
		return err
	})
}
