package session

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/target"
)

// tableIdentity is what tells a table from another one of the same name: DynamoDB's id,
// or where an engine gives none, the moment in which it was made. It is empty where there is no such table.
func tableIdentity(ctx context.Context, s *Session, name string) (string, error) {
	table, err := target.Described(recorder.WithClaim(ctx, recorder.Describing), s.Client, name)
	if err != nil || table == nil {
		return "", err
	}
	return cmp.Or(aws.ToString(table.TableId), aws.ToTime(table.CreationDateTime).String()), nil
}

// identifyTables notes which tables the session has loaded its items into.
func identifyTables(ctx context.Context, s *Session) {
	for _, id := range slices.Sorted(maps.Keys(s.Deployment.Tables)) {
		name := s.Deployment.Tables[id]
		s.identities[name], _ = tableIdentity(ctx, s, name) // the claims about the table report an error
	}
}

// Exchanged returns an error when a table that a claim has asked is not the one that
// the items were loaded into: an engine was started anew, or somebody made the
// table again. What it answered says nothing about the deployment then. The other
// error says why that is unknown.
func Exchanged(ctx context.Context, s *Session, invocations []string) (exchanged, unknown error) {
	asked := map[string]bool{}
	for _, id := range invocations {
		for _, entry := range s.Ledger.Find(id) {
			for _, table := range entry.Tables {
				if s.identities[table] != "" {
					asked[table] = true
				}
			}
		}
	}
	for _, table := range slices.Sorted(maps.Keys(asked)) {
		now, err := tableIdentity(ctx, s, table)
		switch {
		case err != nil:
			unknown = fmt.Errorf("table %s: %w", table, err)
		case now == "":
			return fmt.Errorf("table %s is gone, which held the run's items: the engine was exchanged, or somebody deleted the table", table), nil
		case now != s.identities[table]:
			return fmt.Errorf("table %s is not the one that the run's items were loaded into: the engine was exchanged, or somebody made the table again", table), nil
		}
	}
	return nil, unknown
}
