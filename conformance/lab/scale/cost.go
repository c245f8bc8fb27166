package scale

import (
	"math"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/internal/prices"
	"dynaproof/fixtures"
)

// costOf returns what one call of a pattern costs: its first case that is not
// refused.
func (p *proof) costOf(pattern string, cases []fixtures.Case) Cost {
	chosen := slices.IndexFunc(cases, func(c fixtures.Case) bool { return c.Error == "" && c.Interfere == nil })
	if chosen < 0 {
		return Cost{}
	}
	measured, calls := p.sizes[1][pattern][chosen], p.options.Calls
	one := measured.all()
	cost := Cost{Case: cases[chosen].Name, Figures: one, Monthly: p.price.Cost(calls*one.ReadUnits, calls*one.WriteUnits)}
	table := 0.0
	for _, step := range measured {
		table += step.tableWriteUnits
		ceiling := partitionReads
		if step.WriteUnits > 0 {
			ceiling = partitionWrites
		}
		if step.mostUnits > 0 {
			if most := float64(ceiling) / step.mostUnits; cost.CallsPerSecond == 0 || most < cost.CallsPerSecond {
				cost.CallsPerSecond = most
			}
		}
	}
	if table > 0 {
		cost.Amplification = one.WriteUnits / table
	}
	return cost
}

// meets says whether a pattern's calls meet with those of everybody in one
// partition: others' items stand under the key that it reads, or under an index
// key of the item that it puts.
func (p *proof) meets(pattern *accesspatterns.Pattern, cases []fixtures.Case) bool {
	shared := func(at place) bool { return p.world.spread[at.source][at.key].items > 0 }
	for _, step := range pattern.Steps {
		for _, c := range cases {
			if step.Read != nil && step.Read.Partition != nil {
				if at, err := placeOf(step.Read, c.Params); err == nil && shared(at) {
					return true
				}
			}
			for _, action := range step.Write {
				if action.Kind == accesspatterns.Put && p.putsShared(action, c, shared) {
					return true
				}
			}
		}
	}
	return false
}

func (p *proof) putsShared(action accesspatterns.Action, c fixtures.Case, shared func(place) bool) bool {
	table, known := p.design.Table(action.Table)
	items, err := p.set.Playing(c.Items)(action.Item)
	if !known || err != nil {
		return false
	}
	return slices.ContainsFunc(items, func(item accesspatterns.Item) bool {
		return slices.ContainsFunc(table.Indexes, func(index accesspatterns.Index) bool {
			keys, _ := table.KeysOf(index.Name)
			return keys.In(item) && shared(place{source{table.ID, index.Name}, dynamo.ScalarText(item[keys[0].Attribute])})
		})
	})
}

// billion is the size that nobody measures: internet scale.
const billion = 1e9

// limitsOf extrapolates a pattern that grows, from the slope that was measured:
// the units that each further item costs which a call looks at. Where they were
// too few to cost a unit more, their mean size decides.
func limitsOf(judged *Pattern, read *accesspatterns.Read, spreads []Spread, price prices.Price) *Limits {
	slope, most := 0.0, 0
	for _, c := range judged.Cases {
		first, last := c.ends()
		if more := last.Scanned - first.Scanned; more > most {
			most = more
			slope = (last.ReadUnits - first.ReadUnits) / float64(more)
		}
	}
	const unitsOfPage = float64(pageBytes) / readBytes
	consistent := 1.0
	if read.Index != "" {
		consistent = 0.5
	}
	if slope == 0 {
		at := slices.IndexFunc(spreads, func(s Spread) bool { return s.Table == read.Table && s.Index == read.Index })
		if most == 0 || at < 0 {
			return nil
		}
		slope = consistent * float64(spreads[at].ItemBytes) / readBytes
	}
	limits := &Limits{PageItems: unitsOfPage * consistent / slope, Price: price.Cost(billion*slope, 0)}
	limits.Pages = math.Ceil(billion / limits.PageItems)
	if read.PageSize > 0 {
		limits.Pages = math.Max(limits.Pages, math.Ceil(billion/float64(read.PageSize)))
	}
	if read.Operation != dynamo.Scan {
		limits.PartitionItems = partitionReads / slope
		limits.WritesPerSecond = partitionWrites / writeUnits(int(math.Ceil(slope/consistent*readBytes)))
	}
	return limits
}

// Limits of DynamoDB ("Quotas in Amazon DynamoDB", "Best practices for designing
// and using partition keys effectively" in the developer guide).
const (
	// readBytes and writeBytes are what one unit reads consistently, or writes.
	readBytes, writeBytes = 4096, 1024
	// pageBytes is where a page of a Query or Scan ends.
	pageBytes = 1 << 20
	// partitionReads and partitionWrites are the units that one partition takes
	// in a second.
	partitionReads, partitionWrites = 3000, 1000
)

// writeUnits is what writing one item of so many bytes consumes. A transaction
// takes twice as much.
func writeUnits(bytes int) float64 { return math.Max(1, math.Ceil(float64(bytes)/writeBytes)) }
