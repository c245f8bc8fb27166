package cli_test

import (
	"strings"
	"testing"
)

// Each mistake that an author can make in a contract's cases, or in a contract beside its cases and its document, is named by
// check, with file and line, and ends it: none waits for an engine.
func TestCheckNamesMistakes(t *testing.T) {
	t.Parallel()
	const contract, cases, document = "contract.yaml", "cases.json", "tickets.md"
	for name, row := range map[string]struct {
		edit  [3]string
		code  int
		found string
	}{
		// The contract reads or writes otherwise than its cases.
		"a sort key of another prefix":       {[3]string{contract, `where: 'pk = CUSTOMER#{customerId}'`, `where: 'pk = CUSTOMER#{customerId} AND begins_with(sk, TICKETS#)'`}, 1, "cases.json:4: case of list-tickets: expected items printer, screen, found without printer, screen"},
		"another order":                      {[3]string{contract, "order: ascending", "order: descending"}, 1, "cases.json:6: case of list-open: expected items in the order of-another, printer, found in the order printer, of-another"},
		"another constant of a read":         {[3]string{contract, "where: status = open, order", "where: status = closed, order"}, 1, "cases.json:6: case of list-open: expected items of-another, printer, found without of-another, printer"},
		"no condition of a put":              {[3]string{contract, ", if: attribute_not_exists(pk)}", "}"}, 1, "cases.json:9: case of open-ticket twice: expected ConditionalCheckFailedException, found success"},
		"no condition of an update":          {[3]string{contract, ", if: status = open}", "}"}, 1, "cases.json:12: case of close-ticket closed before: expected ConditionalCheckFailedException, found success"},
		"a condition the other way round":    {[3]string{contract, "if: attribute_not_exists(pk)", "if: attribute_exists(pk)"}, 1, "cases.json:8: case of open-ticket: expected success, found ConditionalCheckFailedException: the condition does not hold"},
		"a condition on another value":       {[3]string{contract, "if: status = open}", "if: status = closed}"}, 1, "cases.json:11: case of close-ticket: expected success, found ConditionalCheckFailedException"},
		"another effect":                     {[3]string{contract, "do: SET status = closed", "do: SET status = open"}, 1, "cases.json:11: case of close-ticket, afterwards: expected item printer-closed as written, found status: "},
		"an effect more":                     {[3]string{contract, "do: SET status = closed", "do: 'SET status = closed, subject = closed'"}, 1, "cases.json:11: case of close-ticket, afterwards: expected item printer-closed as written, found subject: "},
		"a limit that nobody documents":      {[3]string{contract, "order: ascending}", "order: ascending, limit: 1}"}, 1, "cases.json:6: case of list-open: expected items of-another, printer, found without printer"},
		"a filter that nobody documents":     {[3]string{contract, "order: ascending}", "order: ascending, filter: customerId = 1}"}, 1, "cases.json:6: case of list-open: expected items of-another, printer, found without of-another"},
		"a projection that nobody documents": {[3]string{contract, "order: ascending}", "order: ascending, project: [pk, sk]}"}, 1, "cases.json:6: case of list-open: expected items of-another, printer, found without of-another, printer"},
		"an index that copies keys alone":    {[3]string{contract, "projection: ALL", "projection: KEYS_ONLY"}, 1, "the document projects ALL into by-status, the contract KEYS_ONLY"},
		"another way to pay":                 {[3]string{contract, "mode: PAY_PER_REQUEST", "mode: PROVISIONED"}, 1, "objections of the document's reader"},
		"another placeholder of a name":      {[3]string{contract, "name: Tickets-{env}", "name: Tickets-{stage}"}, 1, "tickets.md:3: expected the table Tickets to be named Tickets-{env}, found Tickets-{stage} in the contract"},
		"a way to pay cited by any word":     {[3]string{contract, "cite: {3: billed on demand}", "cite: {3: tickets}"}, 1, "tickets.md:3: expected words about how Tickets is billed to be cited"},
		"a pattern left out":                 {[3]string{contract, "  list-tickets:\n    title: The tickets of a customer\n    cite: {20: [List the tickets, 'pk = CUSTOMER#{customerId}']}\n    steps:\n      - {query: Tickets, where: 'pk = CUSTOMER#{customerId}'}\n    returns: ticket\n", ""}, 2, "cases.json:4: case of list-tickets: no such pattern"},
		"an answer to nothing":               {[3]string{contract, "hazard/constant-index-partition/by-status: a desk", "differs/billing: a desk"}, 1, "stale/differs/billing"},
		"another template":                   {[3]string{contract, "sk: {template: 'TICKET#{ticketId}'", "sk: {template: 'TICKETS#{ticketId}'"}, 2, "the design has 1 mistake\n  contract.yaml:31: entity ticket: sk: expected the form that its items have, found TICKETS#{ticketId}, and none of its 3 items has it (\"TICKET#1\", \"TICKET#10\", \"TICKET#1\")"},
		"an attribute that it lacks":         {[3]string{contract, "      subject: {type: S, cite: {11: subject}}\n", ""}, 2, "the design has 1 mistake\n  contract.yaml:26: entity ticket: subject (undocumented): expected an attribute that the contract gives to Ticket, found subject; add it to the contract with its line, or take it out of the item; so in all 3 of its items (printer, screen, of-another)"},
		"a token on no line":                 {[3]string{contract, "cite: {11: subject}", "cite: {11: matter}"}, 1, "tickets.md:11: expected \"matter\" on these lines, found it on no line"},
		// An item lacks the key of an index.
		"an item that is not in an index": {[3]string{"items.json", `, "status": {"S": "open"}`, ""}, 2, "where only some items are in an index, its key is optional: true"},
		"an item of nothing":              {[3]string{"items.json", `"entity": "ticket", "source": "own", "item": {"pk": {"S": "CUSTOMER#1"}, "sk": {"S": "TICKET#10"}`, `"source": "own", "item": {"pk": {"S": "CUSTOMER#1"}, "sk": {"S": "TICKET#10"}`}, 2, "item screen: expected its entity, or its table where it is nobody's item, found neither"},
		// A case says otherwise than the contract and the items.
		"too few items":                   {[3]string{cases, `"expect": ["printer", "screen"]`, `"expect": ["printer"]`}, 1, "cases.json:4: case of list-tickets: expected items printer, found also screen; name it under expect where the document's sentence returns it"},
		"too many items":                  {[3]string{cases, `"expect": []`, `"expect": ["printer"]`}, 1, "cases.json:3: case of get-ticket of nobody: expected items printer, found without printer"},
		"items in another order":          {[3]string{cases, `"expect": ["of-another", "printer"]`, `"expect": ["printer", "of-another"]`}, 1, "cases.json:6: case of list-open: expected items in the order printer, of-another, found in the order of-another, printer"},
		"parameters of somebody else":     {[3]string{cases, `{"customerId": "1", "ticketId": "1"}, "expect": ["printer"]`, `{"customerId": "10", "ticketId": "1"}, "expect": ["printer"]`}, 1, "cases.json:2: case of get-ticket: expected items printer, found without printer"},
		"a parameter too many":            {[3]string{cases, `{"customerId": "1"}, "expect"`, `{"customerId": "1", "agentId": "2"}, "expect"`}, 1, "cases.json:4: case of list-tickets: no template of the pattern has the parameter agentId"},
		"an error that DynamoDB has not":  {[3]string{cases, `"error": "ConditionalCheckFailedException", "present": ["screen"]`, `"error": "ConditionFailed", "present": ["screen"]`}, 1, "cases.json:12: case of close-ticket closed before: expected an error code of DynamoDB, found ConditionFailed"},
		"another error":                   {[3]string{cases, `"error": "ConditionalCheckFailedException", "present": ["screen"]`, `"error": "TransactionCanceledException", "present": ["screen"]`}, 1, "cases.json:12: case of close-ticket closed before: expected TransactionCanceledException, found ConditionalCheckFailedException: the condition does not hold"},
		"no error":                        {[3]string{cases, "\n    \"error\": \"ConditionalCheckFailedException\", \"present\": [\"screen\"]", "\n    \"present\": [\"screen\"]"}, 1, "cases.json:12: case of close-ticket closed before: expected success, found ConditionalCheckFailedException"},
		"nothing present":                 {[3]string{cases, `"items": {"ticket": "new"}, "present": ["new"]`, `"items": {"ticket": "new"}`}, 1, "cases.json:8: case of open-ticket, afterwards: expected the item of Tickets with the key "},
		"another item present":            {[3]string{cases, `"present": ["printer-closed"]`, `"present": ["of-another"]`}, 1, "cases.json:11: case of close-ticket, afterwards: expected the item of Tickets with the key "},
		"an item absent that is there":    {[3]string{cases, `"present": ["printer-closed"]`, `"absent": ["printer-closed"]`}, 1, "cases.json:11: case of close-ticket, afterwards: expected no item printer-closed, found {"},
		"no case of a put is refused":     {[3]string{cases, `  {"pattern": "open-ticket", "name": "twice", "params": {"customerId": "1", "ticketId": "1"}, "items": {"ticket": "printer-again"},` + "\n" + `    "error": "ConditionalCheckFailedException", "present": ["printer"]},` + "\n", ""}, 1, "cases.json:8: pattern open-ticket, step write, action 1, Put of Tickets: no case is refused because the condition on pk does not hold"},
		"no case of an update is refused": {[3]string{cases, `,` + "\n" + `  {"pattern": "close-ticket", "name": "closed before", "params": {"customerId": "1", "ticketId": "10"},` + "\n" + `    "error": "ConditionalCheckFailedException", "present": ["screen"]}`, ""}, 1, "cases.json:11: pattern close-ticket, step write, action 1, Update of Tickets: no case is refused because the condition on status does not hold"},
		// The contract does not fit itself.
		"a key of another type":                    {[3]string{contract, "partition-key: {pk: S}", "partition-key: {pk: N}"}, 2, "contract.yaml:25: entity ticket: key attribute pk is defined as N, the entity says S"},
		"a key of another name":                    {[3]string{contract, "sort-key: {sk: S}", "sort-key: {sort: S}"}, 2, "contract.yaml:31: entity ticket: sk is no key attribute of table Tickets"},
		"no sort key":                              {[3]string{contract, "    sort-key: {sk: S}\n", ""}, 2, "contract.yaml:30: entity ticket: sk is no key attribute of table Tickets"},
		"an index by another key":                  {[3]string{contract, "partition-key: {status: S}", "partition-key: {subject: S}"}, 2, "contract.yaml:58: where: expected subject = value"},
		"an unknown member":                        {[3]string{contract, "level: writes", "levels: writes"}, 2, "contract.yaml:4: unknown name levels; expected level"},
		"a level that is none":                     {[3]string{contract, "level: writes", "level: written"}, 2, "contract.yaml:4: level: expected one of schema, items, reads, writes, resilience, found written"},
		"a level that is too low":                  {[3]string{contract, "level: writes", "level: reads"}, 2, "contract.yaml:60: pattern open-ticket: the contract's level is reads"},
		"an attribute twice":                       {[3]string{contract, "      subject: {type: S, cite: {11: subject}}\n", "      subject: {type: S, cite: {11: subject}}\n      subject: {type: S, cite: {11: subject}}\n"}, 2, "contract.yaml:38: subject stands twice, first in line 37"},
		"an entity of no table":                    {[3]string{contract, "    table: Tickets\n", "    table: Ticket\n"}, 2, "contract.yaml:27: entity ticket: no table Ticket"},
		"a read of no index":                       {[3]string{contract, "query: Tickets/by-status", "query: Tickets/byStatus"}, 2, "contract.yaml:58: query: table Tickets has no index byStatus"},
		"a read of no entity":                      {[3]string{contract, "{get: ticket}", "{get: tickets}"}, 2, "contract.yaml:46: get: expected an entity, a table or table/index, found tickets"},
		"a write of no entity":                     {[3]string{contract, "{put: ticket,", "{put: tickets,"}, 2, "contract.yaml:64: put: expected an entity, a table or table/index, found tickets"},
		"an answer of no entity":                   {[3]string{contract, "'pk = CUSTOMER#{customerId}'}\n    returns: ticket", "'pk = CUSTOMER#{customerId}'}\n    returns: tickets"}, 2, "contract.yaml:48: pattern list-tickets: no entity tickets"},
		"a condition on a value that no item has":  {[3]string{contract, "if: status = open}", "if: status = open OR status = opne}"}, 2, "contract.yaml:69: if: expected one of the values that status may have, open, closed, found opne"},
		"a read by a value that no item has":       {[3]string{contract, "where: status = open", "where: status = opne"}, 2, "contract.yaml:58: where: expected one of the values that status may have, open, closed, found opne"},
		"a condition that is none":                 {[3]string{contract, "if: status = open", "if: status is open"}, 2, "contract.yaml:69: if: expected name = :value"},
		"a write of an attribute that nothing has": {[3]string{contract, "do: SET status = closed", "do: SET state = closed"}, 2, "contract.yaml:69: do: no entity of table Tickets says which type state has"},
		"no part on access patterns":               {[3]string{contract, "access-patterns: {17: Access patterns}\n", ""}, 2, "contract.yaml:2: access patterns: expected a citation"},
		// An item does not fit the contract.
		"another parameter of a template": {[3]string{contract, "sk: {template: 'TICKET#{ticketId}'", "sk: {template: 'TICKET#{id}'"}, 2, "cases.json:2: case of get-ticket: no value for parameter id"},
		"an attribute of another type":    {[3]string{contract, "subject: {type: S", "subject: {type: N"}, 2, "the design has 1 mistake\n  contract.yaml:37: entity ticket: subject (type): expected type N"},
		"an attribute left out":           {[3]string{contract, "      subject: {type: S, cite: {11: subject}}\n", ""}, 2, "contract.yaml:26: entity ticket: subject (undocumented)"},
		"an attribute too many":           {[3]string{contract, "      subject: {type: S,", "      colour: {type: S, cite: {11: subject}}\n      subject: {type: S,"}, 2, "the design has 1 mistake\n  contract.yaml:37: entity ticket: colour (required)"},
		"too few values":                  {[3]string{contract, "allowed: [open, closed]", "allowed: [open]"}, 2, "contract.yaml:69: do: expected one of the values that status may have, open, found closed"},
		"an item of another value":        {[3]string{"items.json", `"status": {"S": "closed"}, "openedAt": {"S": "2026-01-05`, `"status": {"S": "shut"}, "openedAt": {"S": "2026-01-05`}, 2, "items.json:4: item screen: status (allowed): expected one of open"},
		"another format":                  {[3]string{contract, "format: timestamp", "format: date"}, 2, "the design has 1 mistake\n  contract.yaml:39: entity ticket: openedAt (format): expected ISO 8601 date"},
		"a write of a key":                {[3]string{contract, "do: SET status = closed", "do: SET pk = closed"}, 2, "contract.yaml:65: pattern close-ticket, step write: expected an Update that changes nothing twice, and nothing of the primary key of Tickets, found pk"},
		"a filter on a key":               {[3]string{contract, "where: status = open,", "where: status = open, filter: openedAt > 2026,"}, 2, "contract.yaml:54: pattern list-open, step read: index by-status of table Tickets: a filter on key attribute openedAt"},
		"a put of another value":          {[3]string{"items.json", `"status": {"S": "open"}, "openedAt": {"S": "2026-02-02`, `"status": {"S": "shut"}, "openedAt": {"S": "2026-02-02`}, 1, "cases.json:8: case of open-ticket: expected a request that the access pattern documents, found guard of tickets refuses PutItem on Tickets: item: "},
		"a case of an unknown item":       {[3]string{cases, `"expect": ["printer", "screen"]`, `"expect": ["printer", "monitor"]`}, 2, `cases.json:4: case of list-tickets: no item "monitor"`},
		"a decoy of an unknown item":      {[3]string{cases, `"decoys": [{"item": "of-another"`, `"decoys": [{"item": "nobody"`}, 2, `cases.json:4: case of list-tickets: no decoy "nobody"`},
		"a parameter too few":             {[3]string{cases, `{"customerId": "1", "ticketId": "1"}, "expect"`, `{"customerId": "1"}, "expect"`}, 2, "cases.json:2: case of get-ticket: no value for parameter ticketId"},
		// The document says otherwise, or something else than what it is cited for.
		"a value more than the document lists":                  {[3]string{contract, "allowed: [open, closed]", "allowed: [open, closed, waiting]"}, 1, "tickets.md:12: status of ticket: expected the values that the line lists, found waiting beside them"},
		"any value where the document lists them":               {[3]string{contract, "allowed: [open, closed], ", ""}, 1, "tickets.md:12: status of ticket: expected the values `open` or `closed` to be allowed alone"},
		"no format where the document gives one":                {[3]string{contract, ", format: timestamp", ""}, 1, "tickets.md:13: openedAt of ticket: expected a format, timestamp or date, since the line says ISO 8601"},
		"no order where the document gives one":                 {[3]string{contract, ", order: ascending", ""}, 1, "tickets.md:21: pattern list-open: expected an order, since the line says oldest first"},
		"a put that another attribute guards":                   {[3]string{contract, "if: attribute_not_exists(pk)", "if: attribute_not_exists(subject)"}, 1, "tickets.md:22: pattern open-ticket: expected a condition on the key"},
		"an update that another attribute guards":               {[3]string{contract, ", if: status = open}", ", if: openedAt = open}"}, 1, "cases.json:11: case of close-ticket: expected success, found ConditionalCheckFailedException"},
		"an update that any item passes":                        {[3]string{contract, ", if: status = open}", ", if: attribute_exists(subject)}"}, 1, "cases.json:12: case of close-ticket closed before: expected ConditionalCheckFailedException, found success"},
		"a table cited by any word":                             {[3]string{contract, "cite: {3: 'Tickets-{env}'}", "cite: {3: help}"}, 1, "own-name/table/Tickets: no token of the citation names Tickets-{env}"},
		"a key cited by any word":                               {[3]string{contract, "key-cite: {7-8: ['`pk`', '`sk`', String]}", "key-cite: {7-8: key}"}, 1, "own-name/table/Tickets/key/pk: no token"},
		"an index cited by any word":                            {[3]string{contract, "cite: {15: [by-status, '`status`', '`openedAt`', copies all attributes]}", "cite: {15: global}"}, 1, "own-name/index/Tickets/by-status: no token"},
		"a number of indexes cited by a word that says nothing": {[3]string{contract, "indexes-cite: {15: The one global secondary index}", "indexes-cite: {15: the}"}, 1, "tickets.md:15: tickets/table/Tickets/indexes: expected words that say something to be cited"},
		"an entity cited by words of a pattern":                 {[3]string{contract, "cite: {7-8: ['CUSTOMER#{customerId}', 'TICKET#{ticketId}']}", "cite: {23: Close}"}, 1, "tickets.md:23: entity ticket: expected words of its title or its keys to be cited"},
		"an attribute cited by any word":                        {[3]string{contract, "subject: {type: S, cite: {11: subject}}", "subject: {type: S, cite: {11: String}}"}, 1, "own-name/attribute/ticket/subject: no token"},
		"an attribute cited by the next line":                   {[3]string{contract, "subject: {type: S, cite: {11: subject}}", "subject: {type: S, cite: {10: ticketId}}"}, 1, "own-name/attribute/ticket/subject: no token"},
		"a pattern cited by any word":                           {[3]string{contract, "cite: {20: [List the tickets, 'pk = CUSTOMER#{customerId}']}", "cite: {20: of a}"}, 1, "tickets.md:20: tickets/pattern/list-tickets: expected words that say something to be cited"},
		"a pattern cited by the next line":                      {[3]string{contract, "cite: {20: [List the tickets, 'pk = CUSTOMER#{customerId}']}", "cite: {21: List open tickets}"}, 1, "unclaimed/pattern/list-the-tickets-of-a-customer"},
		"a citation off by one":                                 {[3]string{contract, "cite: {19: [Get a ticket, GetItem]}", "cite: {18: [Get a ticket, GetItem]}"}, 1, `tickets.md:18: expected "Get a ticket" on these lines, found it on line 19`},
		"a citation of another word":                            {[3]string{contract, "cite: {11: subject}", "cite: {11: subjects}"}, 1, `tickets.md:11: expected "subjects" on these lines, found it on no line`},
		"a citation behind the end":                             {[3]string{contract, "cite: {11: subject}", "cite: {111: subject}"}, 1, "tickets.md:111-111: the document has lines 1 to 23"},
		"another digest":                                        {[3]string{contract, "5c716357", "5c716358"}, 1, "tickets.md: expected SHA-256 5c716358"},
		"another document":                                      {[3]string{document, "subject", "topic"}, 1, "tickets.md: expected SHA-256 5c716357"},
	} {
		t.Run(name, func(t *testing.T) {
			flags := []string{"check"}
			if strings.Contains(row.found, "no case is refused") {
				run(t, "", 0, "check", "--design", changed(t, row.edit))
				flags = append(flags, "--strict") // it warns without
			}
			c := run(t, "", row.code, append(flags, "--design", changed(t, row.edit))...)
			says(t, "the check", c.stdout.String()+c.stderr.String(), row.found)
			lacks(t, "the check", c.stdout.String(), "PASS", " fit each other")
		})
	}
}

