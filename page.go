package kavosh

// Page is what extraction read in a capture. All of it can be made again from the record.
type Page struct {
	URL       string
	Type      string // media type by content and header together, such as "text/html"
	Charset   string // WHATWG name of the encoding used to read it; "" if it was not read as text
	Lang      string // the language that the document declares, as written; not judged
	Base      string // base URL that links were resolved against
	Title     string
	Canonical string // rel=canonical, absolute
	Links     []Link
	// Text is what a reader sees of a page, without the title. Line feeds separate its blocks, and white space is folded.
	// Plain text is unchanged. Text has at most 1 MiB. It is "" if it was not asked for, or for other documents.
	Text      string
	Blocks    []Block  // one for each line of Text, if they were asked for; none for plain text
	Simhash   uint64   // fingerprint of Text (lib/simhash); 0 if it was not asked for, or there is too little text
	Print     uint64   // fingerprint of a page without its links (scope.Print); 0 if it was not asked for
	Programs  uint64   // fingerprint of the scripts and frames that it runs by itself; 0 if it has none, or was not asked for
	Shell     bool     // what it holds comes by its scripts, so that other pages may have the same bytes
	RDF       RDF      // its RDF; zero if it was not asked for
	List      bool     // it is a sitemap or a feed
	StandIn   StandIn  // what it stands in for; NoStandIn also where nobody looked
	Sign      string   // in words: what tells StandIn; "" if it is NoStandIn
	NoFollow  bool     // meta robots or X-Robots-Tag: do not follow
	NoIndex   bool     // meta robots or X-Robots-Tag: do not index
	NoArchive bool     // meta robots or X-Robots-Tag: do not show a copy
	Notes     []string // what was cut or could not be read, one line each
}

// RDF says what RDF a document contains.
type RDF struct {
	Class      Class
	Format     string // syntax of an RDF document, such as "turtle"; "" for other documents
	Statements int    // number of statements in a page that are about its subject (lib/rdf/inhtml), if they were asked for
}

// Class says what a document is to a crawl for RDF.
type Class string

// These are the classes of documents. Class HR, a page that links to RDF, is only known when its links have been
// fetched (quads.Parent).
const (
	Unclassed     Class = ""  // nobody asked, or there is no answer to look at
	ClassRDF      Class = "R" // an RDF document
	ClassEmbedded Class = "E" // an HTML page with at least EmbeddedFrom statements
	ClassPage     Class = "H" // any other HTML page
	ClassOther    Class = "N" // anything else
)

// EmbeddedFrom is the least number of statements of a page of class E.
const EmbeddedFrom = 3
