package session

import (
	"cmp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/fixtures"
)

// Step is a step of a case before it is run: what is sent, and what must come of it.
type Step struct {
	*accesspatterns.Step
	Repetitions []accesspatterns.Params
	// Interfering are the requests of another client that come first, Requests those of the step.
	Interfering, Requests []any
	// Expect names the items that the step must return, and Sees those that its reader must see, where it has rules.
	Expect, Sees []string
	// Refused is the code with which a write must be refused; empty where it must succeed.
	Refused string
}

// Seen returns what the readers of a pattern's steps must see in a case, by step.
func (s *Input) Seen(pattern *accesspatterns.Pattern, c *fixtures.Case) (map[string][]accesspatterns.Item, error) {
	seen := map[string][]accesspatterns.Item{}
	for _, step := range pattern.Steps {
		names := c.Steps[step.Name]
		if step.Read != nil && step.Read.Interprets() {
			names = c.Sees[step.Name]
		}
		for _, name := range names {
			item, err := s.FixtureItem(name)
			if err != nil {
				return nil, err
			}
			seen[step.Name] = append(seen[step.Name], item)
		}
	}
	return seen, nil
}

// Steps hands the steps of a case over in their order, as far as the flow goes when each comes to what the case says of it.
func (s *Input) Steps(pattern *accesspatterns.Pattern, c *fixtures.Case, each func(*Step) error) error {
	seen, err := s.Seen(pattern, c)
	if err != nil {
		return err
	}
	_, ended := pattern.Walk(c.Params, map[string][]accesspatterns.Item{}, func(step *accesspatterns.Step, repetitions []accesspatterns.Params, failed error) (saw []accesspatterns.Item, goesOn bool) {
		names, reached := c.Steps[step.Name]
		if step.Read != nil && !reached {
			return nil, false
		}
		if err = failed; err != nil {
			return nil, false
		}
		planned := &Step{Step: step, Repetitions: repetitions, Expect: names, Sees: c.Sees[step.Name], Refused: c.ErrorAt(step.Name)}
		if planned.Interfering, err = s.Interfering(c, step.Name); err != nil {
			return nil, false
		}
		if planned.Requests, err = s.Compiled(step, c.Items, repetitions); err != nil {
			return nil, false
		}
		if err = each(planned); err != nil {
			return nil, false
		}
		if step.Read == nil {
			return nil, planned.Refused == "" || step.MayFail
		}
		return seen[step.Name], c.ReaderError == "" || !step.Read.Interprets()
	})
	return cmp.Or(err, ended)
}

// Interfering returns the requests by which another client deletes and puts items before a step of a case.
func (s *Input) Interfering(c *fixtures.Case, step string) (requests []any, err error) {
	if c.Interfere == nil || c.Interfere.Before != step {
		return nil, nil
	}
	for _, name := range c.Interfere.Delete {
		get, err := s.GetOf(name)
		if err != nil {
			return nil, err
		}
		requests = append(requests, &dynamodb.DeleteItemInput{TableName: get.TableName, Key: get.Key})
	}
	for _, name := range c.Interfere.Put {
		put, err := s.PutOf(name)
		if err != nil {
			return nil, err
		}
		requests = append(requests, put)
	}
	return requests, nil
}

// PutOf returns the request that writes a fixture item.
func (s *Input) PutOf(name string) (*dynamodb.PutItemInput, error) {
	item, table, err := s.Fixture(name)
	if err != nil {
		return nil, err
	}
	deployed, err := s.TableName(table.ID)
	return &dynamodb.PutItemInput{TableName: &deployed, Item: item}, err
}

// GetOf returns the request that reads what stands under the key of a fixture item.
func (s *Input) GetOf(name string) (*dynamodb.GetItemInput, error) {
	item, table, err := s.Fixture(name)
	if err != nil {
		return nil, err
	}
	return s.get(table, table.KeyOf(item))
}

// get returns the consistent read of a key.
func (s *Input) get(table *accesspatterns.Table, key accesspatterns.Item) (*dynamodb.GetItemInput, error) {
	name, err := s.TableName(table.ID)
	return &dynamodb.GetItemInput{TableName: &name, Key: key, ConsistentRead: aws.Bool(true)}, err
}
