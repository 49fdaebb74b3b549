package cdx

// This file makes the keys under which an index has the responses to POST and other methods.

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// maxMethodQuery bounds the query that stands for a request's body, in bytes.
const maxMethodQuery = 4096

// MethodQuery returns the query that stands in an index for a request other than GET, such as "__wb_method=POST&a=b":
// its method and, for POST and PUT, its body as fields. Forms keep their fields, JSON gives its leaf values by name,
// everything else becomes base64. A response to POST is found under its URL with this query appended (see
// [WithMethod]), as in pywb and cdxj-indexer (https://specs.webrecorder.net/request-body-canonicalization/latest/).
func MethodQuery(method, contentType string, body []byte) string {
	query := "__wb_method=" + method
	if method != "POST" && method != "PUT" {
		return query
	}
	if fields := bodyQuery(contentType, body); fields != "" {
		query += "&" + fields[:min(len(fields), maxMethodQuery)]
	}
	return query
}

// WithMethod returns the URL under which an index has the response to a request with that MethodQuery.
func WithMethod(u, query string) string {
	if strings.Contains(u, "?") {
		return u + "&" + query
	}
	return u + "?" + query
}

// Asked turns e into the response to a request other than GET. query is its MethodQuery.
func (e *Entry) Asked(method, query string) {
	_, body, _ := strings.Cut(query, "&")
	e.Key = weburl.SURT(WithMethod(e.URL, query))
	e.Extra = append(e.Extra, Field{Name: "method", Value: method}, Field{Name: "requestBody", Value: body})
	slices.SortFunc(e.Extra, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
}

// RequestOf reads the method of a request record and, unless it is GET or HEAD, its MethodQuery. It reads only as much
// of the body as the query needs.
func RequestOf(rec *warc.Record) (method, query string) {
	head, err := io.ReadAll(io.LimitReader(rec.Block, maxRequest))
	if err != nil {
		return "", ""
	}
	head, body, _ := bytes.Cut(head, []byte("\r\n\r\n"))
	line, fields, _ := strings.Cut(string(head), "\n")
	method, _, _ = strings.Cut(line, " ")
	if method == "" || method == "GET" || method == "HEAD" {
		return method, ""
	}
	contentType := ""
	for line := range strings.Lines(fields) {
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); {
		case strings.EqualFold(name, "Content-Type"):
			contentType = value
		case strings.EqualFold(name, "Transfer-Encoding") && strings.EqualFold(value, "chunked"):
			body, _ = io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(body))) // decode as much as possible
		}
	}
	return method, MethodQuery(method, contentType, body)
}

// maxRequest bounds how much of a request record is read, in bytes.
const maxRequest = 1 << 20

func bodyQuery(contentType string, body []byte) string {
	switch media, params, _ := mime.ParseMediaType(contentType); {
	case media == "application/x-www-form-urlencoded":
		plain, err := url.QueryUnescape(string(body))
		if err != nil {
			plain = strings.ReplaceAll(string(body), "+", " ")
		}
		return plain
	case strings.HasPrefix(media, "multipart/") && params["boundary"] != "":
		return multipartQuery(body, params["boundary"])
	case media == "application/json":
		query, _ := jsonQuery(body)
		return query
	case media == "text/plain":
		if query, ok := jsonQuery(body); ok {
			return query
		}
	}
	return binary(body)
}

func binary(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	return "__wb_post_data=" + base64.StdEncoding.EncodeToString(body)
}

func multipartQuery(body []byte, boundary string) string {
	var fields []string
	for r := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := r.NextRawPart()
		if err != nil {
			break
		}
		value, err := io.ReadAll(part)
		if err != nil {
			break
		}
		fields = append(fields, url.QueryEscape(part.FormName())+"="+url.QueryEscape(string(value)))
	}
	if fields == nil {
		return binary(body)
	}
	return strings.Join(fields, "&")
}

// jsonQuery returns the leaf values of a JSON document, or of one on each line, by the name of their member; repeated
// names get a number. It returns false if body is not JSON.
func jsonQuery(body []byte) (string, bool) {
	var names, values []string
	taken, again := map[string]bool{}, map[string]int{}
	leaf := func(name, value string) {
		if name == "" {
			return
		}
		key := name
		if taken[key] {
			again[name] = max(again[name], 1) + 1
			key = name + "." + strconv.Itoa(again[name]) + "_"
		}
		taken[key] = true
		names, values = append(names, key), append(values, value)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	for n := 0; ; n++ {
		err := jsonLeaves(d, "", 0, leaf)
		if err == io.EOF && n > 0 {
			break
		}
		if err != nil {
			return "", false
		}
	}
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(name) + "=" + url.QueryEscape(values[i]))
	}
	return b.String(), true
}

// maxJSONDepth bounds objects within objects.
const maxJSONDepth = 1000

// jsonLeaves reads one value token by token, because the order of members counts.
func jsonLeaves(d *json.Decoder, name string, depth int, leaf func(name, value string)) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	if depth > maxJSONDepth {
		return fmt.Errorf("JSON nested deeper than %d", maxJSONDepth)
	}
	switch t := t.(type) {
	case json.Delim:
		for d.More() {
			inner := name
			if t == '{' {
				key, err := d.Token()
				if err != nil {
					return err
				}
				inner, _ = key.(string)
			}
			if err := jsonLeaves(d, inner, depth+1, leaf); err != nil {
				return inside(err)
			}
		}
		_, err := d.Token()
		return inside(err)
	case bool:
		leaf(name, map[bool]string{true: "True", false: "False"}[t]) // Python's spelling, because this form was first made in Python
	case nil:
		leaf(name, "None")
	default:
		leaf(name, fmt.Sprint(t))
	}
	return nil
}

// inside turns the end of the input into an error, because a value was open.
func inside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
