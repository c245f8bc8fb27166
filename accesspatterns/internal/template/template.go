// Package template takes key templates apart, once for each, and matches keys
// against them. The contract and the guard share it, so that they accept exactly the
// same keys; what a template is, [dynaproof/accesspatterns.KeyTemplate] says.
package template

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Max bounds the parameters of a template, so that a match needs no allocation.
const Max = 24

// Piece is literal text, or a parameter where Literal is empty.
type Piece struct {
	Literal, Parameter string
	// Until is the separator behind a parameter, at which its value ends: the
	// character with which the literal behind it begins, as often as it stands
	// there, or the whole literal where that is a letter or digit. The last piece
	// has none.
	Until string
}

// Template is a template in pieces, no two literals or parameters side by side.
type Template []Piece

// Values are what a key gives to the parameters of a template, in their order.
type Values [Max]string

// Parse takes a template apart.
func Parse(text string) (Template, error) {
	var t Template
	parameters := 0
	for rest := text; rest != ""; {
		literal, after, found := strings.Cut(rest, "{")
		if literal != "" {
			if n := len(t); n > 0 {
				t[n-1].Until = separator(literal)
			}
			t = append(t, Piece{Literal: literal})
		}
		if !found {
			break
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed || name == "" {
			return nil, errors.New("expected a parameter name between '{' and '}'")
		}
		if n := len(t); n > 0 && t[n-1].Literal == "" {
			return nil, errors.New("two parameters need literal text between them")
		}
		if parameters++; parameters > Max {
			return nil, fmt.Errorf("expected at most %d parameters", Max)
		}
		t, rest = append(t, Piece{Parameter: name}), tail
	}
	return t, nil
}

// separator is what a value ends at that this literal follows.
func separator(literal string) string {
	first, size := utf8.DecodeRuneInString(literal)
	if unicode.IsLetter(first) || unicode.IsDigit(first) {
		return literal
	}
	end := size
	for strings.HasPrefix(literal[end:], literal[:size]) {
		end += size
	}
	return literal[:end]
}

// Take takes the template off the beginning of a text and notes what the parameters
// are. A parameter reaches to the separator behind it, and the last piece to the end.
func (t Template) Take(text string, values *Values) (rest string, ok bool) {
	n := 0
	for i := range t {
		p := &t[i]
		if p.Literal != "" {
			if !strings.HasPrefix(text, p.Literal) {
				return text, false
			}
			text = text[len(p.Literal):]
			continue
		}
		end := len(text)
		if i+1 < len(t) {
			end = strings.Index(text, p.Until)
		}
		if end <= 0 {
			return text, false
		}
		values[n], text = text[:end], text[end:]
		n++
	}
	return text, true
}
