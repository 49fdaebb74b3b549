package kavosh

// StandIn says what stands in place of the page that was asked for. There are no other values than these, because
// reports count by them and rules name them.
type StandIn string

const (
	NoStandIn StandIn = ""         // the page itself, as far as can be told
	Wall      StandIn = "wall"     // a bot wall: a challenge, a captcha, a refusal
	Consent   StandIn = "consent"  // a page that only asks for consent
	Login     StandIn = "login"    // a page that only asks to sign in
	NotFound  StandIn = "notfound" // a page that says that there is none, with a status that says otherwise
	Parked    StandIn = "parked"   // the page of a domain for sale, or the one that a hosting company puts up
)

// StandIns returns all values of StandIn but NoStandIn.
func StandIns() []StandIn { return []StandIn{Wall, Consent, Login, NotFound, Parked} }
