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
	Blocks    []Block  // of each line of Text, when they were asked for; none for plain text
	Simhash   uint64   // fingerprint of the visible text (lib/simhash); 0 when it was not asked for, or there is too little text
	Print     uint64   // fingerprint of all that a page holds but its links (scope.Print); 0 when it was not asked for
	RDF       RDF      // what it holds of the semantic web; zero when it was not asked for
	List      bool     // it is a sitemap or a feed
	NoFollow  bool     // meta robots or X-Robots-Tag: do not follow
	NoIndex   bool     // … do not index
	NoArchive bool     // … do not show a copy
	Notes     []string // what was cut or could not be read, one line each
}

// RDF is what a document holds of the semantic web, by its content.
type RDF struct {
	Class      Class
	Format     string // of an RDF document, such as "turtle"; "" for all others
	Statements int    // of a page: those that tell of what it is about (lib/rdf/inhtml), when they were asked for
}

// Class is what a document is to a crawl of the semantic web.
type Class string

// The classes of documents. That a page links to RDF, class HR, is only known when its links were fetched.
const (
	Unclassed     Class = ""  // nobody asked, or there is no answer to look at
	ClassRDF      Class = "R" // an RDF document
	ClassEmbedded Class = "E" // an HTML page with at least EmbeddedFrom statements
	ClassPage     Class = "H" // any other HTML page
	ClassOther    Class = "N" // anything else
)

// EmbeddedFrom is the number of statements from which on a page counts as semantic content.
const EmbeddedFrom = 3
