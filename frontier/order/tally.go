package order

// Accountant is an ordering policy that labels links by what they lead to, and counts how often it was right.
type Accountant interface {
	Policy
	// Tallies returns the counts of its labels, then of its rules. Only answers with status 200 count.
	Tallies() []Tally
}

// Tally says how often a label was right, or a rule that gives a label. Its confidence is Correct / Applied. The
// support of a rule is its Correct divided by the Correct of its label.
type Tally struct {
	Name    string `json:"name"`    // name of the label or rule, such as "R" or "ex1"
	Label   string `json:"label"`   // the label that the rule gives
	Applied int    `json:"applied"` // links that got the label
	Correct int    `json:"correct"` // links of these that led to what the label says
}
