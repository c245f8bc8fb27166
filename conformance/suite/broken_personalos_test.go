package suite_test

import (
	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
)

// brokenFlowsOfPersonalOS take from the flows of personal-os what keeps
// wallet, records and index keys in agreement.
func brokenFlowsOfPersonalOS() []breakage {
	return []breakage{
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
