package api

// This file describes the API as OpenAPI, from the same routes and types that answer requests.

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// schema is a JSON schema, or another object of the OpenAPI description.
type schema map[string]any

// describe returns the OpenAPI 3.1 description of the routes. It makes schemas from the Go types of the responses, so
// that the two always agree.
func describe(routes []route) schema {
	types := schema{}
	paths := schema{"/api/v1/openapi.json": schema{"get": schema{
		"operationId": "description", "summary": "This description.",
		"responses": schema{"200": schema{"description": "OpenAPI 3.1", "content": schema{"application/json": schema{"schema": schema{"type": "object"}}}}},
	}}}
	failure := schema{"description": "Cause and fix.", "content": schema{"application/problem+json": schema{"schema": schemaOf(reflect.TypeFor[Problem](), types)}}}
	for i := range routes {
		r := &routes[i]
		params := []schema{}
		for _, part := range strings.Split(r.path, "/") {
			if strings.HasPrefix(part, "{") {
				params = append(params, schema{"name": strings.Trim(part, "{}"), "in": "path", "required": true, "schema": schema{"type": "string"}})
			}
		}
		for j := range r.params {
			params = append(params, r.params[j].describe())
		}
		responses := schema{
			"200":     schema{"description": r.about, "content": schema{"application/json": schema{"schema": schemaOf(reflect.TypeOf(r.answers), types)}}},
			"default": failure,
		}
		paths[r.path] = schema{"get": schema{"operationId": r.name, "summary": r.about, "parameters": params, "responses": responses}}
	}
	return schema{
		"openapi": "3.1.0",
		"info": schema{"title": "Kavosh", "version": "1", "license": schema{"name": "Apache 2.0", "identifier": "Apache-2.0"},
			"description": "What a web archive holds. All answers are bounded; lists come in pages, by the cursor that the page before gave. Fields may be added."},
		"paths":      paths,
		"components": schema{"schemas": types},
	}
}

func (p *param) describe() schema {
	value := schema{"type": "string"}
	switch {
	case p.integer:
		value = schema{"type": "integer", "minimum": p.least, "maximum": p.most}
	case p.oneOf != nil:
		value["enum"] = p.oneOf
	}
	if p.standard != "" {
		value["default"] = p.standard
		if p.integer {
			value["default"] = json.Number(p.standard)
		}
	}
	if p.many {
		value = schema{"type": "array", "items": value}
	}
	return schema{"name": p.name, "in": "query", "description": p.about, "required": p.required, "schema": value}
}

// schemaOf returns the schema of the JSON that encoding/json writes for a type. It adds structs with a name to types.
func schemaOf(t reflect.Type, types schema) schema {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return schema{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return schema{"type": "object"}
	}
	switch t.Kind() {
	case reflect.String:
		return schema{"type": "string"}
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return schema{"type": "integer"}
	case reflect.Float64:
		return schema{"type": "number"}
	case reflect.Slice:
		return schema{"type": "array", "items": schemaOf(t.Elem(), types)}
	}
	if _, known := types[t.Name()]; !known {
		types[t.Name()] = nil // now, because the type may contain itself
		types[t.Name()] = object(t, types)
	}
	return schema{"$ref": "#/components/schemas/" + t.Name()}
}

// object describes a struct by its fields.
func object(t reflect.Type, types schema) schema {
	properties, required := schema{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" {
			continue
		}
		value := schemaOf(f.Type, types)
		if about := f.Tag.Get("doc"); about != "" {
			value["description"] = about
		}
		properties[name] = value
		if !strings.HasPrefix(options, "omit") {
			required = append(required, name)
		}
	}
	return schema{"type": "object", "properties": properties, "required": required}
}
