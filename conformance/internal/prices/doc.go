// Package prices holds DynamoDB's on-demand prices as of a date, for estimates.
//
// The figures stand in prices.json and were looked up by hand: no price is
// fetched. An estimate names the date, so that its reader can tell how old it is.
package prices
