package services

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What is sent and what must come back, as plain values.
type (
	plainSend = func(ctx context.Context, c *dynamodb.Client, t Tables) error
	plainAny  = map[string]any
	plainSet  []string // a String Set
	plainPlus int      // SET #a = #a + :a
)

// plainInOrder sends one after the other and stops at the first error.
func plainInOrder(sends ...plainSend) plainSend {
	return func(ctx context.Context, c *dynamodb.Client, t Tables) error {
		return each(sends, func(send plainSend) error { return send(ctx, c, t) })
	}
}

// plainUntil looks again while an eventually consistent answer is not the expected one yet, with a bound of about two and a half seconds.
func plainUntil(ctx context.Context, look func() (wrong string, err error)) error {
	for wait := 10 * time.Millisecond; ; wait *= 2 {
		wrong, err := look()
		if err != nil || wrong == "" {
			return err
		}
		if wait > 1280*time.Millisecond {
			return errors.New(wrong)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", wrong, ctx.Err())
		case <-time.After(wait):
		}
	}
}

// plainGet reads one item by its key. It wants these attributes, or no item where want is nil.
type plainGet struct {
	table  string
	key    plainAny
	want   plainAny
	strong bool
}

func (g plainGet) send(ctx context.Context, c *dynamodb.Client, t Tables) error {
	return plainUntil(ctx, func() (string, error) {
		in := &dynamodb.GetItemInput{TableName: new(t(g.table)), Key: plainValues(g.key)}
		if g.strong {
			in.ConsistentRead = new(true)
		}
		out, err := c.GetItem(ctx, in)
		switch {
		case err != nil:
			return "", err
		case g.want == nil && out.Item != nil:
			return fmt.Sprintf("%s %v: want no item, got one", g.table, g.key), nil
		case g.want != nil && out.Item == nil:
			return fmt.Sprintf("%s %v: want an item, got none", g.table, g.key), nil
		}
		return plainHas(out.Item, g.want), nil
	})
}

// A plainWrite can be part of a transaction.
type plainWrite interface {
	part(t Tables) types.TransactWriteItem
}

// plainPut writes an item whether it is there or not.
type plainPut struct {
	table string
	item  plainAny
}

func (p plainPut) send(ctx context.Context, c *dynamodb.Client, t Tables) error {
	return product{ctx, c, t(p.table)}.put(plainValues(p.item))
}

// plainNew writes an item that must not be there yet.
type plainNew struct {
	table string
	key   []string // the names of the key's attributes, partition key first
	item  plainAny
}

func (p plainNew) send(ctx context.Context, c *dynamodb.Client, t Tables) error {
	return product{ctx, c, t(p.table)}.putNew(p.key[0], plainValues(p.item))
}

func (p plainNew) part(t Tables) types.TransactWriteItem {
	return product{table: t(p.table)}.newWrite(p.key[0], plainValues(p.item))
}

// again sends the same once more, is told that it is there, and sees that it is the same.
func (p plainNew) again(ctx context.Context, c *dynamodb.Client, t Tables) error {
	if err := conditionFailed(p.send(ctx, c, t)); err != nil {
		return fmt.Errorf("%s: %w", p.table, err)
	}
	key := plainAny{}
	for _, name := range p.key {
		key[name] = p.item[name]
	}
	return plainGet{table: p.table, key: key, want: p.item, strong: true}.send(ctx, c, t)
}

// plainDelete removes an item, and is content where there is none.
type plainDelete struct {
	table string
	key   plainAny
}

func (d plainDelete) send(ctx context.Context, c *dynamodb.Client, t Tables) error {
	return product{ctx, c, t(d.table)}.remove(plainValues(d.key))
}

func (d plainDelete) part(t Tables) types.TransactWriteItem {
	return product{table: t(d.table)}.deleteWrite(plainValues(d.key))
}

// plainEdit changes attributes of an item that is there. A path has its segments parted by "|", a list's with the place in brackets.
type plainEdit struct {
	table  string
	key    plainAny
	set    plainAny
	remove []string
	add    plainAny // ADD: into a set
	del    plainAny // DELETE: out of a set
	when   string   // the condition; that the item exists, where empty
	values plainAny // of the condition
}

func (e plainEdit) send(ctx context.Context, c *dynamodb.Client, t Tables) error {
	u := e.part(t).Update
	out, err := c.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: u.TableName, Key: u.Key, UpdateExpression: u.UpdateExpression, ConditionExpression: u.ConditionExpression,
		ExpressionAttributeNames: u.ExpressionAttributeNames, ExpressionAttributeValues: u.ExpressionAttributeValues, ReturnValues: types.ReturnValueAllNew})
	if err != nil {
		return err
	}
	want := plainAny{}
	for path, v := range e.set {
		if _, sum := v.(plainPlus); !sum && !strings.ContainsAny(path, "|[") {
			want[path] = v
		}
	}
	if wrong := plainHas(out.Attributes, want); wrong != "" {
		return errors.New(wrong)
	}
	for _, path := range e.remove {
		if _, there := out.Attributes[path]; there {
			return fmt.Errorf("%s %v: %s is still there", e.table, e.key, path)
		}
	}
	return nil
}

