package guardtest

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/sdk"
)

// plain is a read request with its aliases filled in, made by text replacement
// alone: it shares no code with the guard, and understands only what
// accesspatterns.Read.Compile writes and the mutations leave of it.
type plain struct {
	operation, table, index string
	condition, filter       string
	projection              []string
	descending              bool
	limit                   int32
	further                 bool
}

func plainOf(input any) (of plain) {
	unknown := false // what an alias or a value is, or a consistent read of an index, which DynamoDB refuses, or a segment, which no document has
	defer func() {
		if unknown {
			of = plain{}
		}
	}()
	fill := func(text *string, names map[string]string, values map[string]types.AttributeValue) string {
		words := strings.FieldsFunc(strings.NewReplacer("(", " ( ", ")", " ) ", ",", " , ").Replace(aws.ToString(text)), func(r rune) bool { return r == ' ' })
		for i, word := range words {
			if value, is := values[word]; is {
				words[i] = dynamo.Show(value)
				continue
			}
			segments := strings.Split(word, ".")
			for j, segment := range segments {
				alias, _, _ := strings.Cut(segment, "[")
				name, is := names[alias]
				if is {
					segments[j] = name + segment[len(alias):]
				}
				unknown = unknown || !is && strings.HasPrefix(segment, "#") || strings.HasPrefix(segment, ":")
			}
			words[i] = strings.Join(segments, ".")
		}
		return strings.Join(words, " ")
	}
	list := func(text string) []string {
		if text == "" {
			return nil
		}
		return sortedCopy(strings.Split(text, " , "))
	}
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		var keys []string
		for name, value := range in.Key {
			keys = append(keys, name+" = "+dynamo.Show(value))
		}
		slices.Sort(keys)
		return plain{operation: "GetItem", table: aws.ToString(in.TableName), condition: strings.Join(keys, " AND "),
			projection: list(fill(in.ProjectionExpression, in.ExpressionAttributeNames, nil))}
	case *dynamodb.QueryInput:
		unknown = in.IndexName != nil && aws.ToBool(in.ConsistentRead)
		return plain{operation: "Query", table: aws.ToString(in.TableName), index: aws.ToString(in.IndexName),
			condition:  fill(in.KeyConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues),
			filter:     fill(in.FilterExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues),
			projection: list(fill(in.ProjectionExpression, in.ExpressionAttributeNames, nil)),
			descending: !aws.ToBool(in.ScanIndexForward) && in.ScanIndexForward != nil,
			limit:      aws.ToInt32(in.Limit), further: len(in.ExclusiveStartKey) > 0}
	case *dynamodb.ScanInput:
		unknown = in.Segment != nil || in.IndexName != nil && aws.ToBool(in.ConsistentRead)
		return plain{operation: "Scan", table: aws.ToString(in.TableName), index: aws.ToString(in.IndexName),
			filter:     fill(in.FilterExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues),
			projection: list(fill(in.ProjectionExpression, in.ExpressionAttributeNames, nil)),
			limit:      aws.ToInt32(in.Limit), further: len(in.ExclusiveStartKey) > 0}
	}
	return plain{}
}

// is reports whether the request is the documented read for some parameters: it
// finds them by parsing every value that the request holds, compiles the read
// with them, and compares.
func (p plain) is(design *accesspatterns.Design, read *accesspatterns.Read, texts []string) bool {
	table, known := design.Table(read.Table)
	if !known {
		return false
	}
	for _, params := range guesses(read, texts) {
		input, err := sdk.Read(read, table, table.Name.In(environment), params)
		if err != nil {
			continue
		}
		want := plainOf(input)
		p := p.insteadOf(want)
		if p.operation == want.operation && p.table == want.table && p.index == want.index &&
			p.condition == want.condition && p.filter == want.filter &&
			p.projects(read, want.projection) &&
			(read.Order == accesspatterns.AnyOrder || read.Order == accesspatterns.EitherOrder || p.descending == want.descending) &&
			p.withinLimits(read) {
			return true
		}
	}
	return false
}

// insteadOf returns the request as a GetItem, where one is wanted and the request is a
// Query of the table itself that asks for the same: its conditions are equalities, those of
// the key and no others, and it has no filter and begins at the beginning. Its order and
// limit make no difference to one item.
func (p plain) insteadOf(want plain) plain {
	if p.operation != "Query" || want.operation != "GetItem" || p.index != "" || p.filter != "" || p.further {
		return p
	}
	equalities := strings.Split(p.condition, " AND ")
	slices.Sort(equalities)
	return plain{operation: "GetItem", table: p.table, condition: strings.Join(equalities, " AND "), projection: p.projection}
}

// projects reports whether the projection is the wanted one, or some of it once each
// where the read says so: not without the expiry and the schema version that the reader
// judges what it gets by.
func (p plain) projects(read *accesspatterns.Read, want []string) bool {
	if len(read.Projection) > 0 && !read.OrFewer {
		return slices.Equal(p.projection, want)
	}
	for i, path := range p.projection {
		if len(want) > 0 && !slices.Contains(want, path) || i > 0 && p.projection[i-1] == path {
			return false
		}
	}
	for _, path := range read.JudgedBy() {
		if len(p.projection) > 0 && !slices.Contains(p.projection, path) {
			return false
		}
	}
	return len(p.projection) > 0 || len(want) == 0
}

func (p plain) withinLimits(read *accesspatterns.Read) bool {
	for _, most := range []int32{read.Limit, read.InspectBudget} {
		if most > 0 && (p.limit < 1 || p.limit > most) {
			return false
		}
	}
	if read.PageSize > 0 && p.limit < 1 {
		return false
	}
	return read.Limit == 0 || !p.further
}

// guesses returns the parameters that the texts of a request may bind, trying
// every text for every template of the read.
func guesses(read *accesspatterns.Read, texts []string) []accesspatterns.Params {
	var templates []accesspatterns.KeyTemplate
	if read.Partition != nil {
		templates = append(templates, read.Partition.Value.Template)
	}
	if read.Sort != nil {
		templates = append(templates, read.Sort.Value.Template)
		if read.Sort.Operator == expression.Between {
			templates = append(templates, read.Sort.High.Template)
		}
	}
	for _, condition := range read.Filter {
		if condition.Operator != expression.Exists {
			templates = append(templates, condition.Value.Template)
		}
	}
	found := []accesspatterns.Params{{}}
	for _, template := range templates {
		var next []accesspatterns.Params
		for _, text := range texts {
			parsed, err := template.Parse(text)
			if err != nil {
				continue
			}
			for _, known := range found {
				merged := accesspatterns.Params{}
				agree := true
				for name, value := range known {
					merged[name] = value
				}
				for name, value := range parsed {
					if earlier, seen := merged[name]; seen && earlier != value {
						agree = false
					}
					merged[name] = value
				}
				if agree {
					next = append(next, merged)
				}
			}
		}
		found = next
	}
	return found
}

// textsOf lists the texts of every value in a request.
func textsOf(input any) []string {
	var texts []string
	add := func(values map[string]types.AttributeValue) {
		for _, value := range values {
			switch value := value.(type) {
			case *types.AttributeValueMemberS:
				texts = append(texts, value.Value)
			case *types.AttributeValueMemberN:
				texts = append(texts, value.Value)
			case *types.AttributeValueMemberBOOL:
				texts = append(texts, map[bool]string{true: "true", false: "false"}[value.Value])
			}
		}
	}
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		add(in.Key)
	case *dynamodb.QueryInput:
		add(in.ExpressionAttributeValues)
	case *dynamodb.ScanInput:
		add(in.ExpressionAttributeValues)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}
