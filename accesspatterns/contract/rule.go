package contract

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/validate"
)

// rule is a rule between attributes, written in CEL. It is compiled when it is
// first needed, because most programs that read a contract check no item.
type rule struct {
	of              *ap.Entity
	text            string
	says, attribute string

	// attributes and parameters are those that the expression speaks of; whole says that it speaks of the item or the key as
	// a whole as well.
	attributes, parameters map[string]bool
	whole                  bool

	// program compiles the rule at its first call.
	program func() (cel.Program, error)
}

// charge is what calls cost beside the steps that CEL counts: whoever goes through a text or a list goes through each part of it, and
// whoever looks for one text in another through both.
type charge struct{}

// CallCost implements [interpreter.ActualCostEstimator]. What CEL charges by size itself is left to it: operators, and two functions.
func (charge) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	if strings.ContainsAny(function[:1], "_@!-") || slices.Contains([]string{"contains", "matches"}, function) {
		return nil
	}
	cost, searched := uint64(1), uint64(1)
	for _, arg := range args {
		if sized, is := arg.(traits.Sizer); is {
			tenths := uint64(sized.Size().(celtypes.Int))/10 + 1
			cost, searched = cost+tenths, searched*tenths
		}
	}
	if slices.Contains([]string{"indexOf", "lastIndexOf"}, function) {
		cost = searched
	}
	return &cost
}

// counted is a call that goes through whole values, or makes a longer one. CEL counts the cost of a call when it is over, and by the first
// level of what it is given.
type counted struct {
	interpreter.InterpretableCall
	most int
}

// bounded is a program that ends after so many steps; options are further ones. A sum of texts or lists that is longer, and a comparison
// of values that have more parts, end it too: what is added to itself, and values that are made of one another many times over, would
// be gone through without an end. Its error is that of an expression which does not end with these values.
func bounded(env *cel.Env, parsed *cel.Ast, most int, values map[string]any, options ...cel.ProgramOption) (cel.Program, error) {
	program, err := env.Program(parsed, append(options, cel.CostTracking(charge{}), cel.CostLimit(uint64(most)), cel.CustomDecorator(func(i interpreter.Interpretable) (interpreter.Interpretable, error) {
		call, is := i.(interpreter.InterpretableCall)
		if is && (comparing(call.Function()) || call.Function() == operators.Add) {
			return counted{call, most}, nil
		}
		return i, nil
	}))...)
	if err != nil {
		return nil, err
	}
	if _, _, err := program.Eval(values); errors.As(err, &interpreter.EvalCancelledError{}) {
		return nil, fmt.Errorf("expected an expression that ends after %d steps, found that it takes more of them whatever the items are; "+
			"write it with fewer loops in each other, and compare parts of values", most)
	}
	return program, nil
}

// comparing reports whether an operator compares values, or a value with those of a list.
func comparing(operator string) bool {
	return slices.Contains([]string{operators.Equals, operators.NotEquals, operators.In}, operator)
}

// Eval cancels the evaluation as CEL does at the end of its cost.
func (c counted) Eval(vars interpreter.Activation) ref.Val {
	within := func(is bool) {
		if !is {
			panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded, Message: "a value with too many parts"})
		}
	}
	if c.Function() == operators.Add {
		sum := c.InterpretableCall.Eval(vars)
		if sized, is := sum.(traits.Sizer); is {
			within(sized.Size().(celtypes.Int) <= celtypes.Int(c.most))
		}
		return sum
	}
	a, b := c.Args()[0].Eval(vars), c.Args()[1].Eval(vars)
	for _, value := range []ref.Val{a, b} {
		if celtypes.IsUnknownOrError(value) {
			return value
		}
		within(parts(value, c.most) <= c.most)
	}
	switch c.Function() {
	case operators.Equals:
		return celtypes.Equal(a, b)
	case operators.NotEquals:
		return celtypes.Bool(celtypes.Equal(a, b) != celtypes.True)
	}
	if in, is := b.(traits.Container); is {
		return in.Contains(a)
	}
	return celtypes.ValOrErr(b, "no such overload")
}

// parts counts a value and all that it is made of, each as often as it is there, until there are more than most.
func parts(value ref.Val, most int) (n int) {
	var all traits.Iterator
	member := func(next ref.Val) ref.Val { return next }
	switch value := value.(type) {
	case *celtypes.Optional:
		if value.HasValue() {
			return 1 + parts(value.GetValue(), most-1)
		}
		return 1
	case traits.Mapper:
		all, member = value.Iterator(), value.Get
	case traits.Lister:
		all = value.Iterator()
	default:
		return 1
	}
	for n = 1; n <= most && all.HasNext() == celtypes.True; {
		n += parts(member(all.Next()), most-n)
	}
	return n
}