func (e plainEdit) part(t Tables) types.TransactWriteItem {
	names, values := map[string]string{}, plainValues(e.values)
	path := func(p string) string {
		var aliases []string
		for segment := range strings.SplitSeq(p, "|") {
			name, place := segment, ""
			if i := strings.Index(segment, "["); i >= 0 {
				name, place = segment[:i], segment[i:]
			}
			alias := "#" + plainWord.ReplaceAllString(name, "")
			names[alias] = name
			aliases = append(aliases, alias+place)
		}
		return strings.Join(aliases, ".")
	}
	value := func(p string, v any) string {
		alias := ":" + plainWord.ReplaceAllString(p, "")
		values[alias] = plainValue(v)
		return alias
	}
	var clauses []string
	clause := func(verb string, parts []string) {
		if len(parts) > 0 {
			clauses = append(clauses, verb+" "+strings.Join(parts, ", "))
		}
	}
	var set, remove, add, del []string
	for _, p := range slices.Sorted(maps.Keys(e.set)) {
		a := path(p)
		if n, sum := e.set[p].(plainPlus); sum {
			set = append(set, a+" = "+a+" + "+value(p, int(n)))
		} else {
			set = append(set, a+" = "+value(p, e.set[p]))
		}
	}
	for _, p := range e.remove {
		remove = append(remove, path(p))
	}
	for _, p := range slices.Sorted(maps.Keys(e.add)) {
		add = append(add, path(p)+" "+value(p, e.add[p]))
	}
	for _, p := range slices.Sorted(maps.Keys(e.del)) {
		del = append(del, path(p)+" "+value(p, e.del[p]))
	}
	clause("SET", set)
	clause("REMOVE", remove)
	clause("ADD", add)
	clause("DELETE", del)
	when := e.when
	if when == "" {
		when = "attribute_exists(#" + slices.Sorted(maps.Keys(e.key))[0] + ")" // pk before sk
	}
	maps.Copy(names, plainNames(when))
	u := &types.Update{TableName: new(t(e.table)), Key: plainValues(e.key), UpdateExpression: new(strings.Join(clauses, " ")), ConditionExpression: new(when),
		ExpressionAttributeNames: names}
	if len(values) > 0 {
		u.ExpressionAttributeValues = values
	}
	return types.TransactWriteItem{Update: u}
}

// plainTransaction writes all or nothing.
type plainTransaction struct {
	token  string // the same for the same request sent again; the SDK's own, where empty
	writes []plainWrite
}

func (w plainTransaction) send(ctx context.Context, c *dynamodb.Client, t Tables) error {
	in := &dynamodb.TransactWriteItemsInput{}
	if w.token != "" {
		in.ClientRequestToken = new(w.token)
	}
	for _, write := range w.writes {
		in.TransactItems = append(in.TransactItems, write.part(t))
	}
	_, err := c.TransactWriteItems(ctx, in)
	return err
}

// perhaps does not mind that the transaction is found to have happened, or its conditions no longer to hold; who uses it looks afterwards.
func (w plainTransaction) perhaps(ctx context.Context, c *dynamodb.Client, t Tables) error {
	err := w.send(ctx, c, t)
	if plainCancelled(err) {
		return nil
	}
	return err
}

// lost wants the transaction to fail on a condition.
func (w plainTransaction) lost(ctx context.Context, c *dynamodb.Client, t Tables) error {
	err := w.send(ctx, c, t)
	if err == nil {
		return errors.New("a transaction went through whose condition does not hold")
	} else if !plainCancelled(err) {
		return err
	}
	return nil
}

func plainCancelled(err error) bool {
	var cancelled *types.TransactionCanceledException
	return errors.As(err, &cancelled) && slices.ContainsFunc(cancelled.CancellationReasons, func(r types.CancellationReason) bool {
		return r.Code != nil && *r.Code == "ConditionalCheckFailed"
	})
}

// plainQuery reads a list, to its last page.
type plainQuery struct {
	table, index string
	key, filter  string
	values       plainAny
	order        int   // 1 forward, -1 backward: the answer's order counts; 0 leaves it to DynamoDB, and the order does not count
	page         int32 // items on a page, all pages are read
	top          int32 // so many items and no further page
	strong       bool
	id           string // the attribute that names an item
	want         []string
	keep         func(item Item) bool // what the application leaves out of the answer
}

func (q plainQuery) send(ctx context.Context, c *dynamodb.Client, t Tables) error {
	return plainUntil(ctx, func() (string, error) {
		items, err := q.items(ctx, c, t)
		if err != nil {
			return "", err
		}
		return plainIDs(items, q.id, q.want, q.order != 0), nil
	})
}

