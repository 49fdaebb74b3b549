package main

import "regexp"

// documents describes a web made from the documentation in Debian packages.
type documents struct {
	name     string
	packages []string
	site     string         // its root on the web; "" = a made-up one
	below    string         // only files below this folder, which becomes the root of the site
	rules    []rule         // labels from the page's own markup
	language *regexp.Regexp // the language in a page's path, in the first or second group; nil for documents in one language
}

// rule gives the label kind=WORDS if a page's markup says so.
type rule struct {
	kind   string
	markup *regexp.Regexp // its group contains the words
}

var (
	folderLanguage = regexp.MustCompile(`(?:^|/)([a-z]{2}(?:[-_][A-Za-z]{2})?)/`)
	anyLanguage    = regexp.MustCompile(`\.([a-z]{2}(?:-[a-z]{2})?)\.html$|(?:^|/)([a-z]{2})/[^/]*$`)

	javadoc = []rule{
		{"javadoc", regexp.MustCompile(`<h[12] title="(Interface|Enum|Exception|Error|Annotation|Record|Package|Module)\b[^"]*" class="title"`)},
		{"package", regexp.MustCompile(`<span class="package-label-in-type">Package</span>&nbsp;<a href="package-summary.html">([^<]+)</a>`)},
	}
	doxygen = []rule{{"doxygen",
		regexp.MustCompile(`<div class="title">[^<]*? (Class|Struct|Union|Namespace|File|Module|Member List|Directory)(?: Template)?(?: Reference)?\s*<`)}}
	libreoffice = []rule{{"module", regexp.MustCompile(`This page is: <a href="[^"]*/source/text/s?(\w+)/`)}}
	rustdoc     = []rule{{"rustdoc", regexp.MustCompile(`<body class="rustdoc (\w+)">`)}}
	gidocs      = []rule{
		{"library", regexp.MustCompile(`<h3><a href="index.html">(\w+)</a></h3>`)},
		{"gi", regexp.MustCompile(`<h3>(Class|Interface|Enum|Flags|Struct|Union|Callback|Signal|Property|Constructor|Virtual Method|Constant|Alias|Error)</h3>`)},
	}
	postgres = []rule{
		{"chapter", regexp.MustCompile(`<th width="60%" align="center">Chapter\s*\d+\.\s*([^<]+)</th>`)},
		{"docbook", regexp.MustCompile(`<div class="(refentry|appendix|chapter)"`)},
	}
	cppreference = []rule{{"category", regexp.MustCompile(`<div class="t-navbar-head"><a [^>]*title="(?:c|cpp)/[a-z_]+"[^>]*>\s*([^<]+)</a>`)}}
	sphinx       = []rule{
		{"section", regexp.MustCompile(`<li class="nav-item nav-item-2"><a [^>]*>([^<]+)</a>`)},
		{"part", regexp.MustCompile(`<li class="nav-item nav-item-1"><a [^>]*>([^<]+)</a>`)},
	}
	readTheDocs = []rule{{"section",
		regexp.MustCompile(`(?s)breadcrumb-item"><a href="[^"]*">([^<]+)</a></li>\s*<li class="breadcrumb-item active"`)}}
	qt = []rule{
		{"module", regexp.MustCompile(`<title>[^<|]*\| (Qt [A-Za-z ]+?)(?: 5[.\d]*)?</title>`)},
		{"qt", regexp.MustCompile(`<title>[^<|]* (Class|Example|Struct|Namespace|Members)\b[^<|]*\|`)},
	}
)