// check evaluates the rule for an item. The expression sees as item the attributes
// that are right by themselves and as key the parameters of the item's keys. An
// expression that needs another one says nothing: what is missing although it is
// required, or wrong by itself, is a violation of its own, and one fault is reported
// once. An expression that has no value for what is there does not hold: a type that
// an operator does not take, a text that is no timestamp, a division by zero.
func (r *rule) check(item ap.Item) error {
	program, err := r.program()
	if err != nil {
		return err
	}
	key := map[string]string{}
	if r.whole || len(r.parameters) > 0 {
		params, _ := validate.ParseKeys(r.of, item)
		key = params
	}
	right := r.right(item)
	switch value, _, err := program.Eval(map[string]any{"item": right, "key": key}); {
	case errors.As(err, &interpreter.EvalCancelledError{}):
		return fmt.Errorf("expected that %s, and could not tell it within %d steps of CEL; write the rule with fewer loops in each other", r.says, mostCost)
	case err == nil && value == celtypes.True, err != nil && r.lacks(err, item, right, key):
		return nil
	case err != nil:
		return fmt.Errorf("expected that %s, and could not tell it of %s %s: %w", r.says, r.attribute, dynamo.Show(item[r.attribute]), err)
	}
	return fmt.Errorf("expected that %s, found %s %s", r.says, r.attribute, dynamo.Show(item[r.attribute]))
}

// lacks reports whether an expression has no value because of what the item may lack
// or what is reported by itself: an attribute or a parameter that is not among those
// that are right, or a NULL where the document allows one.
func (r *rule) lacks(err error, item ap.Item, right map[string]any, key map[string]string) bool {
	missing, isMissing := strings.CutPrefix(err.Error(), "no such key: ")
	if _, is := key[missing]; isMissing && r.parameters[missing] && !is {
		return true
	}
	if _, is := right[missing]; isMissing && r.attributes[missing] && !is {
		return true
	}
	for attribute := range lists.Each(r.of.Attributes) {
		if above, name := path.Split(strings.ReplaceAll(attribute.Name, ".", "/")); isMissing && above != "" && name == missing && len(attribute.Values(item)) == 0 {
			return true // a documented member of a map
		}
		if value, is := right[attribute.Name]; is && value == nil && r.attributes[attribute.Name] && attribute.Presence == ap.Nullable {
			return true
		}
	}
	return false
}

// right returns those of the attributes that the expression speaks of that break nothing by themselves, as CEL
// knows values.
func (r *rule) right(item ap.Item) map[string]any {
	right := map[string]any{}
	for key := range lists.Each(r.of.Keys) {
		if !r.whole && !r.attributes[key.Attribute] {
			continue
		}
		if text := dynamo.ScalarText(item[key.Attribute]); text != "" {
			if _, err := key.Template.Parse(text); err == nil && dynamo.TypeOf(item[key.Attribute]) == key.ValueType() {
				right[key.Attribute] = plain(item[key.Attribute])
			}
		}
	}
	for attribute := range lists.Each(r.of.Attributes) {
		if !r.whole && !r.attributes[attribute.Name] {
			continue
		}
		if value, present := item[attribute.Name]; present && len(validate.Attribute(attribute, item)) == 0 {
			right[attribute.Name] = plain(value)
		}
	}
	return right
}

// plain turns a value of DynamoDB into one of CEL. A Number without a fraction is
// an int, any other a double.
func plain(value types.AttributeValue) any {
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		return value.Value
	case *types.AttributeValueMemberN:
		return plainNumber(value.Value)
	case *types.AttributeValueMemberB:
		return value.Value
	case *types.AttributeValueMemberBOOL:
		return value.Value
	case *types.AttributeValueMemberM:
		members := map[string]any{}
		for name, member := range value.Value {
			members[name] = plain(member)
		}
		return members
	case *types.AttributeValueMemberL:
		elements := []any{}
		elements = append(elements, lists.Map(value.Value, plain)...)
		return elements
	case *types.AttributeValueMemberSS:
		return value.Value
	case *types.AttributeValueMemberNS:
		numbers := []any{}
		numbers = append(numbers, lists.Map(value.Value, plainNumber)...)
		return numbers
	case *types.AttributeValueMemberBS:
		return value.Value
	}
	return nil
}

func plainNumber(text string) any {
	if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
		return whole
	}
	number, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return nil
	case number == math.Trunc(number) && math.Abs(number) < 1<<53:
		return int64(number)
	}
	return number
}

// mostCost bounds the evaluation of a rule for one item, in CEL's own units: about one for each operation and each ten characters
// of text. The rules of the shipped contracts need less than 100. A time would not be the same on every machine.
const mostCost = 200_000

// language is what rules and formulas have in common: CEL with numbers that compare whatever their type, and functions for texts and numbers.
var language = []cel.EnvOption{cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), ext.Strings(), ext.Math(), ext.TwoVarComprehensions()}

