package receipts

import (
	"context"
	"encoding/json"
	"unicode/utf8"
)

// RecordStatement is the result of an agent's settled orders at a time.
type RecordStatement struct {
	// Schema is the URL of this version's JSON Schema.
	Schema string `json:"$schema"`
	// ID is the URL of the agent's newest statement.
	ID       string `json:"id"`
	Type     string `json:"type"`
	Version  int    `json:"version"`
	Issuer   string `json:"issuer"`
	IssuedAt string `json:"issued_at"`
	// ValidUntil is when the statement expires.
	ValidUntil string        `json:"valid_until"`
	Agent      RecordedAgent `json:"agent"`
	// AsOf is the time of the record.
	AsOf  string      `json:"as_of"`
	Score RecordScore `json:"score"`
	Ever  RecordTally `json:"ever"`
	// Days90 and Days30 count the orders that were settled in the 90 and 30 days before AsOf.
	Days90 RecordTally `json:"days_90"`
	Days30 RecordTally `json:"days_30"`
	// OutcomesRoot is the SHA-256 of the outcomes of the record.
	OutcomesRoot string `json:"outcomes_root"`
}

// RecordedAgent is the agent of a record.
type RecordedAgent struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	// Name is the agent's own text.
	Name string `json:"name"`
	// Wallets are the current and earlier payout wallets.
	Wallets []string `json:"wallets"`
}

// RecordScore says how well an agent's orders went, and how much evidence there is.
type RecordScore struct {
	Formula string `json:"formula"`
	// Value and Upper are the ends of the interval, 0 to 1000. Agents are sorted by Value.
	Value int `json:"value"`
	Upper int `json:"upper"`
	// Share is the positive share of the evidence, in thousandths; nil without evidence.
	Share *int `json:"share"`
	// Evidence is the amount of evidence, in thousandths of one full counterparty.
	Evidence int64 `json:"evidence"`
}

// RecordVolume is an exact amount of one currency. Amounts of unlike currencies are never added.
type RecordVolume struct {
	Currency string `json:"currency"`
	Amount   string `json:"amount"`
}

// RecordTally sums the orders of a time. All but Apart count only orders at arm's length.
type RecordTally struct {
	Orders               int64          `json:"orders"`
	Volume               []RecordVolume `json:"volume"`
	Counterparties       int64          `json:"counterparties"`
	RepeatCounterparties int64          `json:"repeat_counterparties"`
	DeliveredOnTime      int64          `json:"delivered_on_time"`
	DeliveredLate        int64          `json:"delivered_late"`
	NotDelivered         int64          `json:"not_delivered"`
	SecondsPromised      RecordSpread   `json:"seconds_promised"`
	SecondsTaken         RecordSpread   `json:"seconds_taken"`
	Refunds              int64          `json:"refunds"`
	Declined             int64          `json:"declined"`
	Disputes             struct {
		Provider int64 `json:"provider"`
		Buyer    int64 `json:"buyer"`
		Split    int64 `json:"split"`
		Lapsed   int64 `json:"lapsed"`
	} `json:"disputes"`
	// Apart counts the orders of related parties.
	Apart struct {
		Orders int64          `json:"orders"`
		Volume []RecordVolume `json:"volume"`
	} `json:"apart"`
}

// RecordSpread has percentiles in whole seconds; nil if there is none.
type RecordSpread struct {
	Median *int64 `json:"median"`
	P90    *int64 `json:"p90"`
}

// VerifiedRecordStatement is an unexpired statement with a good signature: the issuer signed this about the agent.
type VerifiedRecordStatement struct {
	Statement RecordStatement
	Issuer    string
	// The DID URL of the signing key.
	KeyID string
}

