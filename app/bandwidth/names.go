package bandwidth

import (
	"context"
	"net"
	"net/netip"
)

const (
	// queryBytes is a question to a resolver without the name, as at a socket call:
	// header, type and class, what it says of itself.
	queryBytes = 12 + 6 + 11
	// answerBytes is what an answer has beside the question and the addresses: usually
	// another name or two for the host.
	answerBytes = 40
	// recordBytes is an address, or a line of text, without its bytes.
	recordBytes = 12
)

// Names looks up names and debits, by estimate, what that takes: resolvers have
// sockets of their own. Nothing is looked up while nothing may be sent.
type Names struct {
	budget *Budget
	class  Class
	next   *net.Resolver
}

// Names returns a resolver whose bytes are of a class; next is net.DefaultResolver if nil.
func (b *Budget) Names(class Class, next *net.Resolver) *Names {
	if next == nil {
		next = net.DefaultResolver
	}
	return &Names{b, class, next}
}

// LookupNetIP is that of net.Resolver.
func (n *Names) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	if err := n.ask(ctx, 2, host); err != nil {
		return nil, err
	}
	addrs, err := n.next.LookupNetIP(ctx, network, host)
	size := 0
	for _, a := range addrs {
		size += recordBytes + a.BitLen()/8
	}
	n.answered(2, host, size)
	return addrs, err
}

// LookupIPAddr is that of net.Resolver.
func (n *Names) LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error) {
	if err := n.ask(ctx, 2, host); err != nil {
		return nil, err
	}
	addrs, err := n.next.LookupIPAddr(ctx, host)
	n.answered(2, host, len(addrs)*(recordBytes+net.IPv6len))
	return addrs, err
}

// LookupTXT is that of net.Resolver.
func (n *Names) LookupTXT(ctx context.Context, name string) ([]string, error) {
	if err := n.ask(ctx, 1, name); err != nil {
		return nil, err
	}
	lines, err := n.next.LookupTXT(ctx, name)
	size := 0
	for _, l := range lines {
		size += recordBytes + len(l)
	}
	n.answered(1, name, size)
	return lines, err
}

// ask waits until so many questions may be sent, and counts them.
func (n *Names) ask(ctx context.Context, questions int, name string) error {
	return n.budget.Wait(ctx, n.class, true, questions*(queryBytes+len(name)))
}

// answered counts the answers, which have records of that size in all.
func (n *Names) answered(questions int, name string, size int) {
	n.budget.Debit(n.class, false, questions*(queryBytes+len(name)+answerBytes)+size)
}
