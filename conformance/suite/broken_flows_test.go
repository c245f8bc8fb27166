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
		},
		{
			name: "a flow that ends before its write", design: "commit-collect",
			amend: pattern("update-milestone", func(p *accesspatterns.Pattern) { p.Steps[0].StopAt = &one }),
		},
		{
			name: "a write that is repeated for nothing", design: "commit-collect",
			amend: pattern("update-milestone", func(p *accesspatterns.Pattern) {
				p.Steps[1].ForEach = designtest.Each("milestone", "revision", "version")
			}),
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
		},
		{
			name: "a reader that takes every version", design: "roll-model",
			amend: pattern("list-own-entries", func(p *accesspatterns.Pattern) {
				versions := *p.Steps[0].Read.Versions // which other patterns share
				versions.Current = 2
				p.Steps[0].Read.Versions = &versions
			}),
		},
		{
			name: "keyword items written after their entry", design: "roll-model",
			amend: pattern("create-entry-once", split(0, 2)),
		},
		{
			name: "an award minted after its version", design: "commit-collect", everywhere: true,
			amend: pattern("mint-award", split(2, 1)),
		},
		{
			name: "a link of two writes", design: "commit-collect",
			amend: pattern("link-strava", split(1, 1)),
		},
		{
			name: "the link deleted before the rest", design: "commit-collect",
			amend: pattern("delete-account", func(p *accesspatterns.Pattern) {
				p.Steps = slices.Concat(p.Steps[len(p.Steps)-3:], p.Steps[:len(p.Steps)-3])
			}),
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
		},
		{
			name: "a match recorded over another", design: "fus-main",
			amend: pattern("record-match", func(p *accesspatterns.Pattern) { p.Steps[1].Write[1].Condition = nil }),
		},
		{
			name: "the squash section without a look at the membership", design: "fus-main",
			amend: func(design *accesspatterns.Design, set *fixtures.Set) {
				pattern("record-match", func(p *accesspatterns.Pattern) { p.Steps[1].Write = p.Steps[1].Write[1:] })(design, set)
				pattern("members-list-players", func(p *accesspatterns.Pattern) { p.Steps[0].StopWhenEmpty = false })(design, set)
				pattern("members-get-match", func(p *accesspatterns.Pattern) { p.Steps[0].Read.Filter = nil })(design, set)
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
		},
		{
			name: "a player deleted before the participations", design: "fus-main",
			amend: pattern("delete-player", func(p *accesspatterns.Pattern) { slices.Reverse(p.Steps[1:]) }),
		},

		// From the flows of osem-ladders are taken the conditions that keep writers from undoing each other.
		{
			name: "an activation that does not look at the former version", design: "osem-ladders",
			amend: pattern("activate-config", func(p *accesspatterns.Pattern) { p.Steps[1].Write[0].Condition = nil }),
		},
		{
			name: "a removal that does not count who is left", design: "osem-ladders",
			amend: pattern("remove-team-member", func(p *accesspatterns.Pattern) { p.Steps[0].Write[0].Condition = p.Steps[0].Write[0].Condition[:1] }),
		},
		{
			name: "a submission of what is submitted", design: "osem-ladders",
			amend: pattern("submit-assessment", func(p *accesspatterns.Pattern) { p.Steps[0].Write[0].Condition = p.Steps[0].Write[0].Condition[1:] }),
		},
		{
			name: "a member added to what was read", design: "osem-ladders",
			amend: pattern("add-team-member", func(p *accesspatterns.Pattern) {
				for i := range p.Steps[0].Write[1].Set {
					p.Steps[0].Write[1].Set[i].Operator = ""
				}
			}),
		},

		// From the flows of personal-os is taken what keeps wallet, records and index keys in agreement.
		{
			name: "a reward redeemed for points that are not there", design: "personal-os",
			amend: pattern("redeem-reward", func(p *accesspatterns.Pattern) { p.Steps[1].Write[1].Condition = nil }),
		},
		{
			name: "a transaction stored over another one", design: "personal-os",
			amend: pattern("redeem-reward", func(p *accesspatterns.Pattern) { p.Steps[1].Write[2].Condition = nil }),
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
		},
		{
			name: "a task flagged as awarded before its points are in the wallet", design: "personal-os",
			amend: pattern("award-task-points", split(1, 1)),
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
