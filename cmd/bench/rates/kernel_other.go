//go:build !linux

package rates

const kernelKnows = false

type kernelTaps struct{}

func newKernelTaps(map[string]bool) kernelTaps { return kernelTaps{} }

func (kernelTaps) look() (received, sent int64) { return 0, 0 }
