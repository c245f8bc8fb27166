package guard

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// clause is a section of an update expression.
type clause string

const (
	clauseSet    clause = "SET"
	clauseRemove clause = "REMOVE"
	clauseAdd    clause = "ADD"
	clauseDelete clause = "DELETE"
)

// change is what an update expression does to one path.
type change struct {
	clause clause
	path   string
	// value is nil for REMOVE, and for a SET that computes with stored values.
	value types.AttributeValue
	// sign and by are set for a SET of the form path = path + :by or - :by.
	sign string
	by   types.AttributeValue
}

// parseUpdate takes an update expression apart. What it does not know is an
// error.
func parseUpdate(text string, names map[string]string, values map[string]types.AttributeValue) ([]change, error) {
	p := parser{lexer: lexer{text: text}, names: names, values: values}
	p.next()
	var changes []change
	for p.token != "" {
		section := clause(strings.ToUpper(p.token))
		p.next()
		for {
			c := change{clause: section}
			var err error
			if c.path, err = p.path(); err != nil {
				return nil, err
			}
			switch section {
			case clauseSet:
				if err = p.expect("="); err == nil {
					err = p.assigned(&c)
				}
			case clauseAdd, clauseDelete:
				c.value, err = p.value()
			case clauseRemove:
			default:
				err = errSyntax
			}
			if err != nil {
				return nil, err
			}
			changes = append(changes, c)
			if p.token != "," {
				break
			}
			p.next()
		}
	}
	if p.bad || len(changes) == 0 {
		return nil, errSyntax
	}
	return changes, nil
}

// assigned reads the right side of an assignment into the change. Its value
// stays nil unless it is one value and nothing else.
func (p *parser) assigned(c *change) error {
	stored := p.token
	value, err := p.updateOperand(0)
	if err != nil {
		return err
	}
	if p.token != "+" && p.token != "-" {
		c.value = value
		return nil
	}
	sign := p.token
	p.next()
	by, err := p.updateOperand(0)
	if err == nil && stored == c.path {
		c.sign, c.by = sign, by
	}
	return err
}

func (p *parser) updateOperand(depth int) (types.AttributeValue, error) {
	if depth == maxDepth {
		return nil, errTerms
	}
	if strings.HasPrefix(p.token, ":") {
		return p.value()
	}
	function := p.token
	if function == "if_not_exists" || function == "list_append" {
		p.next()
		if err := p.expect("("); err != nil {
			return nil, err
		}
		if _, err := p.updateOperand(depth + 1); err != nil {
			return nil, err
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
		if _, err := p.updateOperand(depth + 1); err != nil {
			return nil, err
		}
		return nil, p.expect(")")
	}
	_, err := p.path()
	return nil, err
}
