//go:build !linux

package priority

func threadID() int { return 0 }