// environment is that of all rules: CEL with its string functions and the
// notations that attributes have.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	notation := func(name string, is func(string) bool) cel.EnvOption {
		return cel.Function(name, cel.MemberOverload("string_"+name, []*cel.Type{cel.StringType}, cel.BoolType,
			cel.UnaryBinding(func(text ref.Val) ref.Val { return celtypes.Bool(is(string(text.(celtypes.String)))) })))
	}
	return cel.NewEnv(append(slices.Clone(language),
		cel.Variable("item", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("key", cel.MapType(cel.StringType, cel.StringType)),
		notation("isUUID", validate.IsUUID), notation("isDate", validate.Parses(time.DateOnly)), notation("isTimestamp", validate.Parses(time.RFC3339Nano)),
	)...)
})

// parse reads an expression that is true or false, or of one of these types.
func parse(env *cel.Env, text string, types ...*cel.Type) (*cel.Ast, error) {
	parsed, issues := env.Compile(text)
	if issues.Err() != nil {
		problems := lists.Map(issues.Errors(), func(issue *cel.Error) string {
			return fmt.Sprintf("at character %d: %s", issue.Location.Column()+1, issue.Message)
		})
		return nil, errors.New(strings.Join(problems, "; "))
	}
	for _, e := range ast.MatchDescendants(ast.NavigateAST(parsed.NativeRep()), ast.KindMatcher(ast.CallKind)) {
		if name := e.AsCall().FunctionName(); slices.Contains(endless, name) {
			return nil, fmt.Errorf("expected an expression without %s, which may take any time and memory; compare parts of the value", name)
		}
	}
	if !slices.Contains(types, parsed.OutputType()) {
		return nil, fmt.Errorf("expected an expression that is true or false, found one of type %s", parsed.OutputType())
	}
	return parsed, nil
}

func (r *rule) compile() (cel.Program, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	parsed, err := parse(env, r.text, cel.BoolType)
	if err != nil {
		return nil, err
	}
	if err := r.unknown(parsed.NativeRep().Expr()); err != nil {
		return nil, err
	}
	return bounded(env, parsed, mostCost, map[string]any{"item": map[string]any{}, "key": map[string]string{}})
}

// unknown names an attribute or parameter that the expression speaks of and the
// entity does not have: it would never say anything.
func (r *rule) unknown(expression ast.Expr) (problem error) {
	r.attributes, r.parameters = map[string]bool{}, map[string]bool{}
	alone := 0
	ast.PostOrderVisit(expression, ast.NewExprVisitor(func(e ast.Expr) {
		of, name := selected(e)
		owner := ""
		if of != nil {
			owner = of.AsIdent()
		}
		if e.Kind() == ast.IdentKind && slices.Contains([]string{"item", "key"}, e.AsIdent()) {
			alone++
		}
		if owner == "item" || owner == "key" {
			alone--
		}
		_, isAttribute := r.of.TypeOf(name)
		isParameter := slices.Contains(r.of.Parameters(), name)
		switch {
		case owner == "item" && !isAttribute:
			problem = fmt.Errorf("entity %s has no attribute %s", r.of.ID, name)
		case owner == "key" && !isParameter:
			problem = fmt.Errorf("no key of entity %s has the parameter {%s}", r.of.ID, name)
		case owner == "item":
			r.attributes[name] = true
		case owner == "key":
			r.parameters[name] = true
		}
	}))
	r.whole = alone > 0
	return problem
}

// endless are the functions of which one step takes any time and memory: they make a text or a list that is as long as what they are
// given multiplied, or compare each element with each. CEL counts their cost when they are over.
var endless = []string{"replace", "join", "format", "lists.range", "flatten", "distinct"}

// selected returns what item.name, item.?name, item['name'] and item[?'name'] select a member of, and its name; nil for any other expression.
func selected(e ast.Expr) (of ast.Expr, name string) {
	switch e.Kind() {
	case ast.SelectKind:
		return e.AsSelect().Operand(), e.AsSelect().FieldName()
	case ast.CallKind:
		args := e.AsCall().Args()
		if len(args) == 2 && args[1].Kind() == ast.LiteralKind && slices.Contains([]string{operators.OptSelect, operators.OptIndex, operators.Index}, e.AsCall().FunctionName()) {
			if text, is := args[1].AsLiteral().(celtypes.String); is {
				return args[0], string(text)
			}
		}
	}
	return nil, ""
}

// program compiles an expression at its first call. Its mistakes are those of the field of which the expression is.
func (b *builder) program(at file.At, field, what string, compile func() (cel.Program, error)) func() (cel.Program, error) {
	program := sync.OnceValues(func() (cel.Program, error) {
		program, err := compile()
		if err != nil {
			return nil, at.Errorf(field, "%s: %v", what, err)
		}
		return program, nil
	})
	b.programs = append(b.programs, program)
	return program
}

// compile reports rules and formulas that do not compile.
func (b *builder) compile() {
	for _, program := range b.programs {
		if _, err := program(); err != nil {
			b.report(err)
		}
	}
}
