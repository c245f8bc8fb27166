package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/validate"
)

// settings are what the options set.
type settings struct {
	observes    bool
	roles       []string
	anyRole     bool
	environment string
	tables      map[string]string
	user        *string
	// undocumented are the entities whose undocumented writes are admitted.
	undocumented []string
	logger       *slog.Logger
	counter      *Counter
	// violations says how an item breaks an entity.
	violations func(*accesspatterns.Entity, accesspatterns.Item) []validate.Violation
}

// Option adjusts a guard.
type Option func(*settings)

// ForRole says on whose behalf the client acts: a pattern that is documented for
// none of the roles is refused. Every guard needs ForRole or AnyRole.
func ForRole(roles ...string) Option {
	return func(s *settings) { s.roles = append(s.roles, roles...) }
}

// AnyRole lets the client use the patterns of every role, for programs that
// decide about roles elsewhere.
func AnyRole() Option { return func(s *settings) { s.anyRole = true } }

// ForUser says for which user the client acts: a request of a partition that the
// contract gives to another user is refused. At least one of the client's roles must
// be one that the contract confines to a user, or whose patterns name who acts. The
// contract's exceptions, and the patterns of a role that acts for every user, reach the
// partitions of all. A key that does not name a user is not held to one; "Limits" says
// what follows.
func ForUser(id string) Option { return func(s *settings) { s.user = &id } }

// AllowUndocumentedWrites admits writes of entities, by their ids, for which no step
// of the design says how they are written: a put where no step puts the entity, an
// update or deletion where no step writes it. They are held to everything else that
// the contract says. Without the option they are refused, for every role.
func AllowUndocumentedWrites(entities ...string) Option {
	return func(s *settings) { s.undocumented = append(s.undocumented, entities...) }
}

// InEnvironment fills the environment into documented table names such as
// osem-{env}-Users.
func InEnvironment(environment string) Option {
	return func(s *settings) { s.environment = environment }
}

// WithTables gives the deployed name, or the ARN if the client sends ARNs, of
// tables by their logical id. Tables that the map lacks keep their documented
// name.
func WithTables(deployed map[string]string) Option {
	return func(s *settings) { s.tables = maps.Clone(deployed) }
}

// WithLogger says where refusals are logged; slog.Default() unless given.
func WithLogger(logger *slog.Logger) Option { return func(s *settings) { s.logger = logger } }

// WithItems gives what says how an item breaks its entity; [validate.Item] unless given. A program that puts the same items many
// times may remember what was said of them.
func WithItems(violations func(*accesspatterns.Entity, accesspatterns.Item) []validate.Violation) Option {
	return func(s *settings) { s.violations = violations }
}

// WithCounter counts refusals.
func WithCounter(counter *Counter) Option { return func(s *settings) { s.counter = counter } }

// check reports options that do not fit the design.
func (s *settings) check(design *accesspatterns.Design) error {
	known := design.ActingRoles()
	switch {
	case len(known) == 0 && !s.anyRole && len(s.roles) == 0:
		return errors.New("expected AnyRole, because the design has no roles, found none")
	case len(known) == 0 && len(s.roles) > 0:
		return fmt.Errorf("expected AnyRole alone, because the design has no roles, found the role %s", strings.Join(s.roles, ", "))
	case s.anyRole == (len(s.roles) > 0):
		return fmt.Errorf("expected either ForRole or AnyRole; the design's roles are %s", strings.Join(known, ", "))
	}
	for _, role := range s.roles {
		if !slices.Contains(known, role) {
			return fmt.Errorf("expected a role of the design (%s), found %q", strings.Join(known, ", "), role)
		}
	}
	for _, id := range s.undocumented {
		if _, known := design.Entity(id); !known {
			return fmt.Errorf("expected the id of an entity in AllowUndocumentedWrites, found %q", id)
		}
	}
	for id := range s.tables {
		if _, ok := design.Table(id); !ok {
			return fmt.Errorf("expected the logical id of a table in WithTables, found %q", id)
		}
	}
	return nil
}

// actsAs lists the roles of the client.
func (s *settings) actsAs(design *accesspatterns.Design) []string {
	if s.anyRole {
		return design.ActingRoles()
	}
	return s.roles
}

// deployed returns the name under which the client knows a table.
func (s *settings) deployed(table *accesspatterns.Table) (string, error) {
	if name, mapped := s.tables[table.ID]; mapped {
		return name, nil
	}
	if table.Name.HasEnvironment() && s.environment == "" {
		return "", fmt.Errorf("expected InEnvironment or WithTables, because the documented name of table %s is %s", table.ID, table.Name)
	}
	return table.Name.In(s.environment), nil
}

// allows reports whether the client may use patterns of these roles.
func (s *settings) allows(roles []string) bool {
	return s.anyRole || slices.ContainsFunc(roles, func(role string) bool { return slices.Contains(s.roles, role) })
}

// Counter counts calls that were refused, or that would have been in Observe
// mode, by rule. The zero value is ready; several guards may share one. It is an
// expvar.Var: expvar.Publish("dynamodb-guard", counter) serves it.
type Counter struct {
	mu     sync.Mutex
	counts map[Rule]uint64
}

func (c *Counter) add(rule Rule) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[Rule]uint64{}
	}
	c.counts[rule]++
}

// Of returns the number of calls that broke the rule.
func (c *Counter) Of(rule Rule) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[rule]
}

// String writes the counts as a JSON object.
func (c *Counter) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		return "{}"
	}
	text, _ := json.Marshal(c.counts) // a map of strings to integers always marshals
	return string(text)
}
