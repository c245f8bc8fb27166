package suite_test

import (
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/fixtures"
)

// An invariant that holds whatever the flow does would be none.
func brokenFlows() []breakage {
	one := designtest.Digits("1")
	return []breakage{
		{
			name: "a flow that ends before the steps that its case names", design: "roll-model",
			amend: pattern("list-ai-messages", func(p *accesspatterns.Pattern) { p.Steps[0].StopAt = &one }),
			fails: map[string]string{
				"pattern/list-ai-messages": `step messages: expected the flow to reach this step, found the flow ended at step thread`,
			},
		},
		{
			name: "a flow that ends before its write", design: "commit-collect",
			amend: pattern("update-milestone", func(p *accesspatterns.Pattern) { p.Steps[0].StopAt = &one }),
			fails: map[string]string{
				"invariant/no-lost-milestone-update": `the flow to reach its writes`,
				"pattern/update-milestone":           `step update: expected a request, found none was sent: the flow ended at step milestone`,
			},
		},
		{
			name: "a write that is repeated for nothing", design: "commit-collect",
			amend: pattern("update-milestone", func(p *accesspatterns.Pattern) {
				p.Steps[1].ForEach = designtest.Each("milestone", "revision", "version")
			}),
			fails: map[string]string{
				"invariant/no-lost-milestone-update": ``,
				"pattern/update-milestone":           `step update: expected a request, found none was sent`,
			},
		},
		{
			name: "a write of which nothing is expected", design: "commit-collect",
			amend: func(_ *accesspatterns.Design, s *fixtures.Set) {
				for i := range s.Cases {
					if s.Cases[i].Pattern == "mint-award" && s.Cases[i].Name == "a part that was not awarded yet" {
						s.Cases[i].Idle = []string{"mint"}
					}
				}
			},
			fails: map[string]string{"pattern/mint-award": `step mint: expected no request, found 1 requests`},
		},
		{
			name: "a refusal that never comes", design: "commit-collect",
			amend: func(_ *accesspatterns.Design, s *fixtures.Set) {
				for i := range s.Cases {
					if s.Cases[i].Pattern == "ingest-workout" && s.Cases[i].Name == "an athlete of nobody" {
						s.Cases[i].Error = "TransactionCanceledException"
					}
				}
			},
			fails: map[string]string{
				"pattern/ingest-workout": `expected a write that is refused with TransactionCanceledException, found no such write was sent`,
			},
		},
		{
			name: "a reader that takes every version", design: "roll-model",
			amend: pattern("list-own-entries", func(p *accesspatterns.Pattern) {
				versions := *p.Steps[0].Read.Versions // which other patterns share
				versions.Current = 2
				p.Steps[0].Read.Versions = &versions
			}),
			fails: map[string]string{
				"pattern/list-own-entries": `found also entry-abc-of-the-future`,
			},
		},
		{
			name: "keyword items written after their entry", design: "roll-model",
			amend: pattern("create-entry-once", split(0, 2)),
			fails: map[string]string{
				"invariant/entry-created-once": `expected entry-3, entry-3-meta, entry-3-keyword-takedown, entry-3-keyword-calm together`,
				"pattern/create-entry-once":    `case an entry id that another athlete has: nothing is written`,
			},
		},
		{
			name: "an award minted after its version", design: "commit-collect", everywhere: true,
			amend: pattern("mint-award", split(2, 1)),
			fails: map[string]string{
				"guardrail/transactions-where-required": `expected a refusal for documented-write, found the request passed it`,
				"invariant/award-minted-once":           `award-3-of-milestone-1-of-user-1, milestone-1-of-user-1-version-2 together`,
				"pattern/mint-award":                    `case minted already, step mint: expected TransactionCanceledException, found success`,
			},
		},
		{
			name: "a link of two writes", design: "commit-collect",
			amend: pattern("link-strava", split(1, 1)),
			fails: map[string]string{
				"guardrail/transactions-where-required": `expected a refusal for documented-write, found the request passed it`,
				"invariant/one-owner-per-link":          `which of connection-user-3, connection-user-4-to-athlete-3 are there: expected 1, found 2`,
				"pattern/link-strava":                   `case the athlete has an owner, step link: expected TransactionCanceledException, found success`,
			},
		},
		{
			name: "the link deleted before the rest", design: "commit-collect",
			amend: pattern("delete-account", func(p *accesspatterns.Pattern) {
				p.Steps = slices.Concat(p.Steps[len(p.Steps)-3:], p.Steps[:len(p.Steps)-3])
			}),
			fails: map[string]string{
				"invariant/deletion-ends-clean": `expected owner-athlete-10 as long as profile-user-10 is there, found profile-user-10 alone`,
				"pattern/delete-account":        `case run again after it ended, step connection`,
			},
		},

		// From the flows of fus-main is taken what keeps their items in agreement.
		{
			name: "tag items written whatever the list says", design: "fus-main",
			amend: func(design *accesspatterns.Design, set *fixtures.Set) {
				pattern("change-site-tags", func(p *accesspatterns.Pattern) {
					for i := range p.Steps {
						p.Steps[i].Write = slices.DeleteFunc(p.Steps[i].Write, func(a accesspatterns.Action) bool { return a.Kind == accesspatterns.ConditionCheck })
					}
				})(design, set)
				// Whether the race goes wrong without them is a matter of luck.
				set.Stress = slices.DeleteFunc(set.Stress, func(s fixtures.Stress) bool { return s.For == "tag-items-follow-the-list" && s.Race != nil })
			},
			fails: map[string]string{
				"policy/role/admin":        `expected ConditionCheckItem on fus-main in partition SITE#1 to be denied`,
				"policy/role/superadmin":   `expected ConditionCheckItem on fus-main in partition SITE#1 to be denied`,
				"pattern/change-site-tags": `case the site vanishes before its tag item is written, step add: expected TransactionCanceledException, found success`,
			},
		},
		{
			name: "a match recorded over another", design: "fus-main",
			amend: pattern("record-match", func(p *accesspatterns.Pattern) { p.Steps[1].Write[1].Condition = nil }),
			fails: map[string]string{
				"pattern/record-match":          `case the id is taken, step record: expected TransactionCanceledException, found success`,
				"invariant/match-recorded-once": `runs that succeeded: expected 1, found 16`,
			},
		},
		{
			name: "the squash section without a look at the membership", design: "fus-main",
			amend: func(design *accesspatterns.Design, set *fixtures.Set) {
				pattern("record-match", func(p *accesspatterns.Pattern) { p.Steps[1].Write = p.Steps[1].Write[1:] })(design, set)
				pattern("members-list-players", func(p *accesspatterns.Pattern) { p.Steps[0].StopWhenEmpty = false })(design, set)
				pattern("members-get-match", func(p *accesspatterns.Pattern) { p.Steps[0].Read.Filter = nil })(design, set)
			},
			fails: map[string]string{
				"policy/role/manager":              `expected ConditionCheckItem on fus-main in partition USER#somebody to be denied, found allowed by statement OwnMembership`,
				"pattern/record-match":             `case taken out of the group between check and write, step record: expected TransactionCanceledException, found success`,
				"pattern/members-list-players":     `case in no group`,
				"pattern/members-get-match":        `case in another group, with an item of one's own making under the key`,
				"invariant/no-match-after-leaving": `runs that succeeded: expected 1, found 2`,
			},
		},
		{
			name: "participations moved after their match", design: "fus-main",
			amend: pattern("move-match", func(p *accesspatterns.Pattern) {
				move := p.Steps[1]
				after := move
				move.Write, after.Write, after.Name = move.Write[:1], move.Write[1:], "move participations"
				p.Steps = []accesspatterns.Step{p.Steps[0], move, after}
			}),
			fails: map[string]string{
				"pattern/move-match":          `case no such match, step move participations: expected a request, found none was sent`,
				"invariant/match-moves-whole": `together, found only match-1-moved`,
			},
		},
		{
			name: "a player deleted before the participations", design: "fus-main",
			amend: pattern("delete-player", func(p *accesspatterns.Pattern) { slices.Reverse(p.Steps[1:]) }),
			fails: map[string]string{
				"invariant/player-goes-last": `after request 2 of 4: expected player-10 as long as player-10-in-match-2 is there, found player-10-in-match-2 alone`,
			},
		},

		// From the flows of osem-ladders are taken the conditions that keep writers from undoing each other.
		{
			name: "an activation that does not look at the former version", design: "osem-ladders",
			amend: pattern("activate-config", func(p *accesspatterns.Pattern) { p.Steps[1].Write[0].Condition = nil }),
			fails: map[string]string{
				"pattern/activate-config":             `case the former one vanished in between, step switch: expected TransactionCanceledException`,
				"invariant/exactly-one-active-config": `list-active-configs, items: expected 1, found`,
			},
		},
		{
			name: "a removal that does not count who is left", design: "osem-ladders",
			amend: pattern("remove-team-member", func(p *accesspatterns.Pattern) { p.Steps[0].Write[0].Condition = p.Steps[0].Write[0].Condition[:1] }),
			fails: map[string]string{
				"pattern/remove-team-member": `case the last one: refused: expected ConditionalCheckFailedException, found success`,
				"invariant/a-member-is-left": `runs that succeeded: expected 8, found 16`,
			},
		},
		{
			name: "a submission of what is submitted", design: "osem-ladders",
			amend: pattern("submit-assessment", func(p *accesspatterns.Pattern) { p.Steps[0].Write[0].Condition = p.Steps[0].Write[0].Condition[1:] }),
			fails: map[string]string{
				"pattern/submit-assessment": `expected ConditionalCheckFailedException, found success`,
				"invariant/submitted-once":  `runs that succeeded: expected 1, found 16`,
			},
		},
		{
			name: "a member added to what was read", design: "osem-ladders",
			amend: pattern("add-team-member", func(p *accesspatterns.Pattern) {
				for i := range p.Steps[0].Write[1].Set {
					p.Steps[0].Write[1].Set[i].Operator = ""
				}
			}),
			fails: map[string]string{
				"pattern/add-team-member":        `team-1-with-user-1`,
				"invariant/every-member-is-kept": `team-1-with-eight-more`,
			},
		},

		// From the flows of personal-os is taken what keeps wallet, records and index keys in agreement.
		{
			name: "a reward redeemed for points that are not there", design: "personal-os",
			amend: pattern("redeem-reward", func(p *accesspatterns.Pattern) { p.Steps[1].Write[1].Condition = nil }),
			fails: map[string]string{
				"invariant/balance-never-negative": `runs that succeeded: expected 4, found 8`,
				"pattern/redeem-reward":            `case more points than there are, step redeem: expected TransactionCanceledException, found success`,
			},
		},
		{
			name: "a transaction stored over another one", design: "personal-os",
			amend: pattern("redeem-reward", func(p *accesspatterns.Pattern) { p.Steps[1].Write[2].Condition = nil }),
			fails: map[string]string{
				// A redemption that is sent again replaces its own record, and spends twice.
				"invariant/balance-never-negative": `run again: expected item u10-wallet-spent as written, found balance: expected {"N":"35"}, found {"N":"25"}`,
				"invariant/no-transaction-lost":    `runs that succeeded: expected 1, found 4`,
				"pattern/redeem-reward":            `case a second that is taken: the earlier record stays, and the balance, step redeem: expected TransactionCanceledException, found success`,
			},
		},
		{
			name: "a change of status that writes the index key of another one", design: "personal-os",
			amend: pattern("change-task-status", func(p *accesspatterns.Pattern) {
				for i, set := range p.Steps[1].Write[0].Set {
					if set.Attribute == "gsi1sk" {
						p.Steps[1].Write[0].Set[i].Value = designtest.Text("InProgress#{createdAt}")
					}
				}
			}),
			fails: map[string]string{
				"invariant/index-keys-agree": `which of u1-task-1-on-hold-in-wealth, u1-task-1-blocked-in-wealth are there: expected 1, found 0`,
				"ledger/documented-requests": `documented changes of entity task, found index key`,
				"pattern/change-task-status": `case put on hold, afterwards: expected item u1-task-1-on-hold as written`,
			},
		},
		{
			name: "a task flagged as awarded before its points are in the wallet", design: "personal-os",
			amend: pattern("award-task-points", split(1, 1)),
			fails: map[string]string{
				"invariant/awarded-once":    `expected u1-task-10-awarded, u1-wallet-awarded, txn-award together, found only u1-task-10-awarded`,
				"pattern/award-task-points": `case a user without a wallet, step award: expected TransactionCanceledException, found success`,
			},
		},
	}
}

// split writes the first actions of a step in one request and the others in the
// next.
func split(step, first int) func(*accesspatterns.Pattern) {
	return func(p *accesspatterns.Pattern) {
		whole := p.Steps[step]
		head, tail := whole, whole
		head.Write, tail.Write = whole.Write[:first], whole.Write[first:]
		tail.Name += "-rest"
		p.Steps = slices.Concat(p.Steps[:step], []accesspatterns.Step{head, tail}, p.Steps[step+1:])
	}
}
