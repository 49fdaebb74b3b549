package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// described is what the API says of itself.
type described struct {
	OpenAPI string `json:"openapi"`
	Paths   map[string]map[string]struct {
		OperationID string `json:"operationId"`
		Parameters  []struct {
			Name     string
			In       string
			Required bool
		}
		Responses map[string]struct {
			Content map[string]struct {
				Schema map[string]any `json:"schema"`
			}
		}
	}
	Components struct{ Schemas map[string]map[string]any }
}

// check says how a value does not fit a schema, "" when it does. What the schema does not name is a fault: it promises all.
func (d *described) check(at string, schema map[string]any, v any) string {
	if ref, ok := schema["$ref"].(string); ok {
		schema = d.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
		if schema == nil {
			return at + ": no schema " + ref
		}
	}
	switch v := v.(type) {
	case map[string]any:
		if schema["type"] != "object" {
			break
		}
		properties, listed := schema["properties"].(map[string]any)
		for name, value := range v {
			if one, ok := properties[name].(map[string]any); ok {
				if fault := d.check(at+"."+name, one, value); fault != "" {
					return fault
				}
			} else if listed {
				return at + ": " + name + " is not described"
			}
		}
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, ok := v[name.(string)]; !ok {
				return fmt.Sprintf("%s: %s is missing", at, name)
			}
		}
		return ""
	case []any:
		items, _ := schema["items"].(map[string]any)
		if schema["type"] != "array" {
			break
		}
		for i, one := range v {
			if fault := d.check(fmt.Sprintf("%s[%d]", at, i), items, one); fault != "" {
				return fault
			}
		}
		return ""
	case string:
		if schema["type"] == "string" {
			if _, err := time.Parse(time.RFC3339, v); schema["format"] == "date-time" && err != nil {
				return at + ": " + err.Error()
			}
			return ""
		}
	case bool:
		if schema["type"] == "boolean" {
			return ""
		}
	case float64:
		if schema["type"] == "number" || schema["type"] == "integer" && v == float64(int64(v)) {
			return ""
		}
	}
	return fmt.Sprintf("%s: %v is no %v", at, v, schema["type"])
}

// api asks the API and holds the answer to its description.
func (w *walker) api(d *described, path, query string) (status int, v map[string]any) {
	w.t.Helper()
	answer := w.ask(homeOrigin + path + "?" + query)
	fmt.Sscan(answer, &status)
	_, body, _ := strings.Cut(answer, "\r\n{") // after the head
	body, _, _ = strings.Cut("{"+body, "}\n"+fmt.Sprint(status)+"\n")
	if err := json.Unmarshal([]byte(body+"}"), &v); err != nil {
		w.t.Fatalf("%s: %v: %s", path, err, answer)
	}
	template := path
	for _, part := range []string{"one", "files"} {
		template = strings.Replace(template, "/collections/"+part, "/collections/{collection}", 1)
	}
	if i := strings.Index(template, "/crawls/"); i > 0 {
		template = template[:i] + "/crawls/{id}"
	}
	responses := d.Paths[template]["get"].Responses
	which, kind := "200", "application/json"
	if status != 200 {
		which, kind = "default", "application/problem+json"
	}
	if !strings.Contains(answer, "Content-Type: "+kind+"\r\n") {
		w.t.Errorf("%s: %d is no %s", path, status, kind)
	}
	if fault := d.check(template, responses[which].Content[kind].Schema, v); fault != "" {
		w.t.Errorf("%s?%s: %s: %s", path, query, fault, body)
	}
	return status, v
}