func (q plainQuery) items(ctx context.Context, c *dynamodb.Client, t Tables) ([]Item, error) {
	in := &dynamodb.QueryInput{TableName: new(t(q.table)), KeyConditionExpression: new(q.key), ExpressionAttributeNames: plainNames(q.key + " " + q.filter), ExpressionAttributeValues: plainValues(q.values)}
	if q.index != "" {
		in.IndexName = new(q.index)
	}
	if q.filter != "" {
		in.FilterExpression = new(q.filter)
	}
	if q.order != 0 {
		in.ScanIndexForward = new(q.order > 0)
	}
	if q.strong {
		in.ConsistentRead = new(true)
	}
	limit := q.page + q.top
	if limit > 0 {
		in.Limit = new(limit)
	}
	var items []Item
	for {
		out, err := c.Query(ctx, in)
		if err != nil {
			return nil, err
		}
		if limit > 0 && len(out.Items) > int(limit) {
			return nil, fmt.Errorf("%s %s: a page of %d items, want at most %d", q.table, q.index, len(out.Items), limit)
		}
		for _, item := range out.Items {
			if q.keep == nil || q.keep(item) {
				items = append(items, item)
			}
		}
		if q.top > 0 || out.LastEvaluatedKey == nil {
			return items, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// plainScan reads a whole table, so many items on a page.
type plainScan struct {
	table  string
	limit  int32
	filter string
	values plainAny
	id     string
	want   []string
}

func (s plainScan) send(ctx context.Context, c *dynamodb.Client, t Tables) error {
	return plainUntil(ctx, func() (string, error) {
		in := &dynamodb.ScanInput{TableName: new(t(s.table)), Limit: new(s.limit)}
		if s.filter != "" {
			in.FilterExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues = new(s.filter), plainNames(s.filter), plainValues(s.values)
		}
		var items []Item
		for {
			out, err := c.Scan(ctx, in)
			if err != nil {
				return "", err
			}
			items = append(items, out.Items...)
			if out.LastEvaluatedKey == nil {
				return plainIDs(items, s.id, s.want, false), nil
			}
			in.ExclusiveStartKey = out.LastEvaluatedKey
		}
	})
}

// plainIDs says what is wrong with a list, or nothing.
func plainIDs(items []Item, id string, want []string, ordered bool) string {
	var got []string
	for _, item := range items {
		got = append(got, text(item, id))
	}
	g, w := slices.Clone(got), slices.Clone(want)
	if !ordered {
		slices.Sort(g)
		slices.Sort(w)
	}
	if !slices.Equal(g, w) {
		return fmt.Sprintf("want %d items %v, got %d %v", len(want), want, len(got), got)
	}
	return ""
}

// plainHas says what is wrong with an item's attributes, or nothing.
func plainHas(item Item, want plainAny) string {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		got, there := item[name]
		if !there {
			return fmt.Sprintf("%s: want %v, got no such attribute", name, want[name])
		}
		if g, w := plainText(got), plainText(plainValue(want[name])); g != w {
			return fmt.Sprintf("%s: want %s, got %s", name, w, g)
		}
	}
	return ""
}

var (
	plainAlias = regexp.MustCompile(`#\w+`)
	plainWord  = regexp.MustCompile(`\W`)
)

// plainNames gives each #name of an expression the attribute of that name.
func plainNames(expression string) map[string]string {
	names := map[string]string{}
	for _, alias := range plainAlias.FindAllString(expression, -1) {
		names[alias] = alias[1:]
	}
	return names
}

func plainValues(m plainAny) Item {
	values := Item{}
	for k, v := range m {
		values[k] = plainValue(v)
	}
	return values
}

func plainValue(v any) types.AttributeValue {
	switch v := v.(type) {
	case types.AttributeValue:
		return v
	case nil:
		return &types.AttributeValueMemberNULL{Value: true}
	case string:
		return &types.AttributeValueMemberS{Value: v}
	case int:
		return &types.AttributeValueMemberN{Value: strconv.Itoa(v)}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case plainSet:
		return &types.AttributeValueMemberSS{Value: v}
	case []string:
		list := []types.AttributeValue{}
		for _, s := range v {
			list = append(list, plainValue(s))
		}
		return &types.AttributeValueMemberL{Value: list}
	case []any:
		list := []types.AttributeValue{}
		for _, e := range v {
			list = append(list, plainValue(e))
		}
		return &types.AttributeValueMemberL{Value: list}
	case plainAny:
		return &types.AttributeValueMemberM{Value: plainValues(v)}
	}
	panic(fmt.Sprintf("no attribute value for a %T", v))
}

// plainText writes a value so that equal values have equal texts.
func plainText(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberNULL:
		return "null"
	case *types.AttributeValueMemberS:
		return strconv.Quote(v.Value)
	case *types.AttributeValueMemberN:
		return v.Value
	case *types.AttributeValueMemberBOOL:
		return strconv.FormatBool(v.Value)
	case *types.AttributeValueMemberSS:
		return fmt.Sprintf("set%q", slices.Sorted(slices.Values(v.Value)))
	case *types.AttributeValueMemberL:
		var texts []string
		for _, e := range v.Value {
			texts = append(texts, plainText(e))
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case *types.AttributeValueMemberM:
		var texts []string
		for _, k := range slices.Sorted(maps.Keys(v.Value)) {
			texts = append(texts, strconv.Quote(k)+": "+plainText(v.Value[k]))
		}
		return "{" + strings.Join(texts, ", ") + "}"
	}
	return fmt.Sprintf("%T", v)
}
