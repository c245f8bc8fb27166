package guard

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
)

type mode int

const (
	enforcing mode = iota
	observing
)

// settings are what the options set.
type settings struct {
	mode        mode
	roles       []string
	anyRole     bool
	environment string
	prefix      string
	tables      map[string]string
	logger      *slog.Logger
	counter     *Counter
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

// InEnvironment fills the environment into documented table names such as
// osem-{env}-Users.
func InEnvironment(environment string) Option {
	return func(s *settings) { s.environment = environment }
}

// WithTablePrefix says that deployed table names are the documented ones behind
// a prefix.
func WithTablePrefix(prefix string) Option { return func(s *settings) { s.prefix = prefix } }

// WithTables gives the deployed name, or the ARN if the client sends ARNs, of
// tables by their logical id. Tables that the map lacks keep their documented
// name.
func WithTables(deployed map[string]string) Option {
	return func(s *settings) { s.tables = maps.Clone(deployed) }
}

// WithLogger says where refusals are logged; slog.Default() unless given.
func WithLogger(logger *slog.Logger) Option { return func(s *settings) { s.logger = logger } }

// WithCounter counts refusals.
func WithCounter(counter *Counter) Option { return func(s *settings) { s.counter = counter } }

// check reports options that do not fit the design.
func (s *settings) check(design *accesspatterns.Design) error {
	if s.anyRole == (len(s.roles) > 0) {
		return fmt.Errorf("expected either ForRole or AnyRole; the design's roles are %s", strings.Join(rolesOf(design), ", "))
	}
	known := rolesOf(design)
	for _, role := range s.roles {
		if !slices.Contains(known, role) {
			return fmt.Errorf("expected a role of the design (%s), found %q", strings.Join(known, ", "), role)
		}
	}
	for id := range s.tables {
		if _, ok := design.Table(id); !ok {
			return fmt.Errorf("expected the logical id of a table in WithTables, found %q", id)
		}
	}
	return nil
}

func rolesOf(design *accesspatterns.Design) []string {
	var roles []string
	for i := range design.Patterns {
		roles = append(roles, design.Patterns[i].Roles...)
	}
	slices.Sort(roles)
	return slices.Compact(roles)
}

// deployed returns the name under which the client knows a table.
func (s *settings) deployed(table *accesspatterns.Table) (string, error) {
	if name, mapped := s.tables[table.ID]; mapped {
		return name, nil
	}
	if table.Name.HasEnvironment() && s.environment == "" {
		return "", fmt.Errorf("expected InEnvironment or WithTables, because the documented name of table %s is %s", table.ID, table.Name)
	}
	return s.prefix + table.Name.In(s.environment), nil
}

// allows reports whether the client may use patterns of these roles.
func (s *settings) allows(roles []string) bool {
	return s.anyRole || slices.ContainsFunc(roles, func(role string) bool { return slices.Contains(s.roles, role) })
}
