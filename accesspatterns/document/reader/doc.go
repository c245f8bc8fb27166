// Package reader reads a design document for DynamoDB by machine: Markdown, or
// plain text with the same marks. It knows nothing of contracts, stacks or
// deployments, so that it can witness against them.
//
// It holds no model of language. A form is one file: labels with their values (form_labels.go), what tables and indexes are called
// (form_tables.go, form_indexes.go), what fences (form_fences.go) and rows are taken for, sentences (form_sentences.go) and
// the settings that they tell (form_settings.go),
// tables by their header cells (form_grids.go), forms of keys and items (form_items.go), access patterns (form_patterns.go)
// by one grammar of requests (request.go), requests of SDKs (form_requests.go), definitions in code (form_code.go) and AWS's
// dynamodb_data_model.md (form_datamodel.go). It applies where the text is exactly that form, and
// nothing is inferred from a word in a sentence, but that GSI1PK is a key of an index that is called GSI1 where no line calls it otherwise, and that a
// request which compares a sort key by more than equality, or the partition key of an index, or has an order or a limit beside a key, is a Query: no other operation takes that as a
// condition on keys, and a title that changes items, or scans, says something else. [Pattern.Implied] marks such an operation.
// An index that is called createdBy-createdAt-index has the attributes of those names as its keys where no line gives any, as the console of AWS calls an index.
// Of an index of which no line gives the keys, "PK = status" compares no key of the table; it names its own where the index is called after that attribute, or the
// table lists it, and no key has the number of an index in its name.
// A section with keys that is called as the section of a table beside it is has a table of its own. "Scan on carts", where no line defines carts, is a request of no table that is read.
// A line that says of a table that it has the structure of another gives it the same keys, a part on the keys of all tables gives them to each, and the one form
// of a partition key in the part on keys is that of the kinds of items that list their sort keys alone. What states a pattern again, by the same words and with
// the same request as far as both say it, is the same pattern.
// In the key of an example a timestamp, a UUID, or user123 of USER#user123 is a value of that item and no constant: the key has a form where some other part
// is a word in capitals, and where requests of a list give one that it fits. A word in capitals behind another may be the value of a state: it is a constant where the title or the
// kind of the item says it, and no attribute has it.
// By the same rules a request has no other attributes than keys in its key or its key condition: PK and SK of such requests are the keys of a table of
// which no line gives any.
// A table of which no line names a key has those of its items, PK and SK, where two or more are written out and each has both. A bare word is a value where a line
// lists it as one: draft of "draft | published". What a program joins is one form: CART#{id} of "CART#" + id.
// A document that defines no table and shows queries in code has the tables that these name: a key condition expression compares the partition key by equality,
// and nothing else but the sort key. "GSI1: PK = mail" gives an index the attribute mail where
// the document lists it, and no key where that is the form of a value. A request that gives the partition key of its table goes through no index.
// The line of a list that is a key, and the line of a kind of item with the forms of its keys, are brought into one order before any form sees them
// (keyorder.go): name, type and role stand in any. An index with its keys has one reading, in a line, a cell or a value (indexline.go); the partition key of a
// local index is that of its table. A plain name over keys, or with its keys and their roles behind it, is that of a table below a title on tables alone.
// A fence that holds lists and no code, titles between drawn lines, and lines that stand indented below a label are read as the lists and titles that they are.
// So are boxes that are drawn in a fence and have keys: each is a title over a list. A value whose second part is a word in small letters is a constant where the
// line marks its parameters: TENANT#{id} beside SETTINGS#dark_mode. The word for a key is none of its attributes where lines say different things of that key.
// Tables that are drawn in a fence are tables as Markdown's are (drawn.go), and so are those of HTML (html.go). An index that no line names is called as
// the document calls it ([Index.Unnamed]).
// A list whose items are titles in bold type over lists of keys, or over lines of them, is read as headings (markdown.go). Where one key has a single form and the
// other several, each of these is that of a kind of items. The values of a column of examples are those of one item. No table has a key that is called after an index,
// as gsi_pk is.
// Words are data: words.yaml has those of the field in the spellings of documents, the phrases that say what a text is about, and the names of
// types and operations. Requests of a part on best practices, of work by hand or of what is not served
// are none of the design, and no line is read below a title that takes it back, nor a request below such a comment: rejected, unused, open, but no state of things, Rejected beside Pending. [Read] returns a [Document], every fact with its
// line. Facts are certain or absent: lines that say something and that no form reads, or reads in
// part, are in [Document.Unread]; what two lines give differently is in [Document.Disputes], and
// neither is taken. testdata has texts of each form with the facts, variants.yaml the ways of writing one thing, which are tried in every pair, testdata/not texts that are like
// a form and are none.
//
// It reads; it does not judge. Package review says what is wrong with a
// document, and package witness where a contract differs from it.
package reader
