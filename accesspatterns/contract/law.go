package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/validate"
)

// law is the formula of an invariant or guardrail. It is compiled when it is first needed.
type law struct {
	design  *ap.Design
	of      *ap.Law
	program func() (cel.Program, error)
	// What the formula reads is known once it is compiled.
	reads, constants map[string][]string
	acts             bool
	// unread is a look at more than that.
	unread atomic.Pointer[string]
}

// law reads the formula of an invariant or guardrail; nil where it has none.
func (b *builder) law(what string, at file.At, from *ap.Formula) *ap.Law {
	holds, keeps, notKept := from.Holds, from.Keeps, from.NotKept
	if holds == "" && keeps == "" {
		if notKept != nil || len(from.KeptByFlow)+len(from.KeptByOneClient) > 0 {
			b.report(at.Errorf("not-kept", "%s: who keeps a promise is said of a formula alone; add holds or keeps", what))
		}
		return nil
	}
	b.refuse(holds != "" && keeps != "", at, "keeps", "%s: expected holds, of every state, or keeps, of every change, found both", what)
	l, field := &law{design: b.design, of: &ap.Law{Text: holds, Written: at}}, "holds"
	if keeps != "" {
		l.of.Text, l.of.Keeps, field = keeps, true, "keeps"
	}
	if notKept != nil {
		l.of.Broken, l.of.Finding = notKept.Patterns, notKept.Finding
		b.known(notKept.Written, "finding", "not-kept: no finding", names(b.design.Findings), l.of.Finding)
		b.known(at, "not-kept", what+": no pattern", names(b.written.Patterns), l.of.Broken...)
	}
	l.of.ByFlow, l.of.Alone = from.KeptByFlow, from.KeptByOneClient
	b.known(at, "kept-by-flow", what+": no pattern", names(b.written.Patterns), l.of.ByFlow...)
	b.known(at, "kept-by-one-client", what+": no pattern of not-kept", l.of.Broken, l.of.Alone...)
	l.program = b.program(at, field, what+", "+field, l.compile)
	l.of.See, l.of.Holds = l.see, l.holds
	l.of.Read = func() (reads, constants map[string][]string, acts bool, err error) {
		_, err = l.program()
		return l.reads, l.constants, l.acts, err
	}
	return l.of
}

// see turns an item into what the formula sees: of its attributes those that it reads, and under key the parameters of its keys.
func (l *law) see(entity string, item ap.Item) any {
	_, _ = l.program() // which learns what is read
	seen := map[string]any{}
	for _, name := range l.reads[entity] {
		if value, has := item[name]; has {
			seen[name] = celtypes.DefaultTypeAdapter.NativeToValue(plain(value))
		}
	}
	if e, known := l.design.Entity(entity); known {
		params, _ := validate.ParseKeys(e, item)
		seen["key"] = celtypes.DefaultTypeAdapter.NativeToValue(map[string]string(params))
	}
	return seenItem{celtypes.NewStringInterfaceMap(celtypes.DefaultTypeAdapter, seen), l, entity}
}

// seenItem is an item as a formula sees it. Where the formula looks at more of it than is known to be read, however it came by the item,
// the formula cannot be decided: exploration varies what is read.
type seenItem struct {
	traits.Mapper
	law    *law
	entity string
}

// at notes a look at a part of the item.
func (s seenItem) at(name ref.Val) {
	if text, is := name.(celtypes.String); !is || text != "key" && !slices.Contains(s.law.reads[s.entity], string(text)) {
		s.beyond(fmt.Sprintf("at %v of an item of %s", name.Value(), s.entity))
	}
}

// whole notes a look at all of the item.
func (s seenItem) whole() { s.beyond("at a whole item of " + s.entity) }

func (s seenItem) beyond(what string) {
	what = "it looks " + what + ", and exploration varies what a formula names of the items that all, exists, filter or map go through"
	s.law.unread.CompareAndSwap(nil, &what)
}

