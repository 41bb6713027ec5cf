package app

import (
	"context"
	"errors"
	"testing"

	"github.com/forage-net/forage/app/api"
)

func TestNode_DoctorOneAtATime(t *testing.T) {
	o := labOptions(t, t.TempDir(), nil)
	began, end := make(chan struct{}), make(chan struct{})
	o.Examine = func(context.Context) (api.DoctorReport, error) {
		close(began)
		<-end
		return api.DoctorReport{OK: true}, nil
	}
	n := newNode(t, o)
	defer closeNode(t, n)
	first := make(chan error, 1)
	go func() {
		_, err := n.Doctor(t.Context())
		first <- err
	}()
	<-began
	if _, err := n.Doctor(t.Context()); !errors.Is(err, api.ErrBusy) {
		t.Errorf("a second one: %v", err)
	}
	close(end)
	if err := <-first; err != nil {
		t.Error(err)
	}
}
