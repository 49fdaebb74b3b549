package order

// Accountant is a policy that says what links lead to, and counts how often it was right.
type Accountant interface {
	Policy
	// Tallies are its labels, then its rules, in an order of their own. Only answers with status 200 count.
	Tallies() []Tally
}

// Tally says how often a label, or the rule that gave it, was right. Its confidence is Correct / Applied; the support of a
// rule is its Correct among the Correct of its label.
type Tally struct {
	Name    string `json:"name"`  // of the label or rule, such as "R" or "ex1"
	Label   string `json:"label"` // that a rule gives
	Applied int    `json:"applied"`
	Correct int    `json:"correct"`
}