func (s seenItem) Find(name ref.Val) (ref.Val, bool) { s.at(name); return s.Mapper.Find(name) }
func (s seenItem) Get(name ref.Val) ref.Val          { s.at(name); return s.Mapper.Get(name) }
func (s seenItem) Contains(name ref.Val) ref.Val     { s.at(name); return s.Mapper.Contains(name) }
func (s seenItem) Equal(other ref.Val) ref.Val       { s.whole(); return s.Mapper.Equal(other) }
func (s seenItem) Size() ref.Val                     { s.whole(); return s.Mapper.Size() }
func (s seenItem) Iterator() traits.Iterator         { s.whole(); return s.Mapper.Iterator() }

func (l *law) holds(before, after map[string][]any, role, user string) (bool, error) {
	program, err := l.program()
	if err != nil {
		return false, err
	}
	value, _, err := program.Eval(l.values(before, after, role, user))
	if beyond := l.unread.Load(); beyond != nil {
		return false, errors.New(*beyond)
	}
	return value == celtypes.True, err
}

// values are what the formula sees of the items before and after a change.
func (l *law) values(before, after map[string][]any, role, user string) map[string]any {
	if l.of.Keeps {
		return map[string]any{"before": byWord(before), "after": byWord(after), "role": role, "user": user}
	}
	return map[string]any{"items": byWord(after)}
}

// word is the name of an entity in a formula, where a - would be a minus.
func word(entity string) string { return strings.ReplaceAll(entity, "-", "_") }

func byWord(items map[string][]any) map[string]any {
	named := map[string]any{}
	for entity, all := range items {
		named[word(entity)] = all
	}
	return named
}

// maxLawCost bounds what the evaluation of a formula may cost, in CEL's units: a formula is evaluated for each of many
// thousands of states.
const maxLawCost = 100_000

// sum adds the numbers of a list.
func sum(list ref.Val) ref.Val {
	var total ref.Val = celtypes.Int(0)
	for it := list.(traits.Lister).Iterator(); it.HasNext() == celtypes.True; {
		adder, is := total.(traits.Adder)
		if !is {
			return total
		}
		next := it.Next()
		if _, isFloat := next.(celtypes.Double); isFloat {
			if whole, isInt := total.(celtypes.Int); isInt {
				adder = celtypes.Double(whole)
			}
		} else if whole, isInt := next.(celtypes.Int); isInt {
			if _, isFloat := total.(celtypes.Double); isFloat {
				next = celtypes.Double(whole)
			}
		}
		total = adder.Add(next)
	}
	return total
}

func (l *law) compile() (cel.Program, error) {
	items := cel.MapType(cel.StringType, cel.ListType(cel.DynType))
	options := append(slices.Clone(language), ext.Lists(), ext.Bindings(),
		cel.Function("sum", cel.MemberOverload("list_sum", []*cel.Type{cel.ListType(cel.DynType)}, cel.DynType, cel.UnaryBinding(sum))))
	if l.of.Keeps {
		options = append(options, cel.Variable("before", items), cel.Variable("after", items), cel.Variable("role", cel.StringType), cel.Variable("user", cel.StringType))
	} else {
		options = append(options, cel.Variable("items", items))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, err
	}
	parsed, err := parse(env, l.of.Text, cel.BoolType, cel.DynType)
	if err != nil {
		return nil, err
	}
	r := &lawReader{design: l.design, reads: map[string][]string{}, constants: map[string][]string{}}
	r.visit(ast.NavigateAST(parsed.NativeRep()), scope{}, nil)
	if r.problem != nil {
		return nil, r.problem
	}
	if len(r.reads) == 0 {
		return nil, fmt.Errorf("expected the items of an entity, such as items.%s, found none", word(l.design.Entities[0].ID))
	}
	l.reads, l.constants, l.acts = r.reads, r.constants, r.acts
	none := lists.Index(l.design.Entities, func(e ap.Entity) (string, []any) { return e.ID, nil })
	return bounded(env, parsed, maxLawCost, l.values(none, none, "", ""), cel.EvalOptions(cel.OptOptimize))
}

