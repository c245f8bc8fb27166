package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/syntax"
)

// unknown stands in a word for what only the shell, make or the reader fills in.
const unknown = "\x00"

// Line is one command that somebody or something will run.
type Line struct {
	// File is its file below the root, and Number its line there.
	File   string
	Number int
	// Words are the program and its arguments, unquoted.
	Words []string
	// Mention says that prose names the command: what is left out of it is not wrong.
	Mention bool
}

func (l Line) String() string {
	return fmt.Sprintf("%s:%d: %s", l.File, l.Number, strings.ReplaceAll(strings.Join(l.Words, " "), unknown, "…"))
}

// After returns the arguments after a program's words, such as "go", "run", "./x"; ok says whether the line calls it.
func (l Line) After(program ...string) (arguments []string, ok bool) {
	words := l.Words
	for len(words) > 0 && slices.Contains([]string{"exec", "nice", "time"}, words[0]) {
		words = words[1:]
	}
	if len(words) < len(program) || !slices.Equal(words[:len(program)], program) {
		return nil, false
	}
	return words[len(program):], true
}

// Lines returns the commands of all files below a root: of workflows, the GitLab example, .ci/run, the Makefile, and the
// Markdown files. It fails on a script that Bash would not parse.
func Lines(root string) ([]Line, error) {
	var lines []Line
	var problems []error
	files, err := sources(root)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		scripts, err := scriptsOf(file, string(content))
		problems = append(problems, err)
		for _, script := range scripts {
			found, err := script.lines()
			problems = append(problems, err)
			lines = append(lines, found...)
		}
	}
	return lines, errors.Join(problems...)
}

// sources lists the files that hold commands, relative to the root.
func sources(root string) (files []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() && (name == ".git" || name == "build") {
			return filepath.SkipDir
		}
		if !entry.IsDir() && kindOf(name) != "" {
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

func kindOf(file string) string {
	switch {
	case file == "Makefile":
		return "make"
	case file == ".ci/run":
		return "shell"
	case strings.HasSuffix(file, ".md"):
		return "markdown"
	case strings.HasPrefix(file, ".github/workflows/"), file == ".ci/gitlab.yml":
		return "yaml"
	}
	return ""
}

// script is shell text in a file.
type script struct {
	file    string
	number  int // line of its first line
	text    string
	mention bool
}

func scriptsOf(file, content string) ([]script, error) {
	switch kindOf(file) {
	case "make":
		return recipes(file, content), nil
	case "shell":
		return []script{{file, 1, content, false}}, nil
	case "markdown":
		return markdown(file, content), nil
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(content), &document); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return steps(file, &document), nil
}

// lines parses a script, and returns every simple command in it.
func (s script) lines() (lines []Line, err error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(s.text), "")
	if err != nil {
		if s.mention { // prose quotes more than commands
			return nil, nil
		}
		return nil, fmt.Errorf("%s:%d: expected a script that Bash parses: %w", s.file, s.number, err)
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		line := Line{File: s.file, Number: s.number + int(call.Pos().Line()) - 1, Mention: s.mention}
		for _, word := range call.Args {
			line.Words = append(line.Words, plain(word.Parts))
		}
		lines = append(lines, line)
		return true
	})
	return lines, nil
}

// plain returns a word as the program gets it, with what the shell fills in as unknown.
func plain(parts []syntax.WordPart) string {
	var text strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text.WriteString(part.Value)
		case *syntax.SglQuoted:
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			text.WriteString(plain(part.Parts))
		default:
			text.WriteString(unknown)
		}
	}
	return text.String()
}

// steps returns the scripts of a workflow or of a GitLab file.
func steps(file string, node *yaml.Node) (scripts []script) {
	if node.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if slices.Contains([]string{"run", "script", "before_script", "after_script"}, node.Content[i].Value) {
				scripts = append(scripts, scalars(file, node.Content[i+1])...)
			}
		}
	}
	for _, child := range node.Content {
		scripts = append(scripts, steps(file, child)...)
	}
	return scripts
}

func scalars(file string, node *yaml.Node) (scripts []script) {
	switch node.Kind {
	case yaml.ScalarNode:
		number := node.Line
		if node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			number++ // the text begins below the sign
		}
		return []script{{file, number, node.Value, false}}
	case yaml.SequenceNode:
		for _, child := range node.Content {
			scripts = append(scripts, scalars(file, child)...)
		}
	}
	return scripts
}

var (
	makeCall     = regexp.MustCompile(`\$\((?:[^()]|\([^()]*\))*\)`)
	makeVariable = map[string]string{"$(DYNAPROOF)": "build/dynaproof", "$(BUILD)": "build"}
)

// recipes returns the recipes of a Makefile, each logical line by itself as make runs them.
func recipes(file, content string) (scripts []script) {
	lines := strings.Split(content, "\n")
	for i := 0; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "\t") {
			continue
		}
		number, text := i+1, strings.TrimLeft(lines[i][1:], "@-+")
		for strings.HasSuffix(text, `\`) && i+1 < len(lines) {
			i++
			text += "\n" + lines[i]
		}
		text = makeCall.ReplaceAllStringFunc(text, func(call string) string {
			if value, ok := makeVariable[call]; ok {
				return value
			}
			return "${MAKE_FILLS_IN}"
		})
		scripts = append(scripts, script{file, number, strings.ReplaceAll(text, "$$", "$"), false})
	}
	return scripts
}

var (
	fenced     = regexp.MustCompile("(?ms)^ *```(\\w*)\n(.*?)^ *```$")
	codeSpan   = regexp.MustCompile("`([^`]+)`")
	prompt     = regexp.MustCompile(`^ *\$ `)
	readerFill = regexp.MustCompile(`<[\w-]+>|\[[A-Z]+(?:\.\.\.)?\]|\b[A-Z]+\b(?:\.\.\.)?|\.\.\.`)
)

// markdown returns what stands after a prompt in code blocks, and code spans.
func markdown(file, content string) (scripts []script) {
	numberOf := func(at int) int { return 1 + strings.Count(content[:at], "\n") }
	prose := []byte(content)
	for _, block := range fenced.FindAllStringSubmatchIndex(content, -1) {
		for i := block[0]; i < block[1]; i++ {
			if prose[i] != '\n' {
				prose[i] = ' '
			}
		}
		scripts = append(scripts, typed(file, numberOf(block[4]), content[block[4]:block[5]])...)
	}
	for _, span := range codeSpan.FindAllSubmatchIndex(prose, -1) {
		text := strings.Join(strings.Fields(string(prose[span[2]:span[3]])), " ") // a line of prose ends anywhere
		text = readerFill.ReplaceAllLiteralString(text, "${READER_FILLS_IN}")
		scripts = append(scripts, script{file, numberOf(span[2]), text, true})
	}
	return scripts
}

// typed returns what stands after the prompts of a code block, with further lines while the shell would wait for them.
func typed(file string, number int, block string) (scripts []script) {
	lines := strings.Split(block, "\n")
	for i := 0; i < len(lines); i++ {
		start := prompt.FindString(lines[i])
		if start == "" {
			continue // output
		}
		one := script{file, number + i, lines[i][len(start):], false}
		for i+1 < len(lines) && incomplete(one.text) {
			i++
			one.text += "\n" + lines[i]
		}
		scripts = append(scripts, one)
	}
	return scripts
}

func incomplete(text string) bool {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	return syntax.IsIncomplete(err) || strings.HasSuffix(text, `\`)
}
