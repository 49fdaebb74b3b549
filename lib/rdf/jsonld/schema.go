package jsonld

import (
	"strings"
)

// isSchema reports whether url is schema.org's context, in any of its usual spellings.
func isSchema(url string) bool {
	url = strings.ToLower(url)
	rest, ok := strings.CutPrefix(url, "http://")
	if !ok {
		rest, ok = strings.CutPrefix(url, "https://")
	}
	if !ok {
		return false
	}
	rest, ok = strings.CutPrefix(strings.TrimPrefix(rest, "www."), "schema.org")
	switch strings.Trim(rest, "/#") {
	case "", "docs/jsonldcontext.json", "docs/jsonldcontext.jsonld":
		return ok && (rest == "" || rest[0] == '/' || rest[0] == '#')
	}
	return false
}

// SchemaContext replaces schema.org's own context for common documents: any name is one of its terms, id and type are
// keywords, and these properties have IRIs as values. Dates and numbers become literals without their datatypes.
var SchemaContext = func() string {
	var b strings.Builder
	b.WriteString(`{"@context": {"@vocab": "http://schema.org/", "schema": "http://schema.org/", "id": "@id", "type": "@type"`)
	for _, property := range strings.Fields(`
acquireLicensePage additionalType afterMedia beforeMedia codeRepository colleagues contentUrl correctionsPolicy discussionUrl
diversityPolicy documentation downloadUrl duringMedia embedUrl ethicsPolicy hasMap image inCodeSet inDefinedTermSet installUrl
isBasedOn isBasedOnUrl labelDetails license logo mainEntityOfPage map maps masthead menu missionCoveragePrioritiesPolicy
noBylinesPolicy paymentUrl prescribingInfo propertyID publishingPrinciples relatedLink replyToUrl requirements sameAs schemaVersion
screenshot sdLicense serviceUrl significantLink significantLinks softwareRequirements target targetUrl thumbnailUrl ticketToken
trackingUrl unnamedSourcesPolicy url usageInfo verificationFactCheckingPolicy warning`) {
		b.WriteString(`, "` + property + `": {"@type": "@id"}`)
	}
	b.WriteString("}}")
	return b.String()
}()
