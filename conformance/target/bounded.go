package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// AttemptTime bounds one attempt of a request, from its first byte to the last of its answer. DynamoDB answers
	// within seconds, or not at all.
	AttemptTime = time.Minute
	// MaxAnswer is the longest answer that is read, in bytes. DynamoDB's pages hold 1 MB of items, its batches 16 MB,
	// which JSON makes longer.
	MaxAnswer = 32 << 20
)

// ErrAnswerTooLong is what reading an answer of more than [MaxAnswer] bytes ends with.
var ErrAnswerTooLong = fmt.Errorf("expected an answer of at most %d MB, found a longer one", MaxAnswer>>20)

// Transport is an HTTP transport whose idle connections can be given back.
type Transport interface {
	http.RoundTripper
	CloseIdleConnections()
}

// Bounded returns a transport whose attempts end: an answer that has not come whole after the time, or that is longer
// than [MaxAnswer], is an error. The time of an http.Transport bounds the wait for headers alone, and a body that drips
// would keep a run for ever. 0 means [AttemptTime].
func Bounded(transport http.RoundTripper, attempt time.Duration) Transport {
	return &bounded{transport, cmp.Or(attempt, AttemptTime)}
}

type bounded struct {
	transport http.RoundTripper
	attempt   time.Duration
}

func (b *bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(request.Context(), b.attempt)
	response, err := b.transport.RoundTrip(request.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, b.late(err)
	}
	response.Body = &boundedBody{ReadCloser: response.Body, of: b, cancel: cancel, left: MaxAnswer}
	return response, nil
}

func (b *bounded) CloseIdleConnections() {
	(&http.Client{Transport: b.transport}).CloseIdleConnections()
}

// late says how long an attempt had, where that is why it ended.
func (b *bounded) late(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no whole answer within %s: %w", b.attempt, err)
	}
	return err
}

// boundedBody is the body of a bounded answer.
type boundedBody struct {
	io.ReadCloser
	of     *bounded
	cancel context.CancelFunc
	left   int64
}

func (b *boundedBody) Read(into []byte) (int, error) {
	if b.left <= 0 {
		return 0, ErrAnswerTooLong
	}
	count, err := b.ReadCloser.Read(into[:min(int64(len(into)), b.left)])
	b.left -= int64(count)
	return count, b.of.late(err)
}

func (b *boundedBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}