// documentation lists the webs. All packages are Debian 12's.
var documentation = []documents{
	{name: "handbook", packages: []string{"debian-handbook"}, below: "usr/share/doc/debian-handbook/html", language: folderLanguage},
	{name: "installguide", packages: []string{"installation-guide-amd64"}, below: "usr/share/doc/installation-guide-amd64",
		language: folderLanguage},
	{name: "httpd", packages: []string{"apache2-doc"}, below: "usr/share/doc/apache2-doc/manual", language: folderLanguage},
	{name: "securing", packages: []string{"harden-doc"}, below: "usr/share/doc/harden-doc/html", language: folderLanguage},
	{name: "aptitude", packages: languages("aptitude-doc", "cs", "en", "es", "fi", "fr", "it", "ja", "nl", "ru"),
		below: "usr/share/doc/aptitude/html", language: folderLanguage},
	{name: "manuals", packages: append(append(languages("debian-faq", "", "de", "fr", "it", "ja", "nl", "pt", "ru", "zh-cn"),
		languages("developers-reference", "", "de", "fr", "it", "ja", "ru")...),
		languages("maint-guide", "", "de", "es", "fr", "it", "ja", "ru", "ca", "zh-cn", "zh-tw")...), below: "usr/share", language: anyLanguage},
	{name: "jdk", packages: []string{"openjdk-17-doc"}, below: "usr/share/doc/openjdk-17-jre-headless/api", rules: javadoc},
	{name: "collections", packages: []string{"libcommons-collections4-java-doc"},
		below: "usr/share/doc/libcommons-collections4-java", rules: javadoc},
	{name: "lang3", packages: []string{"libcommons-lang3-java-doc"}, below: "usr/share/doc/libcommons-lang3-java", rules: javadoc},
	{name: "math3", packages: []string{"libcommons-math3-java-doc"}, below: "usr/share/doc/libcommons-math3-java", rules: javadoc},
	{name: "math2", packages: []string{"libcommons-math-java-doc"}, below: "usr/share/doc/libcommons-math-java", rules: javadoc},
	{name: "jxpath", packages: []string{"libcommons-jxpath-java-doc"}, below: "usr/share/doc/libcommons-jxpath-java", rules: javadoc},
	{name: "beanutils", packages: []string{"libcommons-beanutils-java-doc"}, below: "usr/share/doc/libcommons-beanutils-java", rules: javadoc},
	{name: "jython", packages: []string{"jython-doc"}, below: "usr/share/doc/jython-doc/html/javadoc", rules: javadoc},
	{name: "ant", packages: []string{"ant-doc"}, below: "usr/share/doc/ant", rules: javadoc},
	{name: "eigen", packages: []string{"libeigen3-doc"}, below: "usr/share/doc/libeigen3-dev/html", rules: doxygen},
	{name: "lucene", packages: []string{"liblucene++-doc"}, below: "usr/share/doc/liblucene++-doc/html", rules: doxygen},
	{name: "geographic", packages: []string{"geographiclib-doc"}, below: "usr/share/doc/geographiclib/html", rules: doxygen},
	{name: "libreoffice", packages: []string{"libreoffice-help-en-us"}, below: "usr/share/libreoffice/help", rules: libreoffice},
	{name: "rust", packages: []string{"rust-doc"}, below: "usr/share/doc/rust-doc/html/std", rules: rustdoc},
	{name: "postgresql", packages: []string{"postgresql-doc-15"}, below: "usr/share/doc/postgresql-doc-15/html", rules: postgres},
	{name: "cppreference", packages: []string{"cppreference-doc-en-html"}, below: "usr/share/cppreference/doc/html/en", rules: cppreference},
	{name: "python", packages: []string{"python3.11-doc"}, below: "usr/share/doc/python3.11/html", rules: sphinx},
	{name: "linux", packages: []string{"linux-doc-6.1"}, below: "usr/share/doc/linux-doc-6.1/html", rules: readTheDocs},
	{name: "qt", packages: []string{"qtbase5-doc-html"}, below: "usr/share/qt5/doc", rules: qt},
	{name: "gtk", packages: []string{"libgtk-4-doc"}, below: "usr/share/doc/libgtk-4-doc", rules: gidocs},
}

// languages returns the packages with a document's translations; "" is the original.
func languages(name string, languages ...string) []string {
	var packages []string
	for _, l := range languages {
		if l == "" {
			packages = append(packages, name)
			continue
		}
		packages = append(packages, name+"-"+l)
	}
	return packages
}