// What no line of a document and no case can tell is not named by check, and verify passes it too: the contract alone says it. A
// person has to read it beside the document.
func TestWhatCheckCannotName(t *testing.T) {
	t.Parallel()
	const contract, cases = "contract.yaml", "cases.json"
	for why, edit := range map[string][3]string{
		"a title is the contract's own":                                 {contract, "title: The tickets of a customer", "title: Tickets"},
		"no line says that a text may be empty":                         {contract, "subject: {type: S,", "subject: {type: S, not-empty: true,"},
		"no line says that the order is open":                           {contract, "where: 'pk = CUSTOMER#{customerId}'}", "where: 'pk = CUSTOMER#{customerId}', order: ascending}"},
		"every item has both attributes, or neither":                    {contract, "if: attribute_not_exists(pk)}", "if: attribute_not_exists(pk) AND attribute_not_exists(sk)}"},
		"one word that names the operation proves as much as all words": {contract, "cite: {19: [Get a ticket, GetItem]}", "cite: {19: GetItem}"},
		"the reason of a decoy is for people":                           {cases, "closed, and the oldest of all", "young"},
	} {
		t.Run(why, func(t *testing.T) {
			folder := changed(t, edit)
			says(t, "the check", run(t, "", 0, "check", "--design", folder).stdout.String(), "PASS")
			run(t, "", 0, "verify", "--design", folder)
		})
	}
}
