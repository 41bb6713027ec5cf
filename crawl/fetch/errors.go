package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"syscall"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/fetch/guard"
	"github.com/forage-net/forage/crawl/fetch/resolver"
)

// ErrClosed is returned by Get after Close, and by a Get that Close cut.
var ErrClosed = errors.New("client is closed")

// Kind says why there was no response.
type Kind uint8

const (
	KindNoName         Kind = 1  // the name does not exist, or has no address
	KindLookup         Kind = 2  // its name servers, or ours, did not answer well
	KindBlocked        Kind = 3  // our own guard forbids the address
	KindRefused        Kind = 4  // nothing listens at the port
	KindUnreachable    Kind = 5  // no way to the address
	KindConnectTimeout Kind = 6  // no connection, TLS included, in time
	KindCertificate    Kind = 7  // the certificate is not valid for the host
	KindTLS            Kind = 8  // TLS failed otherwise
	KindTimeout        Kind = 9  // the head of the response did not come in time
	KindClosed         Kind = 10 // the connection ended before the head did
	KindHeadTooLarge   Kind = 11 // more bytes, fields or interim responses than Limits allow
	KindNotHTTP        Kind = 12 // the answer is no HTTP/1 response
	KindStopped        Kind = 13 // we ended it: the context or Close
	KindRequest        Kind = 14 // the request cannot be sent as it is
)

var kindWords = [...]*words.Message{
	KindNoName:         words.New("said.visit.no-such-name", nil),
	KindLookup:         words.New("said.visit.name-lookup-failed", nil),
	KindBlocked:        words.New("said.visit.address-not-allowed", nil),
	KindRefused:        words.New("said.visit.connection-refused", nil),
	KindUnreachable:    words.New("said.visit.host-unreachable", nil),
	KindConnectTimeout: words.New("said.visit.connect-timed-out", nil),
	KindCertificate:    words.New("said.visit.tls-certificate-problem", nil),
	KindTLS:            words.New("said.visit.tls-handshake-failed", nil),
	KindTimeout:        words.New("said.visit.timed-out", nil),
	KindClosed:         words.New("said.visit.connection-closed-early", nil),
	KindHeadTooLarge:   words.New("said.visit.head-too-large", nil),
	KindNotHTTP:        words.New("said.visit.not-http", nil),
	KindStopped:        words.New("said.visit.stopped", nil),
	KindRequest:        words.New("said.visit.request-not-possible", nil),
}

var unknownKind = words.New("said.visit.unknown", nil)

// Message returns the words that are shown to users.
func (k Kind) Message() *words.Message {
	if int(k) < len(kindWords) && kindWords[k] != nil {
		return kindWords[k]
	}
	return unknownKind
}

func (k Kind) String() string { return k.Message().Error() }

// Error says why a request had no response. Its text is short and never contains anything a site has sent.
type Error struct {
	Kind Kind
	// Detail says more in a few words, "" where Kind says it all.
	Detail string
	// Sent and Received count the bytes that moved on the wire all the same.
	Sent, Received int64
	// Repeated is as Response.Repeated.
	Repeated bool
	// Err is the cause, for errors.Is and for logs; it may be nil.
	Err error
}

// Error returns Kind and Detail.
func (e *Error) Error() string {
	if e.Detail != "" {
		return e.Kind.String() + ": " + e.Detail
	}
	return e.Kind.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// stopped is the error of an exchange that ctx has ended.
func stopped(ctx context.Context) *Error { return &Error{Kind: KindStopped, Err: ctx.Err()} }

func errClosed() *Error { return &Error{Kind: KindStopped, Err: ErrClosed} }

func blocked(err error) *Error {
	e := &Error{Kind: KindBlocked, Err: err}
	if b, ok := errors.AsType[*guard.BlockedError](err); ok {
		e.Detail = b.Reason
	}
	return e
}

// lookupError gives the error of a resolver.Resolver its kind.
func lookupError(ctx context.Context, err error) *Error {
	switch {
	case errors.Is(err, resolver.ErrNoName):
		return &Error{Kind: KindNoName, Err: err}
	case errors.Is(err, resolver.ErrLookup):
		return &Error{Kind: KindLookup, Err: err}
	}
	return stopped(ctx)
}

// dialError gives the error of a connect its kind.
func dialError(err error) *Error {
	switch {
	case errors.Is(err, guard.ErrBlocked):
		return blocked(err)
	case isTimeout(err):
		return &Error{Kind: KindConnectTimeout, Err: err}
	case errors.Is(err, connRefused):
		return &Error{Kind: KindRefused, Err: err}
	case errors.Is(err, syscall.EMFILE):
		return &Error{Kind: KindUnreachable, Detail: "too many open files", Err: err}
	}
	return &Error{Kind: KindUnreachable, Err: err}
}

// tlsError gives the error of a handshake its kind.
func tlsError(err error) *Error {
	if isTimeout(err) {
		return &Error{Kind: KindConnectTimeout, Err: err}
	}
	if detail, ok := certificateProblem(err); ok {
		return &Error{Kind: KindCertificate, Detail: detail, Err: err}
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return &Error{Kind: KindTLS, Detail: "the answer is not TLS", Err: err}
	}
	return &Error{Kind: KindTLS, Err: err}
}

func certificateProblem(err error) (string, bool) {
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "for another name", true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "unknown authority", true
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if e.Reason == x509.Expired {
			return "expired or not yet valid", true
		}
		return "not valid", true
	}
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return "", ok
}

func isTimeout(err error) bool {
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}