// scope is the entity whose items a variable of a formula goes through, by the variable's name.
type scope map[string]string

// lawReader finds what a formula reads.
type lawReader struct {
	design           *ap.Design
	reads, constants map[string][]string
	acts             bool
	problem          error
}

// note keeps members of a name, sorted and each once: none of an entity whose items are counted alone.
func note(sets map[string][]string, name string, members ...string) {
	if sets[name] == nil {
		sets[name] = []string{}
	}
	for _, member := range members {
		if at, known := slices.BinarySearch(sets[name], member); !known {
			sets[name] = slices.Insert(sets[name], at, member)
		}
	}
}

func (r *lawReader) wrong(format string, args ...any) {
	if r.problem == nil {
		r.problem = fmt.Errorf(format, args...)
	}
}

// entity returns the entity whose items an expression is a list of.
func (r *lawReader) entity(e ast.Expr, in scope) string {
	switch e.Kind() {
	case ast.SelectKind:
		operand := e.AsSelect().Operand()
		if operand.Kind() != ast.IdentKind || !slices.Contains([]string{"items", "before", "after"}, operand.AsIdent()) {
			return ""
		}
		for i := range r.design.Entities {
			if id := r.design.Entities[i].ID; word(id) == e.AsSelect().FieldName() {
				return id
			}
		}
		r.wrong("%s.%s: the contract has no entity of this name", operand.AsIdent(), e.AsSelect().FieldName())
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		inner, entity := r.within(c, in)
		if entity == "" {
			return r.entity(c.Result(), inner)
		}
		return entity
	case ast.CallKind:
		if call := e.AsCall(); call.IsMemberFunction() {
			return r.entity(call.Target(), in)
		} else if args := call.Args(); len(args) == 2 && call.FunctionName() == operators.Add {
			return r.entity(args[0], in)
		}
	case ast.IdentKind:
		return in["@list "+e.AsIdent()]
	}
	return ""
}

// attribute returns what an expression reads of an item: x.name, or x.key.parameter.
func (r *lawReader) attribute(e ast.Expr, in scope) (variable, entity, name string) {
	of, name := selected(e)
	if of == nil {
		return "", "", ""
	}
	if variable = of.AsIdent(); variable != "" {
		return variable, in[variable], name
	}
	if variable, entity, key := r.attribute(of, in); entity != "" && key == "key" {
		return variable, entity, "key." + name
	}
	return "", "", ""
}

// within is the scope of the parts of a comprehension, with the entity whose items it goes through.
func (r *lawReader) within(c ast.ComprehensionExpr, in scope) (inner scope, entity string) {
	inner, item := maps.Clone(in), c.IterVar()
	entity = r.entity(c.IterRange(), in)
	if c.HasIterVar2() { // the first is its place in the list
		item = c.IterVar2()
	}
	inner[item] = entity
	inner["@list "+c.AccuVar()] = r.entity(c.AccuInit(), in)
	inner[c.AccuVar()] = ""
	if init := c.AccuInit(); init.Kind() == ast.IdentKind { // another name of an item
		inner[c.AccuVar()] = in[init.AsIdent()]
	}
	return inner, entity
}

// visit notes what an expression reads. given are the attributes, as "variable.name", that it is only
// evaluated with.
func (r *lawReader) visit(e ast.NavigableExpr, in scope, given []string) {
	if entity := r.entity(e, in); entity != "" && e.Kind() == ast.SelectKind {
		note(r.reads, entity)
		return
	}
	if variable, entity, name := r.attribute(e, in); entity != "" {
		r.read(e, variable, entity, name, given)
		return
	}
	switch e.Kind() {
	case ast.IdentKind:
		r.acts = r.acts || e.AsIdent() == "role" || e.AsIdent() == "user"
	case ast.CallKind:
		r.call(e.AsCall(), e.Children(), in, given)
	default:
		for i, part := range e.Children() {
			if i == 2 && e.Kind() == ast.ComprehensionKind { // behind what it goes through and what it begins with
				in, _ = r.within(e.AsComprehension(), in)
			}
			r.visit(part, in, given)
		}
	}
}

