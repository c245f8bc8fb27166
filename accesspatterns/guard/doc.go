// Package guard is middleware for aws-sdk-go-v2 that lets a DynamoDB client send
// what a design documents, and nothing else. It is made for production code: it
// needs a contract and a client, and no other part of the project.
//
//	client := dynamodb.NewFromConfig(cfg, guard.Enforce(rollmodel.Design(), guard.ForRole("coach")))
//
// The guard takes the place of the SDK's serialiser, and calls it with what it has
// judged: nothing comes between the two, wherever other middleware or interceptors
// stand, and whenever they were added. A call that is not documented ends there with a
// [*Refusal], which says the rule, what was expected and found, the form that passes,
// and the nearest documented pattern with its line. Refusals hold no
// key value beyond its first segment, so that they can be logged. It stands at the
// signature too, and refuses to sign what is no longer the request that was serialised.
//
// # Reads
//
// GetItem, Query and waived Scan requests are brought into a normal form and
// compared with the documented reads of the client's role: table, index, key
// condition and the form of its values, filter, projection, order, limit. A
// declared projection and filter must be sent exactly, in any order of terms;
// where no projection is declared, any may be sent. Where some of the attributes will do,
// or any, what the reader judges items by is among them: an expiry, a schema version. A Query of a
// whole primary key is the GetItem of that key. A documented Limit is an
// upper bound that must be sent; where pages are documented without a size, some
// Limit must be; elsewhere any page size pages through the same read. Expressions
// are parsed by the grammar of package expression. What it does not know is
// refused, and so are the legacy parameters (KeyConditions, QueryFilter,
// AttributesToGet and their like). A reserved word without an alias is refused in any
// expression, as DynamoDB refuses it. BatchGetItem and TransactGetItems are at most 100 documented GetItem reads of different items.
// What is documented as part of one of them is sent by it. A parameter that a flow binds from an earlier
// step has the form that the items of that step give it.
//
// # Logical reads
//
// A page budget and the number of partitions hold over all pages of one logical
// read, which [NewRead] puts into the context. Without it a call is a logical
// read of its own: a budgeted read is then one page. The account is a few words
// in the context; the guard itself remembers nothing between calls, so that its
// memory is bounded and clients may be shared by goroutines.
//
// # Writes
//
//  1. Every key has the form of an entity of the table, and every item that is
//     put satisfies one of them ([dynaproof/accesspatterns/validate.Item]): it has no attribute,
//     and no member of a documented map, that the contract does not hold. An
//     update changes documented attributes and members only, to values of their
//     documented form.
//  2. A write that equals a documented write step of the client's role is
//     allowed: the same actions in any order on keys of the same forms, parameters of
//     one name having one value, the documented conditions among those that are sent,
//     an update's assignments exactly, beside changes of what it may edit. An edit sets
//     (also by if_not_exists of the same attribute), removes, or adds members to a set or
//     a list (list_append). It does not compute with what is stored, by SET or by ADD to a
//     Number, unless the condition names the stored Number: version + 1 is 4 if version = 3.
//     It takes members out of a required set only where the condition asks for more of
//     them than it takes, as size(memberIds) > 1 does for one. Taking 5 away is adding -5,
//     and ADD is a SET that adds where the condition is met by a stored item alone.
//     attribute_exists of one attribute of the primary key is that of the other. An action
//     stands there as often as the contract says; what it alone names may differ each
//     time. A step of one action may be sent as a PutItem, UpdateItem or DeleteItem as
//     well. [Guard.Check] tells every step that a request is.
//  3. A documented Put names its entity, and the item must be one of it, with the
//     values that the step gives it. The parameters of its key are tied to those of
//     the same name in keys of the step's other actions, and of its other puts of
//     another entity, unless both may be repeated.
//  4. Every other write is refused, whatever the role. [AllowUndocumentedWrites]
//     admits, for the entities that it names and one write at a time, a put of an
//     entity that no step puts, which must carry attribute_not_exists on the
//     partition key when some step updates or deletes the entity, and an update or
//     delete of an entity that no step writes. An update among them needs a
//     condition that only a stored item meets, because an update of no item
//     creates one of its changes alone.
//  5. A write that tells what was stored is a read. Return values, and an
//     UPDATED_NEW of a value that is computed from a stored one, are refused unless
//     a read of the client's roles returns every item of the entity without a
//     projection. A condition check stands in its documented step, or beside the
//     writes of any step where a read returns such items. It, and a condition beyond the
//     documented ones, may speak of the key and of what the client may read.
//  6. BatchWriteItem holds at most 25 writes of different items, each allowed on its own.
//     A transaction with two writes of one item is left to DynamoDB, which refuses it:
//     documents rely on that.
//
// # Users
//
// A guard for a role binds nobody to the items of one user. [ForUser] does, by what
// the contract says of the role: a key that has the form of a user's partition, in a
// table or in an index, read or written, must name that user, and so must a filter by
// which the documented read of a shared index leaves out the items of others, and the
// parameter of a pattern that names who acts, such as the coach of a link. A client of
// several roles that use one pattern is held to what all of them are held to.
//
// # Limits
//
// The guard stops mistakes, not malice. Code is not stopped that builds another client
// (of dynamodbstreams, say), removes the guard's option or what it puts at the signature, gives
// the client another protocol, or changes the request behind the signature, which then no
// longer fits: AWS refuses it, and an engine that checks no signature does not. Back the
// guard with IAM.
//
// The guard judges each request by itself. It cannot tell whether the steps that a
// pattern has before one were sent, nor what they found: a step that ends its pattern
// when it finds nothing, such as a coach's look for the link to an athlete, holds the
// clients that follow the pattern, and no others. Where a write must not happen without
// such a finding, the contract puts it into the write: as a condition, or as a condition
// check of the same transaction. Of a read DynamoDB has no such form. A [*Refusal]
// names such steps of the pattern that was near.
//
// It cannot see a loop over partitions that makes each of its reads a new logical
// read, nor check the result of an update expression that computes with stored
// values, nor whether an edit leaves the stored item whole. Of an item that is put,
// its keys and the values that its step names are compared with the step; all other
// attributes are compared with the entity alone. Where a key does not name a user, such as
// that of a session by its id, ForUser cannot tell whose item it is; nor does it
// compare other attributes that name a user with the user.
package guard
