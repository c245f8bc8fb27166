package fusmain

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
)

// A rule says nothing about an attribute that is missing, of another type or
// outside its documented values: that is a violation of its own, and one fault
// is reported once.

func siteIDIsOneSegment(item ap.Item) error {
	id, isSite := strings.CutPrefix(text(item["SK"]), "SITE#")
	if isSite && strings.Contains(id, "#") {
		return fmt.Errorf("expected a site id without '#', found %q", id)
	}
	return nil
}

const uuidForm = `[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`

var (
	wholeUUID  = regexp.MustCompile(`^` + uuidForm + `$`)
	avatarFile = regexp.MustCompile(`^` + uuidForm + `\.[^./]+$`)
)

// uuidAfter checks that a partition key ends in a UUID behind the prefix.
func uuidAfter(prefix string) func(ap.Item) error {
	return func(item ap.Item) error {
		id, has := strings.CutPrefix(text(item["PK"]), prefix)
		if has && !wholeUUID.MatchString(id) {
			return fmt.Errorf("expected a UUID after %s, found %q", prefix, id)
		}
		return nil
	}
}

func avatarKeyForm(item ap.Item) error {
	key := text(item["avatarKey"])
	user, isUser := strings.CutPrefix(text(item["PK"]), "USER#")
	if key == "" || !isUser {
		return nil
	}
	folder := "profile/avatars/" + user + "/"
	if file, inside := strings.CutPrefix(key, folder); !inside || !avatarFile.MatchString(file) {
		return fmt.Errorf("expected %s{uuid}.{ext}, found %q", folder, key)
	}
	return nil
}

func squashDateIsADay(item ap.Item) error {
	day := text(item["squashDate"])
	if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
		return fmt.Errorf("expected a date (YYYY-MM-DD), found %q", day)
	}
	return nil
}

func winnerHasThreeGames(item ap.Item) error {
	if winner, _, known := games(item); known && winner != 3 {
		return fmt.Errorf("expected 3 games of the winning team, found %d", winner)
	}
	return nil
}

func loserHasFewerGames(item ap.Item) error {
	if _, loser, known := games(item); known && loser > 2 {
		return fmt.Errorf("expected 0, 1 or 2 games of the losing team, found %d", loser)
	}
	return nil
}

// games returns the winner's and the loser's games, when winningTeam and both
// counts have documented values.
func games(item ap.Item) (winner, loser int, known bool) {
	a, aKnown := count(item["teamAGames"])
	b, bKnown := count(item["teamBGames"])
	if !aKnown || !bKnown {
		return 0, 0, false
	}
	switch text(item["winningTeam"]) {
	case "A":
		return a, b, true
	case "B":
		return b, a, true
	}
	return 0, 0, false
}

// count reads a number of games from 0 to 3. DynamoDB gives numbers back
// normalised, but an item that was not stored yet may say 3.0.
func count(value types.AttributeValue) (int, bool) {
	number, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return 0, false
	}
	for n := range 4 {
		if found, err := strconv.ParseFloat(number.Value, 64); err == nil && found == float64(n) {
			return n, true
		}
	}
	return 0, false
}

func noPlayerInBothTeams(item ap.Item) error {
	teamA := []string{text(item["teamAPlayer1Id"]), text(item["teamAPlayer2Id"])}
	for _, attribute := range []string{"teamBPlayer1Id", "teamBPlayer2Id"} {
		player := text(item[attribute])
		if player != "" && slices.Contains(teamA, player) {
			return fmt.Errorf("expected nobody in both teams, found %s %q in team A too", attribute, player)
		}
	}
	return nil
}

// text returns a String's text, and an empty string for everything else.
func text(value types.AttributeValue) string {
	if s, ok := value.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}