// call notes what a call reads; args are the target of a member function, and what it is given.
func (r *lawReader) call(call ast.CallExpr, args []ast.NavigableExpr, in scope, given []string) {
	switch call.FunctionName() {
	case operators.Equals, operators.NotEquals:
		for _, arg := range args {
			if arg.Kind() == ast.IdentKind && in[arg.AsIdent()] != "" || arg.Kind() == ast.SelectKind && r.entity(arg, in) != "" {
				r.wrong("expected attributes that are compared, found whole items: exploration varies the attributes that a formula names")
			}
		}
	case operators.LogicalAnd, operators.LogicalOr, operators.Conditional:
		for i, arg := range args {
			with := slices.Clone(given)
			for j, other := range args {
				if i != j {
					with = append(with, r.tested(other, in)...)
				}
			}
			r.visit(arg, in, with)
		}
		return
	}
	for i, arg := range args {
		r.visit(arg, in, given)
		literals := []ast.NavigableExpr{arg}
		if arg.Kind() == ast.ListKind {
			literals = arg.Children()
		}
		for _, literal := range literals {
			if literal.Kind() != ast.LiteralKind || call.IsMemberFunction() {
				continue
			}
			for j, other := range args {
				if i != j {
					r.compared(other, in, fmt.Sprint(literal.AsLiteral().Value()))
					r.listed(call.FunctionName(), other, in, literal.AsLiteral())
				}
			}
		}
	}
}

// compared notes a constant for every attribute of an expression that is compared with it.
func (r *lawReader) compared(e ast.NavigableExpr, in scope, constant string) {
	if _, entity, name := r.attribute(e, in); entity != "" {
		note(r.constants, entity+"."+name, constant)
		return
	}
	if e.Kind() == ast.CallKind {
		for _, arg := range e.Children() {
			r.compared(arg, in, constant)
		}
	}
}

// listed refuses a comparison that is the same for every item: that of an attribute with a value which its closed list lacks.
func (r *lawReader) listed(operator string, e ast.Expr, in scope, constant ref.Val) {
	_, id, name := r.attribute(e, in)
	entity, _ := r.design.Entity(id)
	if entity == nil || !comparing(operator) || constant.Type() != celtypes.StringType && constant.Type() != celtypes.IntType {
		return
	}
	if a, is := entity.Attribute(name); is {
		if problem := offList(name+" of "+id, a.Allowed, fmt.Sprint(constant.Value())); problem != "" {
			r.wrong("%s", problem)
		}
	}
}

// tested are the attributes that an expression asks for with has().
func (r *lawReader) tested(e ast.Expr, in scope) (all []string) {
	if e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly() {
		if variable, entity, name := r.attribute(e, in); entity != "" {
			return []string{variable + "." + name}
		}
	}
	if e.Kind() == ast.CallKind {
		for _, arg := range e.AsCall().Args() {
			all = append(all, r.tested(arg, in)...)
		}
	}
	return all
}

// read notes that an attribute of an entity is read.
func (r *lawReader) read(e ast.Expr, variable, entity, name string, given []string) {
	of, _ := r.design.Entity(entity)
	parameter, isParameter := strings.CutPrefix(name, "key.")
	attribute, isAttribute := of.Attribute(name)
	key, isKey := of.Key(name)
	optional := isAttribute && attribute.Presence != ap.Required || isKey && key.Optional
	switch {
	case name == "key":
		return
	case isParameter && !slices.Contains(of.Parameters(), parameter):
		r.wrong("no key of entity %s has the parameter {%s}", entity, parameter)
	case !isParameter && !isAttribute && !isKey:
		r.wrong("entity %s has no attribute %s", entity, name)
	case optional && e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly() && !slices.Contains(given, variable+"."+name):
		r.wrong("attribute %s of entity %s is not in every item; ask for it with has(%s.%[1]s), or use a parameter of the key", name, entity, variable)
	}
	note(r.reads, entity, name)
}
