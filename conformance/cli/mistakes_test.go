package cli_test

import (
	"strings"
	"testing"
)

// Each mistake that an author can make in a contract's cases, or in a contract beside its cases and its document, is named by
// check, with file and line, and ends it: none waits for an engine.
func TestCheckNamesMistakes(t *testing.T) {
	t.Parallel()
	const contract, cases = "contract.yaml", "cases.json"
	for name, row := range map[string]struct {
		edit  [3]string
		code  int
		found string
	}{
		// The contract reads or writes otherwise than its cases.
		"a sort key of another prefix":       {[3]string{contract, `where: 'pk = CUSTOMER#{customerId}'`, `where: 'pk = CUSTOMER#{customerId} AND begins_with(sk, TICKETS#)'`}, 1, "cases.json:4: case of list-tickets: step read: does not return printer, screen"},
		"another order":                      {[3]string{contract, "order: ascending", "order: descending"}, 1, "cases.json:6: case of list-open: step read: returns its items in another order than of-another, printer"},
		"another constant of a read":         {[3]string{contract, "where: status = open, order", "where: status = closed, order"}, 1, "cases.json:6: case of list-open: step read: does not return of-another, printer"},
		"no condition of a put":              {[3]string{contract, ", if: attribute_not_exists(pk)}", "}"}, 1, "cases.json:9: case of open-ticket twice: step write: expected ConditionalCheckFailedException, and it succeeds"},
		"no condition of an update":          {[3]string{contract, ", if: status = open}", "}"}, 1, "cases.json:12: case of close-ticket closed before: step write: expected ConditionalCheckFailedException, and it succeeds"},
		"a condition the other way round":    {[3]string{contract, "if: attribute_not_exists(pk)", "if: attribute_exists(pk)"}, 1, "cases.json:8: case of open-ticket: step write: expected it to succeed, and it is refused with ConditionalCheckFailedException"},
		"a condition on another value":       {[3]string{contract, "if: status = open}", "if: status = closed}"}, 1, "cases.json:11: case of close-ticket: step write: expected it to succeed"},
		"another effect":                     {[3]string{contract, "do: SET status = closed", "do: SET status = open"}, 1, "cases.json:11: case of close-ticket: expected printer-closed to be present, and the flow leaves it with"},
		"an effect more":                     {[3]string{contract, "do: SET status = closed", "do: 'SET status = closed, subject = closed'"}, 1, "cases.json:11: case of close-ticket: expected printer-closed to be present, and the flow leaves it with"},
		"a limit that nobody documents":      {[3]string{contract, "order: ascending}", "order: ascending, limit: 1}"}, 1, "cases.json:6: case of list-open: step read: does not return printer"},
		"a filter that nobody documents":     {[3]string{contract, "order: ascending}", "order: ascending, filter: customerId = 1}"}, 1, "cases.json:6: case of list-open: step read: does not return of-another"},
		"a projection that nobody documents": {[3]string{contract, "order: ascending}", "order: ascending, project: [pk, sk]}"}, 1, "cases.json:6: case of list-open: step read: does not return of-another, printer"},
		"an index that copies keys alone":    {[3]string{contract, "projection: ALL", "projection: KEYS_ONLY"}, 1, "the document projects ALL into by-status, the contract KEYS_ONLY"},
		"another way to pay":                 {[3]string{contract, "mode: PAY_PER_REQUEST", "mode: PROVISIONED"}, 1, "objections of the document's reader"},
		"another placeholder of a name":      {[3]string{contract, "name: Tickets-{env}", "name: Tickets-{stage}"}, 1, "tickets.md:3: expected the table Tickets to be named Tickets-{env}, found Tickets-{stage} in the contract"},
		"a way to pay cited by any word":     {[3]string{contract, "cite: {3: billed on demand}", "cite: {3: tickets}"}, 1, "tickets.md:3: expected words about how Tickets is billed to be cited"},
		"a pattern left out":                 {[3]string{contract, "  list-tickets:\n    title: The tickets of a customer\n    cite: {20: [List the tickets, 'pk = CUSTOMER#{customerId}']}\n    steps:\n      - {query: Tickets, where: 'pk = CUSTOMER#{customerId}'}\n    returns: ticket\n", ""}, 2, "cases.json:4: case of list-tickets: no such pattern"},
		"an answer to nothing":               {[3]string{contract, "hazard/constant-index-partition/by-status: a desk", "differs/billing: a desk"}, 1, "stale/differs/billing"},
		"another template":                   {[3]string{contract, "sk: {template: 'TICKET#{ticketId}'", "sk: {template: 'TICKETS#{ticketId}'"}, 2, "the design has 1 mistake\n  contract.yaml:31: entity ticket: sk: expected the form that its items have, found TICKETS#{ticketId}, and none of its 3 items has it (\"TICKET#1\", \"TICKET#10\", \"TICKET#1\")"},
		"an attribute that it lacks":         {[3]string{contract, "      subject: {type: S, cite: {11: subject}}\n", ""}, 2, "items.json:2: item printer: subject (undocumented): expected an attribute that the contract gives to Ticket, found subject; add it to the contract with its line, or take it out of the item"},
		"a token on no line":                 {[3]string{contract, "cite: {11: subject}", "cite: {11: matter}"}, 1, "tickets.md:11: expected \"matter\" on these lines, found it on no line"},
		// An item lacks the key of an index.
		"an item that is not in an index": {[3]string{"items.json", `, "status": {"S": "open"}`, ""}, 2, "where only some items are in an index, its key is optional: true"},
		// A case says otherwise than the contract and the items.
		"too few items":                   {[3]string{cases, `"expect": ["printer", "screen"]`, `"expect": ["printer"]`}, 1, "cases.json:4: case of list-tickets: step read: returns also screen; name it under expect where the document's sentence returns it"},
		"too many items":                  {[3]string{cases, `"expect": []`, `"expect": ["printer"]`}, 1, "cases.json:3: case of get-ticket of nobody: step read: does not return printer"},
		"items in another order":          {[3]string{cases, `"expect": ["of-another", "printer"]`, `"expect": ["printer", "of-another"]`}, 1, "cases.json:6: case of list-open: step read: returns its items in another order"},
		"parameters of somebody else":     {[3]string{cases, `{"customerId": "1", "ticketId": "1"}, "expect": ["printer"]`, `{"customerId": "10", "ticketId": "1"}, "expect": ["printer"]`}, 1, "cases.json:2: case of get-ticket: step read: does not return printer"},
		"a parameter too many":            {[3]string{cases, `{"customerId": "1"}, "expect"`, `{"customerId": "1", "agentId": "2"}, "expect"`}, 1, "cases.json:4: case of list-tickets: no template of the pattern has the parameter agentId"},
		"an error that DynamoDB has not":  {[3]string{cases, `"error": "ConditionalCheckFailedException", "present": ["screen"]`, `"error": "ConditionFailed", "present": ["screen"]`}, 1, "cases.json:12: case of close-ticket closed before: expected an error code of DynamoDB, found ConditionFailed"},
		"another error":                   {[3]string{cases, `"error": "ConditionalCheckFailedException", "present": ["screen"]`, `"error": "TransactionCanceledException", "present": ["screen"]`}, 1, "cases.json:12: case of close-ticket closed before: step write: expected TransactionCanceledException, and it is refused with ConditionalCheckFailedException"},
		"no error":                        {[3]string{cases, "\n    \"error\": \"ConditionalCheckFailedException\", \"present\": [\"screen\"]", "\n    \"present\": [\"screen\"]"}, 1, "cases.json:12: case of close-ticket closed before: step write: expected it to succeed, and it is refused"},
		"nothing present":                 {[3]string{cases, `"items": {"ticket": "new"}, "present": ["new"]`, `"items": {"ticket": "new"}`}, 1, "cases.json:8: case of open-ticket: the flow changes the item of Tickets with the key"},
		"another item present":            {[3]string{cases, `"present": ["printer-closed"]`, `"present": ["of-another"]`}, 1, "cases.json:11: case of close-ticket: the flow changes the item of Tickets with the key"},
		"an item absent that is there":    {[3]string{cases, `"present": ["printer-closed"]`, `"absent": ["printer-closed"]`}, 1, "cases.json:11: case of close-ticket: expected printer-closed to be absent, and it is there"},
		"no case of a put is refused":     {[3]string{cases, `  {"pattern": "open-ticket", "name": "twice", "params": {"customerId": "1", "ticketId": "1"}, "items": {"ticket": "printer-again"},` + "\n" + `    "error": "ConditionalCheckFailedException", "present": ["printer"]},` + "\n", ""}, 1, "cases.json:8: pattern open-ticket, step write, action 1, Put of Tickets: no case is refused because the condition on pk does not hold"},
		"no case of an update is refused": {[3]string{cases, `,` + "\n" + `  {"pattern": "close-ticket", "name": "closed before", "params": {"customerId": "1", "ticketId": "10"},` + "\n" + `    "error": "ConditionalCheckFailedException", "present": ["screen"]}`, ""}, 1, "cases.json:11: pattern close-ticket, step write, action 1, Update of Tickets: no case is refused because the condition on status does not hold"},
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
