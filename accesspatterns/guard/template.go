package guard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/internal/template"
)

// parameters numbers the parameter names of one read or write step.
type parameters struct{ names []string }

func (p *parameters) slot(name string) (int, error) {
	if i := slices.Index(p.names, name); i >= 0 {
		return i, nil
	}
	if len(p.names) == template.Max {
		return 0, fmt.Errorf("expected at most %d parameters, found one more, {%s}", template.Max, name)
	}
	p.names = append(p.names, name)
	return len(p.names) - 1, nil
}

// bindings are the values of parameters by slot; unset ones are empty, because
// no parameter of a key may be.
type bindings [template.Max]string

// bind gives a parameter its value, and reports whether it had no other.
func (b *bindings) bind(slot int, value string) bool {
	if b[slot] != "" {
		return b[slot] == value
	}
	b[slot] = value
	return true
}

// operand is a key template that was taken apart once, with the slots of its
// parameters.
type operand struct {
	source accesspatterns.KeyTemplate
	typ    dynamo.Type
	pieces template.Template
	slots  []int
}

func compileOperand(typ dynamo.Type, source accesspatterns.KeyTemplate, params *parameters) (operand, error) {
	compiled := operand{source: source, typ: typ}
	var err error
	if compiled.pieces, err = template.Parse(string(source)); err != nil {
		return compiled, fmt.Errorf("key template %q: %w", source, err)
	}
	for _, p := range compiled.pieces {
		if p.Literal != "" {
			continue
		}
		slot, err := params.slot(p.Parameter)
		if err != nil {
			return compiled, err
		}
		compiled.slots = append(compiled.slots, slot)
	}
	return compiled, nil
}

// head is the first segment of the template with its '#', by which reads are
// looked up; empty when the template does not begin with a whole one.
func (o *operand) head() string {
	if o.typ != dynamo.String || len(o.pieces) == 0 || o.pieces[0].Literal == "" {
		return ""
	}
	literal := o.pieces[0].Literal
	if i := strings.IndexByte(literal, '#'); i >= 0 {
		return literal[:i+1]
	}
	if len(o.pieces) == 1 {
		return literal
	}
	return ""
}

// headOf is the first segment of a value with its '#', or the whole value.
func headOf(text string) string {
	if i := strings.IndexByte(text, '#'); i >= 0 {
		return text[:i+1]
	}
	return text
}

// match reports whether the text has the template's form, and binds the
// parameters.
func (o *operand) match(text string, bound *bindings) bool {
	var values template.Values
	if rest, ok := o.pieces.Take(text, &values); !ok || rest != "" {
		return false
	}
	for i, slot := range o.slots {
		if !bound.bind(slot, values[i]) {
			return false
		}
	}
	return true
}

// alike reports whether the same values may be of either operand.
func (o *operand) alike(other *operand) bool {
	return o.typ == other.typ && slices.EqualFunc(o.pieces, other.pieces, func(a, b template.Piece) bool { return a.Literal == b.Literal })
}

// matchValue reports whether a value has the operand's type and form.
func (o *operand) matchValue(value types.AttributeValue, bound *bindings) bool {
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		return o.typ == dynamo.String && o.match(value.Value, bound)
	case *types.AttributeValueMemberN:
		if o.typ != dynamo.Number {
			return false
		}
		if o.match(value.Value, bound) {
			return true
		}
		// DynamoDB compares Numbers by value: 1.0 is 1.
		return len(o.pieces) == 1 && o.pieces[0].Literal != "" &&
			dynamo.Equal(value, &types.AttributeValueMemberN{Value: o.pieces[0].Literal})
	case *types.AttributeValueMemberBOOL:
		return o.typ == dynamo.Boolean && o.match(strconv.FormatBool(value.Value), bound)
	case *types.AttributeValueMemberSS:
		return o.typ == dynamo.StringSet && len(value.Value) == 1 && o.match(value.Value[0], bound)
	}
	return false
}

// describe shows the type of a value and the form of its text.
func describe(value types.AttributeValue) string {
	if value == nil {
		return "no value"
	}
	return fmt.Sprintf("%s of %s", dynamo.TypeOf(value), masked(dynamo.ScalarText(value)))
}
