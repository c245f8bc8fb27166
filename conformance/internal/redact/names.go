package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// nobodysAccount is the account in the ARNs of engines on this machine. It names nobody.
const nobodysAccount = "000000000000"

// Names are what is known of who runs, and of what is the run's own.
type Names struct {
	// Account is the account's id, 12 digits; Caller is the ARN of who calls. Both are empty where there is no account.
	Account, Caller string
	// Tables are the names of the run's own tables. Nil leaves all names of tables as they are.
	Tables []string
	// Strangers are names of other tables that were seen, to be replaced wherever they stand alone.
	Strangers []string
}

// Redactor replaces names. It may be used by several goroutines.
type Redactor struct {
	mu       sync.RWMutex
	kept     bool
	own      map[string]bool
	literals []literal
}

// literal is a name that is replaced where it stands alone.
type literal struct {
	expression *regexp.Regexp
	name, with string
}

// New returns a redactor that knows some names.
func New(names Names) *Redactor {
	r := &Redactor{}
	r.Learn(names)
	return r
}

// Keep lets all names pass from now on, because somebody has asked for them. Secrets are replaced all the same.
func (r *Redactor) Keep() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = true
}

// Kept reports whether names pass.
func (r *Redactor) Kept() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.kept
}

// Learn adds names.
func (r *Redactor) Learn(names Names) {
	r.mu.Lock()
	defer r.mu.Unlock()
	add := func(name, with string) {
		if name == "" || strings.HasPrefix(name, "[") || slices.ContainsFunc(r.literals, func(l literal) bool { return l.name == name }) {
			return
		}
		// A name ends where a character stands that no name of AWS holds, so that no part of a longer one is replaced.
		r.literals = append(r.literals, literal{regexp.MustCompile(`(^|[^A-Za-z0-9_.@+=-])` + regexp.QuoteMeta(name) + `($|[^A-Za-z0-9_@+=-])`), name, with})
	}
	if names.Account != nobodysAccount && account.MatchString(names.Account) {
		// An account's id also stands within longer names, such as that of a state folder.
		r.literals = append(r.literals, literal{regexp.MustCompile(`(^|[^0-9])` + names.Account + `($|[^0-9])`), names.Account, "[account]"})
	}
	if parts := principal.FindStringSubmatch(names.Caller); parts != nil && parts[2] != nobodysAccount {
		for i, name := range strings.Split(strings.TrimPrefix(parts[4], "/"), "/") {
			// A plain word, such as admin, also stands where it names nobody.
			if len(name) >= shortest && !plainWord.MatchString(name) {
				add(name, placeholder(parts[3], i))
			}
		}
	}
	if names.Tables != nil {
		if r.own == nil {
			r.own = map[string]bool{}
		}
		for _, name := range names.Tables {
			r.own[name] = true
		}
	}
	for _, name := range names.Strangers {
		if len(name) >= shortest-1 {
			add(name, "[table]")
		}
	}
}

// shortest is the length in characters from which a name of the caller is replaced where it stands alone.
const shortest = 4

var (
	account   = regexp.MustCompile(`^\d{12}$`)
	plainWord = regexp.MustCompile(`^[a-z]+$`)

	accountInARN = regexp.MustCompile(`(arn:aws[a-z-]*:[^:"\s]*:[^:"\s]*:)(\d{12})\b`)
	// principal is the ARN of a role, a session, a user or their device. A comma or a full stop at its end is the sentence's.
	principal = regexp.MustCompile(`(arn:aws[a-z-]*:(?:iam|sts)::)(\d{12}|\[account\]):(assumed-role|federated-user|role|user|group|(?:sms-)?mfa|u2f)((?:/[A-Za-z0-9_+=,.@-]*[A-Za-z0-9_+=@-])+)`)
	tableARN  = regexp.MustCompile(`(arn:aws[a-z-]*:dynamodb:[^:"\s]*:(?:\d{12}|\[account\]):(?:global-)?table/)([A-Za-z0-9_.-]+)`)
	// sessionOf is a session behind the id of its role, which is replaced as a secret.
	sessionOf = regexp.MustCompile(`(\[access key\]:)[A-Za-z0-9_+=,.@-]*[A-Za-z0-9_+=@-]`)
	// accountNamed is what a policy calls an account, also inside a JSON string.
	accountNamed = regexp.MustCompile(`(?i)"(?:AWS|aws:[a-z]+account|aws:SourceOwner)\\*"\s*:\s*(?:\[(?:[^\[\]]|\[account\])*\]|\\*"\d{12}\\*")`)
	twelve       = regexp.MustCompile(`"(\d{12})(\\*")`)
	listed       = regexp.MustCompile(`("TableNames"\s*:\s*\[)([^\]]*)(\])`)
	quoted       = regexp.MustCompile(`"[A-Za-z0-9_.-]+"`)
	mail         = regexp.MustCompile(`^[\pL\p{Nd}_.+-]+@[\pL\p{Nd}-]+(?:\.[\pL\p{Nd}-]+)*\.[A-Za-z]{2,}\b`)
	// nobodysMail are the domains that name nobody (RFC 2606).
	nobodysMail = regexp.MustCompile(`@(?:[A-Za-z0-9-]+\.)*example\.(?:com|net|org)$`)
)

