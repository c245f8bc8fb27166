package reader

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestKeysInSentences holds what is read of keys in one sentence, and that keys of which the sentence does not say the table, or that are of another
// table, are not read.
func TestKeysInSentences(t *testing.T) {
	for sentence, want := range map[string]string{
		"The DynamoDB table `stays` has `kennel` (S) as partition key and `day` (N) as sort key.":                                          "table stays @5\n  HASH kennel S @5\n  RANGE day N @5\n",
		"DynamoDB table `stays` (PK: `kennel`, SK: `day`), on-demand billing.":                                                             "table stays @5\n  HASH kennel  @5\n  RANGE day  @5\n  billing PAY_PER_REQUEST @5\n",
		"The `stays` table of DynamoDB uses a composite primary key: `kennel` (partition) and `day` (sort).":                               "table stays @5\n  HASH kennel  @5\n  RANGE day  @5\n",
		"In the DynamoDB table `stays`, `kennel` is the partition key and `day` is the sort key.":                                          "table stays @5\n  HASH kennel  @5\n  RANGE day  @5\n",
		"The DynamoDB table `stays` has primary key `kennel` (string) and one GSI, `by-owner`, with hash key `owner` and range key `day`.": "table stays @5\n  HASH kennel S @5\n  index by-owner @5 \n    HASH owner  @5\n    RANGE day  @5\n",
		"Table: `stays` in DynamoDB, partition key: `kennel` (S), sort key: `day` (S), GSI: `by-owner` (`owner`, `day`).":                  "table stays @5\n  HASH kennel S @5\n  RANGE day S @5\n  index by-owner @5 \n    HASH owner  @5\n    RANGE day S @5\n",
		"One DynamoDB table, named `stays-<env>` (e.g. `stays-dev`). It has the string partition key `kennel`, with no sort key.":          "table stays-<env> @5\n  HASH kennel S @5\n",
		"One DynamoDB table, named `stays`. It has `pk`/`sk` string keys and a `by-owner` index on `owner`/`day`.":                         "table stays @5\n  HASH pk S @5\n  RANGE sk S @5\n  index by-owner @5 \n    HASH owner  @5\n    RANGE day  @5\n",
		"The `stays` table of DynamoDB has the partition key `kennel`. One table, on-demand billing for both tables.":                      "table stays @5\n  HASH kennel  @5\n",
		"Use a single DynamoDB table named `stays` with `pk` (String) and `day` (Number) as the primary key, and two GSIs.":                "table stays @5\n  HASH pk S @5\n  RANGE day N @5\n",
		"The DynamoDB table `stays` has primary key `kennel`, and `logs` uses partition key `line`.":                                       "",
		"Table `lock` (partition key `LockID`) is for Terraform, beside the DynamoDB table `stays`.":                                       "",
		"We considered a DynamoDB table `stays` (PK: `kennel`).":                                                                           "",
		"The DynamoDB table `stays` keeps users (PK: `USER`, SK: `META`).":                                                                 "",
	} {
		found := ""
		if document, err := Read([]byte("# Kennels\n\n## Storage\n\n" + sentence + "\n")); err == nil && len(document.Tables[0].Keys) > 0 {
			found = facts(&Document{Tables: document.Tables[:1]})
		}
		assert.Equal(t, want, found, sentence)
	}
}
