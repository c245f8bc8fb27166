package replay

import (
	"fmt"
	"math"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/internal/prices"
	"dynaproof/fixtures"
)

// Estimate is what a run may consume, at most, and what that costs on demand.
type Estimate struct {
	// ReadUnits and WriteUnits are request units.
	ReadUnits, WriteUnits float64
	// Cost is in the currency of Prices, at the price of Price.Region.
	Cost   float64
	Prices *prices.List
	Price  prices.Price
}

// Sizes of capacity units, in bytes.
const (
	writeUnit = 1 << 10
	readUnit  = 4 << 10
)

// How often a run may write or read what it has, at most: an item is loaded, put
// again by its example, written by flows and trials, and restored after them; a
// transaction takes two units for one.
const (
	writesOfItem = 12
	readsOfItem  = 6
	pagesOfCase  = 4
	// A race of two clients in one order, with what is put back after it.
	writesOfOrder = 60
	readsOfOrder  = 40
)

// EstimateRun returns an upper bound of what a replay of the chosen designs
// consumes, at the prices of a region. Storage is not in it: the tables live for minutes and hold
// a few megabytes at most.
func EstimateRun(options Options, region string) (*Estimate, error) {
	chosen, err := options.resolve()
	if err != nil {
		return nil, ConfigError{err}
	}
	list, err := prices.Load()
	if err != nil {
		return nil, err
	}
	estimate := &Estimate{Prices: list, Price: list.In(region)}
	for _, design := range chosen {
		set, err := fixtures.Load(design.Name, time.Now())
		if err != nil {
			return nil, err
		}
		if err := estimate.add(design, set); err != nil {
			return nil, err
		}
		for i := range set.Stress {
			// Few attempts have as many orders as are tried, so the bound is generous.
			orders := float64(options.orders() * len(set.Stress[i].Pairs()))
			estimate.WriteUnits += writesOfOrder * orders
			estimate.ReadUnits += readsOfOrder * orders
		}
	}
	if options.Existing {
		estimate.ReadUnits += estimate.WriteUnits // each key is read before it is written
	}
	estimate.Cost = estimate.Price.Cost(estimate.ReadUnits, estimate.WriteUnits)
	return estimate, nil
}

func (e *Estimate) add(design *accesspatterns.Design, set *fixtures.Set) error {
	write := func(table *accesspatterns.Table, item accesspatterns.Item, times int) {
		e.WriteUnits += units(item, writeUnit) * float64((1+2*len(table.Indexes))*times) // a changed index key is a deletion and an insertion
	}
	for item := range lists.Each(set.Items) {
		table, err := set.TableOf(design, item)
		if err != nil {
			return err
		}
		write(table, accesspatterns.Item(item.Item), writesOfItem)
		e.ReadUnits += units(accesspatterns.Item(item.Item), readUnit) * readsOfItem
	}
	for i := range set.Cases {
		returned := 0
		for _, step := range set.Cases[i].Steps {
			returned += len(step)
		}
		e.ReadUnits += float64(pagesOfCase * (1 + returned)) // once whole, once item by item
	}
	for trial := range lists.Each(set.Trials) {
		e.ReadUnits += float64(pagesOfCase * len(trial.Requests))
		e.WriteUnits += float64(writesOfItem * len(trial.Requests))
		if trial.Bulk == nil {
			continue
		}
		if table, known := design.Table(trial.Bulk.Table); known {
			write(table, accesspatterns.Item(trial.Bulk.Item), 2*trial.Bulk.Count) // put, and deleted
			e.ReadUnits += units(accesspatterns.Item(trial.Bulk.Item), readUnit) * float64(trial.Bulk.Count)
		}
	}
	return nil
}

// units is the number of units that an item takes. Its JSON is longer than what
// DynamoDB counts.
func units(item accesspatterns.Item, size int) float64 {
	return math.Ceil(float64(len(dynamo.ShowItem(item))) / float64(size))
}

// String says the estimate in a line.
func (e *Estimate) String() string {
	return fmt.Sprintf("cost estimate: at most %.0f read and %.0f write request units, %.4f %s at the on-demand prices of %s as of %s (%s), storage and tax not included",
		e.ReadUnits, e.WriteUnits, e.Cost, e.Prices.Currency, e.Price.Region, e.Prices.Date, e.Prices.Source)
}
