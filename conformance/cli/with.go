package cli

import (
	"slices"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/internal/own"
)

// Design is a design of another module: a folder with its contract (*.yaml), its
// document and its fixtures, often embedded, and the Pulumi program that deploys it.
// Without a program its tables are made from the contract, which proves nothing about
// them.
type Design = own.Design

// Option changes what [Main] knows.
type Option struct{ designs []Design }

// With puts designs in the place of those that are shipped, for all commands.
func With(designs ...Design) Option { return Option{designs} }

// broughtDocuments is the folder of the documents of [With] or of --design; empty without any.
var broughtDocuments string

// bring puts the designs of the options in place, until remove is called.
func bring(options []Option) (remove func(), err error) {
	all := slices.Concat(lists.Map(options, func(option Option) []Design { return option.designs })...)
	if len(all) == 0 {
		return func() {}, nil
	}
	documents, restore, err := own.Bring(all...)
	if err != nil {
		return func() {}, brokenDesign{err: err, where: "cli.With"}
	}
	broughtDocuments = documents
	return func() {
		broughtDocuments = ""
		restore()
	}, nil
}
