package worker

// signal tells whoever waits at a channel with room for one, and does not wait itself.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
