package kavosh

// This file says what a profile is: what makes a site take the crawl for somebody who has logged in there.

import "time"

// Profile is what a browser keeps of a site where a person has logged in, and what tells whether that still holds.
type Profile struct {
	Name    string   `json:"name"`
	Domains []string `json:"domains"` // registrable domains of the hosts that are sent it
	// Check is the URL of a page that shows whether one is logged in: it then contains Sign, in its text or its HTML. With
	// Sign "", a link to log out.
	Check   string   `json:"check"`
	Sign    string   `json:"sign,omitempty"`
	Cookies []Cookie `json:"cookies"`
	Storage []Stored `json:"storage,omitempty"`
}

// Cookie is a cookie as a browser keeps it.
type Cookie struct {
	Name     string    `json:"name,omitempty"`
	Value    string    `json:"value"`
	Domain   string    `json:"domain"` // without a leading dot
	HostOnly bool      `json:"host_only,omitempty"`
	Path     string    `json:"path"`
	Secure   bool      `json:"secure,omitempty"`
	HTTPOnly bool      `json:"http_only,omitempty"` // scripts do not see it
	Expires  time.Time `json:"expires,omitzero"`    // zero: at the end of the session
}

// Stored is an entry of a browser's localStorage or sessionStorage.
type Stored struct {
	Origin  string `json:"origin"` // as scripts see it, such as https://example.org
	Session bool   `json:"session,omitempty"`
	Key     string `json:"key"`
	Value   string `json:"value"`
}
