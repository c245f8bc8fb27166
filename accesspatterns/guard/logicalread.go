package guard

import (
	"context"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
)

type readKey struct{}

// Read is the account of one logical read: the pages of one Query or Scan, or of
// one repeated step of a flow. It may be used by several goroutines.
type Read struct {
	pattern string

	mu sync.Mutex
	account
}

// account is what was read so far.
type account struct {
	// table, index and partition are those of the last page; partitions counts
	// how often the partition changed, the first one included.
	table      *table
	index      string
	partition  string
	partitions int
	// inspected is what DynamoDB reported, reserved what pages that are on
	// their way may still inspect, in items. budget is 0 until a read with one.
	inspected, reserved, budget int32
	// next is where the last budgeted page stopped.
	next accesspatterns.Item
}

// NewRead begins a logical read. All pages of it are sent with the returned
// context; the next logical read needs a NewRead of its own. Naming patterns
// holds the read to the first of them that is given, which chooses between
// patterns whose requests look alike.
//
//	ctx, read := guard.NewRead(ctx)
//	input.Limit = aws.Int32(3000)
//	for {
//		page, err := client.Query(ctx, input)
//		...
//		if input.ExclusiveStartKey = page.LastEvaluatedKey; input.ExclusiveStartKey == nil {
//			break // complete
//		}
//		if read.Remaining() == 0 {
//			break // cut: say so
//		}
//		input.Limit = aws.Int32(read.Remaining())
//	}
func NewRead(ctx context.Context, pattern ...string) (context.Context, *Read) {
	read := &Read{}
	if len(pattern) > 0 {
		read.pattern = pattern[0]
	}
	return context.WithValue(ctx, readKey{}, read), read
}

func readOf(ctx context.Context) *Read {
	read, _ := ctx.Value(readKey{}).(*Read)
	return read
}

// uncounted is a context in which nothing counts towards the logical read of another.
func uncounted(ctx context.Context) context.Context {
	read := readOf(ctx)
	if read == nil {
		return ctx
	}
	return context.WithValue(ctx, readKey{}, read.copied())
}

// copied is the account as it is now, for judging without counting; nil of none.
func (r *Read) copied() *Read {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Read{pattern: r.pattern, account: r.account}
}

// Inspected returns the number of items that the read inspected so far.
func (r *Read) Inspected() int32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inspected
}

// Remaining returns the number of items that the read may still inspect: 0 when
// it was cut, and also when its pattern documents no budget.
func (r *Read) Remaining() int32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(0, r.budget-r.inspected-r.reserved)
}

// admit takes a page of a documented read into the account.
func (r *Read) admit(d *documented, q *request) breach {
	r.mu.Lock()
	defer r.mu.Unlock()
	partition := dynamo.KeyText(q.partition)
	partitions := r.partitions
	switch {
	case r.table == nil:
		partitions = 1
	case r.table != q.table || r.index != q.index:
		return breach{RulePartitions, "pages of one table or index in one logical read; begin another with guard.NewRead", "another table or index"}
	case r.partition != partition:
		partitions++
	}
	if d.partitions > 0 && partitions > d.partitions {
		return breach{RulePartitions, fmt.Sprintf("at most %d partitions in one logical read; begin another with guard.NewRead", d.partitions), "one more"}
	}
	if budget := d.read.InspectBudget; budget > 0 {
		if len(q.start) > 0 && (r.next == nil || !dynamo.EqualItems(r.next, q.start)) {
			return breach{RuleBudget, "to go on from where the logical read stopped", "another ExclusiveStartKey"}
		}
		if left := budget - r.inspected - r.reserved; q.limit > left {
			return breach{RuleBudget, fmt.Sprintf("a Limit of at most %d, which is left of %d items for the logical read", max(0, left), budget), fmt.Sprint(q.limit)}
		}
		r.budget = budget
		r.reserved += q.limit
	}
	r.table, r.index, r.partition, r.partitions = q.table, q.index, partition, partitions
	return breach{}
}

// settle replaces what a page reserved by what DynamoDB inspected. A page that
// failed returned nothing and counts for nothing.
func (r *Read) settle(reserved int32, result any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reserved -= reserved
	switch out := result.(type) {
	case *dynamodb.QueryOutput:
		if out != nil {
			r.inspected += out.ScannedCount
			r.next = out.LastEvaluatedKey
		}
	case *dynamodb.ScanOutput:
		if out != nil {
			r.inspected += out.ScannedCount
			r.next = out.LastEvaluatedKey
		}
	}
}