// placeholder is what stands for the part of a principal's name at a position.
func placeholder(kind string, position int) string {
	switch {
	case kind == "assumed-role" && position > 0:
		return "[session]"
	case kind == "assumed-role" || kind == "role":
		return "[role]"
	case kind == "group":
		return "[group]"
	}
	return "[user]"
}

var hidden = regexp.MustCompile(`\[(account|table|session|role|group|user|mail address)\]`)

// Hides reports whether a text has a placeholder in place of a name.
func Hides(text string) bool { return hidden.MatchString(text) }

// Text replaces the secrets in a text, and the names unless they are kept.
func (r *Redactor) Text(text string) string {
	text = Secrets(text)
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.kept {
		return text
	}
	// The expressions take seconds for the evidence of all designs; most texts hold nothing that they could find.
	if strings.Contains(text, "arn:aws") {
		text = replaced(principal, text, func(parts []string) string {
			shown := parts[1] + "[account]:" + parts[3] + "/" + placeholder(parts[3], 0)
			if parts[3] == "assumed-role" && strings.Count(parts[4], "/") > 1 {
				shown += "/" + placeholder(parts[3], 1)
			}
			return shown
		})
		if r.own != nil {
			text = replaced(tableARN, text, func(parts []string) string {
				if r.own[parts[2]] {
					return parts[0]
				}
				return parts[1] + "[table]"
			})
		}
		text = replaced(accountInARN, text, func(parts []string) string { return parts[1] + "[account]" })
	}
	if strings.Contains(text, "[access key]:") {
		text = sessionOf.ReplaceAllString(text, "${1}[session]")
	}
	if strings.Contains(text, `"AWS`) || strings.Contains(text, `"aws:`) {
		text = accountNamed.ReplaceAllStringFunc(text, func(match string) string {
			return replaced(twelve, match, func(parts []string) string { return `"[account]` + parts[2] })
		})
	}
	if r.own != nil && strings.Contains(text, `"TableNames"`) {
		text = replaced(listed, text, func(parts []string) string {
			return parts[1] + quoted.ReplaceAllStringFunc(parts[2], func(name string) string {
				if r.own[strings.Trim(name, `"`)] {
					return name
				}
				return `"[table]"`
			}) + parts[3]
		})
	}
	for _, known := range r.literals {
		if !strings.Contains(text, known.name) {
			continue
		}
		for range 2 { // one character may end one name and begin the next
			text = known.expression.ReplaceAllString(text, "${1}"+known.with+"${2}")
		}
	}
	return withoutMail(text)
}

// replaced is a text with another in the place of each match, by its parts, but for those with nobody's account.
func replaced(form *regexp.Regexp, text string, by func(parts []string) string) string {
	return form.ReplaceAllStringFunc(text, func(match string) string {
		parts := form.FindStringSubmatch(match)
		if slices.Contains(parts, nobodysAccount) {
			return match
		}
		return by(parts)
	})
}

// withoutMail replaces mail addresses. It looks around each @, which is rare in a long text.
func withoutMail(text string) string {
	for at := strings.IndexByte(text, '@'); at >= 0; {
		start := len(strings.TrimRightFunc(text[:at], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.+-", r) }))
		next := at + 1
		if address := mail.FindString(text[start:]); address != "" && !nobodysMail.MatchString(address) {
			text = text[:start] + "[mail address]" + text[start+len(address):]
			next = start
		}
		if at = strings.IndexByte(text[next:], '@'); at >= 0 {
			at += next
		}
	}
	return text
}

// Strangers returns the names of tables in an answer to ListTables that are not among the run's own.
func Strangers(answer string, own []string) []string {
	var names []string
	for _, list := range listed.FindAllStringSubmatch(answer, -1) {
		for _, name := range quoted.FindAllString(list[2], -1) {
			if name = strings.Trim(name, `"`); !slices.Contains(own, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
