package prices

import (
	_ "embed"
	"fmt"

	"dynaproof/accesspatterns/input"
)

//go:embed prices.json
var file []byte

// List is a dated list of on-demand prices.
type List struct {
	// Date is the day on which the prices were looked up, YYYY-MM-DD.
	Date string `json:"date"`
	// Source is the page that they were looked up on.
	Source string `json:"source"`
	// Currency is the unit of every price.
	Currency string `json:"currency"`
	// Reference is the region whose prices stand in for a region that the list
	// does not hold.
	Reference string `json:"reference"`
	// Regions holds the prices by region.
	Regions map[string]Price `json:"regions"`
}

// Price is what requests to an on-demand table of class STANDARD cost in a
// region. Storage, streams, backups and data transfer are not in it.
type Price struct {
	// Region is the region that the price is of. It differs from the one asked
	// for where the list does not hold that.
	Region string `json:"-"`
	// ReadPerMillion is the price of a million read request units: one is a
	// consistent read of up to 4 KB, or two eventually consistent ones.
	ReadPerMillion float64 `json:"readPerMillion"`
	// WritePerMillion is the price of a million write request units: one is a
	// write of up to 1 KB, and a write in a transaction takes two.
	WritePerMillion float64 `json:"writePerMillion"`
}

// Load returns the list that this release carries.
func Load() (*List, error) {
	var list List
	if err := input.Strictly(file, &list); err != nil {
		return nil, fmt.Errorf("prices.json: %w", err)
	}
	return &list, nil
}

// In returns the prices in a region, or those of the reference region where the
// list does not hold it; the price's Region says which.
func (l *List) In(region string) Price {
	price, known := l.Regions[region]
	if !known {
		region = l.Reference
		price = l.Regions[region]
	}
	price.Region = region
	return price
}

// Cost returns the price of requests that consume this many units, in the
// list's currency.
func (p Price) Cost(readUnits, writeUnits float64) float64 {
	const million = 1e6
	return readUnits/million*p.ReadPerMillion + writeUnits/million*p.WritePerMillion
}
