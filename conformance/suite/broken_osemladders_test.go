package suite_test

import (
	"dynaproof/accesspatterns"
)

// brokenLadders take from the flows of osem-ladders the conditions that keep
// writers from undoing each other.
func brokenLadders() []breakage {
	return []breakage{
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
	}
}
