package reader

import "testing"

// TestStructure: tables, keys and kinds of items as people write them in lists and sentences, and what is like them and none.
func TestStructure(t *testing.T) {
	const mill = "# Mill\n\n## Sacks Table\n\n- Partition key: `sack` (String)\n\n"
	for name, test := range map[string]struct{ text, said, guess string }{
		"a role and a type in a bracket":         {"# Mill\n\n## Table: `mill`\n\n- **`PK` (Partition Key - String):** the kind of item\n- **`SK` (Sort Key - Number):** its part\n", "HASH PK S @5\n  RANGE SK N @6\n", "none"},
		"a key below an item without a colon":    {"# Mill\n\n## Table: `mill`\n\n- **Primary key**\n  - `sack` (string) – of the mill\n- **Attributes**\n  - `weight` (number) – in kilos\n", "HASH sack S @6\n", "HASH weight"},
		"kinds by their keys below a title":      {"# Mill\n\n- Primary key: `PK` (String), `SK` (String)\n\n## Items\n\n- Sack\n  - Keys: `PK = SACK#{id}`; `SK = META`\n  - GSI1 (by mill): `GSI1PK = MILL#{mill}`; `GSI1SK = SACK#{id}`\n", "entity Sack @8\n  PK = SACK#{id} @8\n  SK = META @8\n  GSI1PK = MILL#{mill} @9\n", "none"},
		"keys of a request below a title":        {"# Mill\n\n- Primary key: `PK` (String), `SK` (String)\n\n## Server\n\n- Remove a sack\n  - Keys: `PK = SACK#{id}`; `SK = META`\n  - Operation: DeleteItem\n- Worker\n  - Keys: `PK = JOB#{id}`; `SK = META` (not stored)\n", "RANGE SK S", "entity"},
		"keys by the forms of kinds":             {"# Mill\n\nDynamoDB holds it.\n\n- Sack: PK=SACK#{id}  SK=META\n- Cart: PK=CART#{id}\n  SK=WHEEL#{n}\n", "table  @5\n  HASH PK  @5\n  RANGE SK  @5\nentity Sack @5\n", "none"},
		"forms of kinds in several tables":       {"# Mill\n\nDynamoDB has two tables for it.\n\n- Sack: PK=SACK#{id}  SK=META\n\n## Table: `log`\n\n- Partition key: `day` (String)\n", "table log", "PK"},
		"forms of what is stored otherwise":      {"# Mill\n\n- Store: PK=SACK#{id}  SK=META\n- Query: PK=SACK#{id}  SK=META\n\n## Redis\n\n- Sack: PK=SACK#{id}  SK=META\n\n## Notes\n\nTable `log` has the partition key `day`.\n", "HASH day", "PK"},
		"keys in a sentence on a single table":   {"# ADR 1\n\n## Decision\n\nUse a **single DynamoDB table** (`mill-{stage}`) with composite `PK/SK` keys and one GSI.\n", "table mill-{stage} @5\n  HASH PK  @5\n  RANGE SK  @5\n", "none"},
		"a single table that nobody took":        {"# ADR 1\n\nA single DynamoDB table with `PK`/`SK` keys was proposed.\n\n## Table: `log`\n\n- Partition key: `day` (String)\n", "table log", "PK"},
		"keys by the words for their roles":      {"# Mill\n\nA single table.\n\n- Partition Key (PK): the kind of item\n- Sort Key (SK): its part, e.g. `META`\n\n```json\n{\"PK\": \"SACK#1\", \"SK\": \"META\"}\n```\n", "HASH PK  @5\n  RANGE SK  @6\n", "none"},
		"words for roles that are no attributes": {"# Mill\n\nA single table, `mill`.\n\n- Partition Key (PK): the sack\n\n## Table: `log`\n\n- Partition key: `day` (String)\n", "table log", "HASH PK"},
		"tables in a list":                       {"# Mill\n\nThe script creates the following two DynamoDB tables:\n\n1. **Mill_Sacks** - Flour and grain\n2. **Mill_Carts** - Wheels\n\n## Global secondary indexes\n\n- **Mill_Sacks**: day-index, mill-day-index (composite)\n- **Mill_Carts**: wheel-index was dropped\n", "table Mill_Sacks @5\n  index day-index @10 \n  index mill-day-index @10 \ntable Mill_Carts @6\n", "wheel-index"},
		"tables in a list below a title":         {"# Mill\n\nDynamoDB.\n\n### Core tables\n\n- **sacks**: Flour\n- **cart_wheels**: Wheels\n\nThe scan reads the table sacks.\n", "table sacks @7\ntable cart_wheels @8\n", "none"},
		"what is listed below tables":            {mill + "DynamoDB has 3 tables:\n\n- `sack-log` - flour\n- `cart-log` - wheels\n\n## Tables\n\n- **clear-cache**: of the mill\n- **warm-cache**: fills it\n\nThe bill is in two tables:\n\n- **store-costs**: of the mill\n- **query-costs**: of the carts\n", "HASH sack S", "table sack-log"},
		"an index and what it finds":             {mill + "## Global secondary indexes\n\n- day-index: the sacks of a day\n- old-index: was removed in May\n- gsi_name: of the module\n", "index day-index @9 \n", "old-index"},
		"tables by their items in fences":        {"# Mill\n\n## Collections (tables)\n\n### 1. **mill-sacks** - Flour\n\n```js\n{\n  sack: \"S-1\", // Partition Key\n}\n```\n\n### 2. **mill-carts** - Wheels\n\n```js\n{\n  cart: \"C-1\", // Partition Key\n}\n```\n", "table mill-sacks @5\n  HASH sack  @9\n", "none"},
		"services by their items in fences":      {mill + "## Services\n\n### 1. **mill-service** - Flour\n\n```js\n{\n  job: \"S-1\", // Partition Key\n}\n```\n", "HASH sack S", "mill-service"},
		"an index that a command adds":           {mill + "```sh\naws dynamodb update-table --table-name Sacks --attribute-definitions AttributeName=day,AttributeType=S \\\n  --global-secondary-index-updates '[{\"Create\": {\"IndexName\": \"day-index\", \"KeySchema\": [{\"AttributeName\": \"day\", \"KeyType\": \"HASH\"}]}}]'\n```\n", "index day-index @9 \n    HASH day S @9\n", "none"},
		"what a command changes by hand":         {mill + "```sh\naws dynamodb update-table --table-name Sacks --billing-mode PROVISIONED\naws dynamodb update-table --table-name Sacks --global-secondary-index-updates '[{\"Delete\": {\"IndexName\": \"day-index\"}}]'\n```\n\n## Option B\n\n```sh\naws dynamodb update-table --table-name Sacks --global-secondary-index-updates '[{\"Create\": {\"IndexName\": \"new-index\", \"KeySchema\": [{\"AttributeName\": \"day\", \"KeyType\": \"HASH\"}]}}]'\n```\n", "HASH sack S", "index"},
		"kinds beside what is asked for each":    {"# Mill\n\n- Primary key: `PK` (String), `SK` (String)\n- GSI1: `GSI1PK` (String)\n\n## Item Structures & Access Patterns\n\n| Entity (kind) | PK Format | SK Format | GSI1PK Format | Primary Access Patterns |\n|---|---|---|---|---|\n| `SACK` | `SACK#{id}` | `META` | - | `GET_ITEM(PK=SACK#{id})` |\n| `CART` | `CART#{id}` | `META` | `MILL#{mill}` | - |\n", "entity CART @11\n  PK = CART#{id} @11\n  SK = META @11\n  GSI1PK = MILL#{mill} @11\n", "none"},
		"a table that is called local":           {"# Mill\n\n## Table\n\nLocal table:\n\n```text\nmill-local\n```\n\nPrimary key:\n\n```text\npk = SACK#<sack_id>\nsk = LINE#<line_id>\n```\n", "  HASH pk  @14\n  RANGE sk  @15\n", "table Local"},
	} {
		says(t, name, test.text, test.said, test.guess)
	}
}
