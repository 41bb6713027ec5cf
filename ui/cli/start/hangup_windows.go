package start

import "context"

// onHangup does nothing: there is no such signal.
func onHangup(ctx context.Context, _ func()) (context.Context, func()) { return ctx, func() {} }
