package safewrite

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
)

// errNotOfItem says that an update does not fit the item: DynamoDB refuses it then.
var errNotOfItem = errors.New("the update does not fit the item")

// UpdateExpression is an update expression with its placeholders.
type UpdateExpression struct {
	Expression string
	Names      map[string]string
	Values     map[string]types.AttributeValue
}

// Apply returns the item that the update makes of another one, which stays as it is.
// Before is nil where the key holds nothing; then the item begins as the key alone. Every
// right side is computed from before, as DynamoDB does. What Apply does not know, and
// what DynamoDB would refuse, is an error.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
func (u UpdateExpression) Apply(key, before accesspatterns.Item) (accesspatterns.Item, error) {
	old := before
	if old == nil {
		old = key
	}
	c := &computation{UpdateExpression: u, words: tokens(u.Expression), old: old}
	made := &types.AttributeValueMemberM{Value: cloneItem(old)}
	if len(c.words) == 0 {
		if u.Expression != "" {
			return nil, fmt.Errorf("update %q cannot be read", u.Expression)
		}
		return made.Value, nil // an update without an expression makes the item be there
	}
	var removed []path
	for c.peek() != "" {
		section := strings.ToUpper(c.next())
		for {
			at, err := c.path(c.next())
			if err == nil {
				switch section {
				case "SET":
					err = c.set(made, at)
				case "ADD", "DELETE":
					err = c.add(made, at, section == "DELETE")
				case "REMOVE":
					removed = append(removed, at)
				default:
					err = fmt.Errorf("expected SET, REMOVE, ADD or DELETE, found %q", section)
				}
			}
			if err != nil {
				return nil, fmt.Errorf("update %q: %w", u.Expression, err)
			}
			if c.peek() != "," {
				break
			}
			c.next()
		}
	}
	elements := 0
	for _, at := range removed {
		if at.last().name == "" {
			elements++
		}
		if elements > 1 { // engines disagree on what is where after the first
			return nil, fmt.Errorf("update %q: expected to remove one element of a list at most", u.Expression)
		}
		if err := remove(made, at); err != nil {
			return nil, fmt.Errorf("update %q: %w", u.Expression, err)
		}
	}
	return made.Value, nil
}

// computation is an update that is computed.
type computation struct {
	UpdateExpression
	words []string
	old   accesspatterns.Item
}

func (c *computation) peek() string {
	if len(c.words) == 0 {
		return ""
	}
	return c.words[0]
}

func (c *computation) next() string {
	word := c.peek()
	if word != "" {
		c.words = c.words[1:]
	}
	return word
}

func (c *computation) expect(word string) error {
	if found := c.next(); found != word {
		return fmt.Errorf("expected %q, found %q", word, found)
	}
	return nil
}