var (
	isCount     = wholeNumber(0, mostSafe)
	isPoints    = wholeNumber(0, 1000)
	amountShape = shape{"currency": isCurrency, "amount": pattern(`(?:0|[1-9][0-9]{0,59})(?:\.[0-9]{0,35}[1-9])?`)}
	isVolume    = both(listOf(amountShape.check, 0), noMoreThan(64))
	spreadShape = shape{"median": nullable(isCount), "p90": nullable(isCount)}
	tallyShape  = shape{
		"orders": isCount, "volume": isVolume, "counterparties": isCount, "repeat_counterparties": isCount,
		"delivered_on_time": isCount, "delivered_late": isCount, "not_delivered": isCount,
		"seconds_promised": spreadShape.check, "seconds_taken": spreadShape.check, "refunds": isCount, "declined": isCount,
		"disputes": shape{"provider": isCount, "buyer": isCount, "split": isCount, "lapsed": isCount}.check,
		"apart":    shape{"orders": isCount, "volume": isVolume}.check,
	}
	recordShape = shape{
		"$schema": isURL, "id": isURL, "type": literal("AgentRecordStatement"), "version": literal(json.Number("1")),
		"issuer": isIssuer, "issued_at": isTime, "valid_until": isTime, "as_of": isTime,
		"agent": shape{
			"id": pattern(`agt_[0-9a-z]{1,64}`), "slug": pattern(`[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?`), "name": isName,
			"wallets": both(listOf(isAddress, 0), noMoreThan(100)),
		}.check,
		"score": shape{
			"formula": pattern(`earnest-score-[1-9][0-9]{0,8}`), "value": isPoints, "upper": isPoints,
			"share": nullable(isPoints), "evidence": isCount,
		}.check,
		"ever": tallyShape.check, "days_90": tallyShape.check, "days_30": tallyShape.check, "outcomes_root": isHash,
	}
)

func isName(value any) bool {
	text, isText := value.(string)
	return isText && text != "" && utf8.RuneCountInString(text) <= 100
}

func isCurrency(value any) bool {
	text, isText := value.(string)
	return isText && text != "" && utf8.RuneCountInString(text) <= 40
}

func both(first, second check) check {
	return func(value any) bool { return first(value) && second(value) }
}

func noMoreThan(most int) check {
	return func(value any) bool {
		list, _ := value.([]any)
		return len(list) <= most
	}
}

// VerifyRecordStatement checks a signed record of an agent: its exact form and its eddsa-jcs-2022 proof. The key has to be the
// expected issuer's, valid at the time of signing and not compromised, and the statement has to be unexpired. A record is
// not a receipt. The agent is the expected id or slug; empty accepts any agent. Pass the received text. The error is an
// *Error with a code.
func VerifyRecordStatement(ctx context.Context, text []byte, options Options, agent string) (*VerifiedRecordStatement, error) {
	s, err := begin(ctx, options)
	if err != nil {
		return nil, err
	}
	said, signed, err := readStatement(text, "AgentRecordStatement")
	if err != nil {
		return nil, err
	}
	if problem := recordShape.problem(said); problem != "" {
		return nil, refuse(InvalidShape, "%s", problem)
	}
	proof, err := readProof(signed)
	if err != nil {
		return nil, err
	}
	key, _, err := s.requireSigner(said, proof)
	if err != nil {
		return nil, err
	}
	// A thief can write any time into it, and the chain does not confirm a record.
	if err := key.requireUncompromised(); err != nil {
		return nil, err
	}
	if s.options.now().After(timeOf(said, "valid_until")) {
		return nil, refuse(StatementExpired, "it was valid until %v", said["valid_until"])
	}
	statement, err := into[RecordStatement](said)
	if err != nil {
		return nil, err
	}
	if about := statement.Agent; agent != "" && agent != about.ID && agent != about.Slug {
		return nil, refuse(UnexpectedValue, "agent is %s (%s), expected %s", about.Slug, about.ID, agent)
	}
	return &VerifiedRecordStatement{Statement: statement, Issuer: s.options.Issuer, KeyID: key.id}, nil
}