// Every route that the description lists answers as it says, and pages by its cursors give everything once.
func TestAPI(t *testing.T) {
	dir := secretArchive(t)
	w := newWalker(t, dir, "203.0.113.5:4")
	var d described
	answer := w.ask(homeOrigin + "/api/v1/openapi.json")
	_, text, _ := strings.Cut(answer, "\r\n{")
	text, _, _ = strings.Cut("{"+text, "\n}\n200")
	if err := json.Unmarshal([]byte(text+"\n}"), &d); err != nil || d.OpenAPI != "3.1.0" {
		t.Fatalf("%v: %s", err, answer)
	}
	const one = "/api/v1/collections/one"
	home := url.QueryEscape("http://a.test/")
	_, captures := w.api(&d, one+"/captures", "url="+home)
	first := captures["captures"].([]any)[0].(map[string]any)
	_, crawls := w.api(&d, one+"/crawls", "")
	id := crawls["crawls"].([]any)[0].(map[string]any)["id"].(string)
	asked := map[string]string{"/api/v1/openapi.json": ""}
	for path, c := range map[string]struct {
		query string
		want  string // in the answer
	}{
		"/api/v1/collections": {"", `"name": "one"`},
		one + "/captures":     {"match=host&url=" + home, "to-takedown"},
		one + "/capture":      {"url=" + home + "&time=" + first["timestamp"].(string), `"Content-Type"`},
		one + "/pages":        {"", "http://a.test/takedown.html"},
		one + "/hosts":        {"", `"host": "b.test"`},
		one + "/crawls":       {"", `"recorded"`},
		one + "/crawls/" + id: {"", `"recorded"`},
		one + "/search":       {"q=secret", ""},
		one + "/links":        {"url=" + url.QueryEscape("http://a.test/open-too.html"), `"anchor": "SECRET-TAKEDOWN"`},
	} {
		template := strings.Replace(strings.Replace(path, "/one", "/{collection}", 1), "/crawls/"+id, "/crawls/{id}", 1)
		asked[template] = path
		status, _ := w.api(&d, path, c.query)
		if answer := w.answers[homeOrigin+path+"?"+c.query]; status != 200 && c.want != "" || !strings.Contains(answer, c.want) {
			t.Errorf("%s: %s, want %s", path, answer, c.want)
		}
		if status, _ := w.api(&d, path, c.query+"&nonsense=1"); status != 400 {
			t.Errorf("%s takes any parameter: %d", path, status)
		}
		if status, _ := w.api(&d, strings.Replace(path, "/one", "/files", 1), c.query); status != 404 && strings.Contains(path, "/one") {
			t.Errorf("%s: a collection that is none: %d", path, status)
		}
		for _, p := range d.Paths[template]["get"].Parameters {
			if p.In == "query" && p.Required {
				if status, _ := w.api(&d, path, ""); status != 400 {
					t.Errorf("%s needs no %s: %d", path, p.Name, status)
				}
			}
		}
	}
	for path := range d.Paths {
		if _, ok := asked[path]; !ok {
			t.Errorf("%s is described and was not asked for", path)
		}
	}
	for _, list := range []string{"captures?match=domain&url=test", "pages?", "hosts?", "links?match=domain&url=test", "captures?match=prefix&url=" + url.QueryEscape("http://a.test/")} {
		path, query, _ := strings.Cut(list, "?")
		whole, parts := w.collect(&d, one+"/"+path, query+"&limit=1000"), w.collect(&d, one+"/"+path, query+"&limit=1")
		if len(whole) < 2 || strings.Join(whole, "\n") != strings.Join(parts, "\n") {
			t.Errorf("%s: one by one %d, at once %d:\n%v\n%v", list, len(parts), len(whole), parts, whole)
		}
	}
	for query, want := range map[string]int{
		"captures?url=http://a.test/&from=9999":             200,
		"captures?url=http://a.test/&from=tomorrow":         400,
		"captures?url=http://a.test/&limit=0":               400,
		"captures?url=http://a.test/&limit=1001":            400,
		"captures?url=http://a.test/&cursor=x":              400,
		"captures?url=http://a.test/&match=like":            400,
		"captures?url=http://a.test/&url=http://b.test/":    400,
		"captures?url=%ff":                                  400,
		"captures?url=" + strings.Repeat("x", maxLongValue): 400,
		"capture?url=http://a.test/&time=1999":              404,
		"crawls/1?":                                         404,
		"pages?url=a.test/*":                                200,
		"pages?url=*.test":                                  200,
		"hosts?url=*.b.test":                                200,
	} {
		path, rest, _ := strings.Cut(query, "?")
		if status, v := w.api(&d, one+"/"+path, rest); status != want {
			t.Errorf("%.100s: %d %v, want %d", query, status, v["detail"], want)
		}
	}
	if answer := w.ask(homeOrigin + "/api/v2/collections"); !strings.HasPrefix(answer, "404") || !strings.Contains(answer, "application/problem+json") {
		t.Errorf("a path that is none: %s", answer)
	}
	// With rules, what is taken down is told apart from what was never there, and what is listed says that it is closed.
	closeSecrets(t, dir)
	w = newWalker(t, dir, "203.0.113.5:4")
	for query, want := range map[string]int{
		"captures?url=https://www.a.test/TAKEDOWN.html/":                                  451,
		"captures?url=http://a.test/metadata.html":                                        200,
		"captures?url=http://a.test/never":                                                200,
		"capture?url=http://a.test/metadata.html&time=" + first["timestamp"].(string)[:4]: 403,
		"capture?url=http://a.test/content.html&time=" + first["timestamp"].(string)[:4]:  451,
	} {
		path, rest, _ := strings.Cut(query, "?")
		if status, v := w.api(&d, one+"/"+path, rest); status != want {
			t.Errorf("%s: %d %v, want %d", query, status, v["detail"], want)
		}
	}
	if _, v := w.api(&d, one+"/captures", "url=http://a.test/metadata.html"); v["captures"].([]any)[0].(map[string]any)["access"] != "metadata" {
		t.Errorf("what is closed does not say so: %v", v)
	}
}

// maxLongValue is longer than a parameter may be.
const maxLongValue = 9 << 10

// collect follows the cursors of a list.
func (w *walker) collect(d *described, path, query string) (all []string) {
	for next := ""; ; {
		_, v := w.api(d, path, query+"&"+next)
		for _, list := range v {
			list, is := list.([]any)
			if !is {
				continue
			}
			for _, one := range list {
				text, err := json.Marshal(one)
				if err != nil {
					w.t.Fatal(err)
				}
				all = append(all, string(text))
			}
		}
		cursor, more := v["next"].(string)
		if !more || len(all) > 1000 {
			return all
		}
		next = "cursor=" + cursor
	}
}