// tokens cuts an expression into words and single signs; nil when it holds anything
// else.
func tokens(expression string) []string {
	var words []string
	for rest := strings.TrimSpace(expression); rest != ""; rest = strings.TrimSpace(rest) {
		end := strings.IndexFunc(rest, func(r rune) bool {
			return !(r == '_' || r == '#' || r == ':' || r == '.' || r == '[' || r == ']' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
		})
		switch {
		case end < 0:
			end = len(rest)
		case end == 0 && strings.ContainsRune("(),=+-", rune(rest[0])):
			end = 1
		case end == 0:
			return nil
		}
		words, rest = append(words, rest[:end]), rest[end:]
	}
	return words
}

// path is a document path: an attribute, and members and elements within it.
type path []step

// step is the member of a map, or with an empty name an element of a list.
type step struct {
	name  string
	index int
}

func (p path) last() step { return p[len(p)-1] }

func (c *computation) path(word string) (path, error) {
	var p path
	for _, segment := range strings.Split(word, ".") {
		name, rest, indexed := strings.Cut(segment, "[")
		if strings.HasPrefix(name, "#") {
			name = c.Names[name]
		}
		if name == "" || strings.HasPrefix(name, ":") {
			return nil, fmt.Errorf("expected a path, found %q", word)
		}
		p = append(p, step{name: name, index: -1})
		for indexed {
			var digits string
			digits, rest, indexed = strings.Cut(rest, "[")
			index, err := strconv.Atoi(strings.TrimSuffix(digits, "]"))
			if err != nil || index < 0 || !strings.HasSuffix(digits, "]") {
				return nil, fmt.Errorf("expected a path, found %q", word)
			}
			p = append(p, step{index: index})
		}
	}
	return p, nil
}

func (c *computation) value(word string) (types.AttributeValue, error) {
	if value, given := c.Values[word]; given && value != nil {
		return value, nil
	}
	return nil, fmt.Errorf("expected a value, found %q, which none is given for", word)
}

// operand computes one operand of a SET; nil for a path that the item lacks.
func (c *computation) operand() (types.AttributeValue, error) {
	word := c.next()
	if strings.HasPrefix(word, ":") {
		return c.value(word)
	}
	if c.peek() != "(" {
		at, err := c.path(word)
		if err != nil {
			return nil, err
		}
		return find(c.old, at), nil
	}
	c.next()
	first, err := c.operand()
	if err == nil {
		err = c.expect(",")
	}
	if err != nil {
		return nil, err
	}
	second, err := c.operand()
	if err == nil {
		err = c.expect(")")
	}
	if err != nil {
		return nil, err
	}
	switch word {
	case "if_not_exists":
		if first != nil {
			return first, nil
		}
		return second, nil
	case "list_append":
		a, isList := first.(*types.AttributeValueMemberL)
		b, also := second.(*types.AttributeValueMemberL)
		if !isList || !also {
			return nil, fmt.Errorf("%w: expected two lists to append", errNotOfItem)
		}
		return &types.AttributeValueMemberL{Value: slices.Concat(a.Value, b.Value)}, nil
	}
	return nil, fmt.Errorf("unknown function %q", word)
}

func (c *computation) set(made *types.AttributeValueMemberM, at path) error {
	if err := c.expect("="); err != nil {
		return err
	}
	value, err := c.operand()
	if sign := c.peek(); err == nil && (sign == "+" || sign == "-") {
		c.next()
		var by types.AttributeValue
		if by, err = c.operand(); err == nil {
			value, err = sum(value, by, sign == "-")
		}
	}
	if err != nil {
		return err
	}
	if value == nil {
		return fmt.Errorf("%w: a path on the right side is not in the item", errNotOfItem)
	}
	return put(made, at, value)
}

// add carries out ADD, or DELETE with without.
func (c *computation) add(made *types.AttributeValueMemberM, at path, without bool) error {
	by, err := c.value(c.next())
	if err != nil {
		return err
	}
	before := find(c.old, at)
	if _, isNumber := by.(*types.AttributeValueMemberN); isNumber && !without {
		if before == nil {
			return put(made, at, by)
		}
		value, err := sum(before, by, false)
		if err != nil {
			return err
		}
		return put(made, at, value)
	}
	if before == nil && without {
		return nil
	}
	members, err := membersOf(by)
	if err != nil {
		return err
	}
	if before == nil {
		return put(made, at, by)
	}
	if accesspatterns.TypeOf(before) != accesspatterns.TypeOf(by) {
		return fmt.Errorf("%w: expected a set of the same type", errNotOfItem)
	}
	kept, err := membersOf(before)
	if err != nil {
		return err
	}
	same := func(x types.AttributeValue) func(types.AttributeValue) bool {
		return func(y types.AttributeValue) bool { return accesspatterns.Equal(x, y) }
	}
	for _, member := range members {
		if kept = slices.DeleteFunc(kept, same(member)); !without {
			kept = append(kept, member)
		}
	}
	if len(kept) == 0 {
		return remove(made, at) // no set is empty
	}
	return put(made, at, setOf(kept))
}

// membersOf takes a set apart.
func membersOf(set types.AttributeValue) (members []types.AttributeValue, err error) {
	switch set := set.(type) {
	case *types.AttributeValueMemberSS:
		for _, each := range set.Value {
			members = append(members, &types.AttributeValueMemberS{Value: each})
		}
	case *types.AttributeValueMemberNS:
		for _, each := range set.Value {
			members = append(members, &types.AttributeValueMemberN{Value: each})
		}
	case *types.AttributeValueMemberBS:
		for _, each := range set.Value {
			members = append(members, &types.AttributeValueMemberB{Value: each})
		}
	default:
		return nil, fmt.Errorf("%w: expected a set, or with ADD a Number", errNotOfItem)
	}
	return members, nil
}

func setOf(members []types.AttributeValue) types.AttributeValue {
	switch members[0].(type) {
	case *types.AttributeValueMemberN:
		set := &types.AttributeValueMemberNS{}
		for _, member := range members {
			set.Value = append(set.Value, member.(*types.AttributeValueMemberN).Value)
		}
		return set
	case *types.AttributeValueMemberB:
		set := &types.AttributeValueMemberBS{}
		for _, member := range members {
			set.Value = append(set.Value, member.(*types.AttributeValueMemberB).Value)
		}
		return set
	}
	set := &types.AttributeValueMemberSS{}
	for _, member := range members {
		set.Value = append(set.Value, member.(*types.AttributeValueMemberS).Value)
	}
	return set
}

// sum adds two Numbers, or takes the second away, without rounding.
func sum(a, b types.AttributeValue, minus bool) (types.AttributeValue, error) {
	x, isNumber := a.(*types.AttributeValueMemberN)
	y, also := b.(*types.AttributeValueMemberN)
	if !isNumber || !also {
		return nil, fmt.Errorf("%w: expected two Numbers that the item has", errNotOfItem)
	}
	p, ok := new(big.Rat).SetString(x.Value)
	q, valid := new(big.Rat).SetString(y.Value)
	if !ok || !valid {
		return nil, errors.New("expected two Numbers")
	}
	if minus {
		q.Neg(q)
	}
	p.Add(p, q)
	digits, _ := p.FloatPrec() // the sum of two decimals is one
	return &types.AttributeValueMemberN{Value: p.FloatString(digits)}, nil
}

// find returns what stands at a path; nil when nothing does.
func find(item accesspatterns.Item, at path) types.AttributeValue {
	var value types.AttributeValue = &types.AttributeValueMemberM{Value: item}
	for _, s := range at {
		switch parent := value.(type) {
		case *types.AttributeValueMemberM:
			value = nil
			if s.name != "" {
				value = parent.Value[s.name]
			}
		case *types.AttributeValueMemberL:
			value = nil
			if s.name == "" && s.index < len(parent.Value) {
				value = parent.Value[s.index]
			}
		default:
			return nil
		}
	}
	return value
}

// put stores a value at a path. DynamoDB makes no parents.
func put(in *types.AttributeValueMemberM, at path, value types.AttributeValue) error {
	last := at.last()
	switch parent := find(in.Value, at[:len(at)-1]).(type) {
	case *types.AttributeValueMemberM:
		if last.name != "" {
			parent.Value[last.name] = value
			return nil
		}
	case *types.AttributeValueMemberL:
		switch {
		case last.name != "":
		case last.index < len(parent.Value):
			parent.Value[last.index] = value
			return nil
		case last.index == len(parent.Value):
			parent.Value = append(parent.Value, value)
			return nil
		default: // engines disagree on what is between
			return errors.New("expected an element of the list, or the one behind its last")
		}
	}
	return fmt.Errorf("%w: the item has nothing that the path leads into", errNotOfItem)
}

func remove(in *types.AttributeValueMemberM, at path) error {
	last := at.last()
	switch parent := find(in.Value, at[:len(at)-1]).(type) {
	case *types.AttributeValueMemberM:
		if last.name != "" {
			delete(parent.Value, last.name)
			return nil
		}
	case *types.AttributeValueMemberL:
		if last.name == "" {
			if last.index < len(parent.Value) {
				parent.Value = slices.Delete(parent.Value, last.index, last.index+1)
			}
			return nil
		}
	}
	return errors.New("the item has nothing that the path leads into")
}

// cloneItem copies an item with all maps and lists in it.
func cloneItem(item accesspatterns.Item) accesspatterns.Item {
	copied := make(accesspatterns.Item, len(item))
	for name, value := range item {
		copied[name] = cloneValue(value)
	}
	return copied
}

func cloneValue(value types.AttributeValue) types.AttributeValue {
	switch value := value.(type) {
	case *types.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: cloneItem(value.Value)}
	case *types.AttributeValueMemberL:
		copied := make([]types.AttributeValue, len(value.Value))
		for i, element := range value.Value {
			copied[i] = cloneValue(element)
		}
		return &types.AttributeValueMemberL{Value: copied}
	}
	return value
}
