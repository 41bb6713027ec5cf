//go:build !(linux || freebsd || openbsd || netbsd || windows)

package tray

import (
	"context"
	"errors"
)

type menu struct{}

func (t *tray) show(context.Context) error {
	return errors.New("there is no tray in this build")
}

func (t *tray) apply(view) {}
