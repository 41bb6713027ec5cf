package events

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// An order is waited for until the window has it, the window is gone, or the caller loses patience.
func TestWindow_OrdersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w Window
		is := w.Open()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if w.Show(ctx, "about") {
			t.Error("nobody took it, and it was raised")
		}
		answers := make(chan bool, 2)
		for range 2 {
			go func() { answers <- w.Show(t.Context(), "domains") }()
		}
		synctest.Wait()
		order := is.take()
		if order.page != "domains" || is.take() != nil {
			t.Errorf("the order is %+v", order)
		}
		close(order.sent)
		if first, second := <-answers, <-answers; !first || !second {
			t.Error("both were sent, and not raised")
		}
		go func() { answers <- w.Show(t.Context(), "") }()
		synctest.Wait()
		w.Close(is)
		if <-answers {
			t.Error("the window was gone, and raised")
		}
	})
}
