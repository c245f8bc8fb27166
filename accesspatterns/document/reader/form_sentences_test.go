package reader

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestKeysInSentences holds what is read of keys in one sentence, and that keys of which the sentence does not say the table, or that are of another
// table, are not read.
func TestKeysInSentences(t *testing.T) {
	for sentence, want := range map[string]string{
		"The DynamoDB table `stays` has `kennel` (S) as partition key and `day` (N) as sort key.":                                          "stays: HASH kennel S RANGE day N",
		"DynamoDB table `stays` (PK: `kennel`, SK: `day`), on-demand billing.":                                                             "stays: HASH kennel RANGE day",
		"The `stays` table of DynamoDB uses a composite primary key: `kennel` (partition) and `day` (sort).":                               "stays: HASH kennel RANGE day",
		"In the DynamoDB table `stays`, `kennel` is the partition key and `day` is the sort key.":                                          "stays: HASH kennel RANGE day",
		"The DynamoDB table `stays` has primary key `kennel` (string) and one GSI, `by-owner`, with hash key `owner` and range key `day`.": "stays: HASH kennel S index by-owner HASH owner RANGE day",
		"Table: `stays` in DynamoDB, partition key: `kennel` (S), sort key: `day` (S), GSI: `by-owner` (`owner`, `day`).":                  "stays: HASH kennel S RANGE day S index by-owner HASH owner RANGE day S",
		"The DynamoDB table `stays` has primary key `kennel`, and `logs` uses partition key `line`.":                                       "",
		"Table `lock` (partition key `LockID`) is for Terraform, beside the DynamoDB table `stays`.":                                       "",
		"We considered a DynamoDB table `stays` (PK: `kennel`).":                                                                           "",
		"The DynamoDB table `stays` keeps users (PK: `USER`, SK: `META`).":                                                                 "",
	} {
		document, err := Read([]byte("# Kennels\n\n## Storage\n\n" + sentence + "\n"))
		found := ""
		if err == nil && len(document.Tables) > 0 {
			keys := func(keys []Key) (all string) {
				for _, key := range keys {
					all += strings.TrimRight(" "+key.Role+" "+key.Name+" "+key.Type, " ")
				}
				return all
			}
			table := document.Tables[0]
			if found = table.Name + ":" + keys(table.Keys); len(table.Keys) == 0 {
				found = ""
			}
			for _, index := range table.Indexes {
				found += " index " + index.Name + keys(index.Keys)
			}
		}
		assert.Equal(t, want, found, sentence)
	}
}
