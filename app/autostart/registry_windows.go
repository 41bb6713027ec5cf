package autostart

import (
	"errors"

	"golang.org/x/sys/windows/registry"
)

// currentUser is HKEY_CURRENT_USER.
type currentUser struct{}

func systemRegistry() Registry { return currentUser{} }

func (currentUser) String(key, name string) (value string, ok bool, err error) {
	err = with(key, func(k registry.Key) error {
		value, _, err = k.GetStringValue(name)
		return err
	})
	return value, err == nil, present(err)
}

func (currentUser) Binary(key, name string) (value []byte, ok bool, err error) {
	err = with(key, func(k registry.Key) error {
		value, _, err = k.GetBinaryValue(name)
		return err
	})
	return value, err == nil, present(err)
}

func (currentUser) SetString(key, name, value string) error {
	k, _, err := registry.CreateKey(registry.CURRENT_USER, key, registry.SET_VALUE)
	if err != nil {
		return err
	}
	return errors.Join(k.SetStringValue(name, value), k.Close())
}

func (currentUser) Delete(key, name string) error {
	k, err := registry.OpenKey(registry.CURRENT_USER, key, registry.SET_VALUE)
	if err != nil {
		return present(err)
	}
	return errors.Join(present(k.DeleteValue(name)), k.Close())
}

// with reads from a key.
func with(key string, read func(registry.Key) error) error {
	k, err := registry.OpenKey(registry.CURRENT_USER, key, registry.QUERY_VALUE)
	if err != nil {
		return err
	}
	return errors.Join(read(k), k.Close())
}

// present returns err unless it says that something is not there.
func present(err error) error {
	if errors.Is(err, registry.ErrNotExist) {
		return nil
	}
	return err
}
