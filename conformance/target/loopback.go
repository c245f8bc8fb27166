package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// dialTimeout bounds a connection attempt. Loopback answers at once or never.
const dialTimeout = 5 * time.Second

// answerTimeout bounds the wait for an answer's headers. The longest answers of an engine on loopback, whole pages of a
// million bytes, take well under a second.
const answerTimeout = 30 * time.Second

// errNotLoopback is the cause when a connection was refused because its address leaves this machine.
var errNotLoopback = errors.New("not a loopback address")

// CheckLoopback parses the URL of an engine and returns it without a trailing slash. It accepts http and https URLs
// whose host is an address of 127.0.0.0/8, ::1 or the name localhost, and returns a [*ConfigError] for all others: a
// name that merely resolves to loopback today may resolve to something else tomorrow.
//
// The check is on the text alone. The transport of [NewTransport] repeats it on every address it connects to, so that a
// machine whose localhost is elsewhere is caught too.
func CheckLoopback(rawURL string) (*url.URL, error) {
	refuse := func(found string, err error) error {
		return configError("endpoint", "a URL on loopback such as http://127.0.0.1:8000", found,
			"give the address of an engine on this machine (127.0.0.0/8, [::1] or localhost)", err)
	}
	// Before anything of it is shown, also where the rest is no URL.
	if HoldsSecret(rawURL) {
		return nil, refuse(NotShown, nil)
	}
	parsed, err := url.Parse(rawURL)
	if err != nil {
		return nil, refuse(fmt.Sprintf("%q, which is not a URL", rawURL), err)
	}
	switch {
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return nil, refuse(fmt.Sprintf("%q, which does not start with http:// or https://", rawURL), nil)
	case parsed.Hostname() == "":
		return nil, refuse(fmt.Sprintf("%q, which names no host", rawURL), nil)
	case strings.Trim(parsed.Path, "/") != "":
		return nil, refuse(fmt.Sprintf("%q, which has more than a host and a port", rawURL), nil)
	}
	if !isLoopbackHost(parsed.Hostname()) {
		return nil, refuse(fmt.Sprintf("host %q, which is not loopback", parsed.Hostname()), errNotLoopback)
	}
	parsed.Path = ""
	return parsed, nil
}

// NotShown is what is said of an address in place of one that [HoldsSecret].
const NotShown = "one with more than a host and a port, such as a user name in it, which is not shown"

// HoldsSecret reports whether an address may hold a password or a token: before an @, or behind the port.
func HoldsSecret(address string) bool { return strings.ContainsAny(address, "@?#;") }

// isLoopbackHost reports whether a host in a URL stays on this machine by its text.
func isLoopbackHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// NewTransport returns an HTTP/1.1 transport that cannot leave this machine: it ignores proxies in the environment and
// refuses, after name resolution, every address that is not loopback. It keeps connections alive and asks for no
// compression.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{
		Timeout: dialTimeout,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			resolved, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			if !resolved.Addr().Unmap().IsLoopback() {
				return fmt.Errorf("%s: %w", address, errNotLoopback)
			}
			return nil
		},
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:        dialer.DialContext,
		DisableCompression: true,
		// An engine that hangs in the middle of a run must not keep it for ever.
		ResponseHeaderTimeout: answerTimeout,
		// As many idle connections as a run has workers, with room: a connection that is closed and dialled again
		// costs more than the request it carries.
		MaxIdleConns:        256,
		MaxIdleConnsPerHost: 256,
		Protocols:           protocols,
	}
}
