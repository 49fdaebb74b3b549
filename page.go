package kavosh

// Page is what extraction read in a capture. All of it is derived: it can be made again from the record.
type Page struct {
	URL       string
	Type      string // media type by content and header together, such as "text/html"
	Charset   string // WHATWG name of the encoding used to read it; "" for what was not read as text
	Lang      string // as the document declares it, not judged
	Base      string // base URL that links were resolved against
	Title     string
	Canonical string // rel=canonical, absolute
	Links     []Link
	Text      string   // what a reader sees of a page, without the title; blocks parted by line feeds, white space folded. Plain text as it is. At most 1 MiB; "" when it was not asked for, or the document is neither
	Simhash   uint64   // fingerprint of the visible text (lib/simhash); 0 when it was not asked for, or there is too little text
	NoFollow  bool     // meta robots or X-Robots-Tag: do not follow
	NoIndex   bool     // … do not index
	NoArchive bool     // … do not show a copy
	Notes     []string // what was cut or could not be read, one line each
}
