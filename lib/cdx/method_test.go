package cdx

import "testing"

// The expectations are what cdxj-indexer 1.5.0 gives for the same bodies.
func TestMethodQuery(t *testing.T) {
	for _, c := range []struct{ method, contentType, body, want string }{
		{"HEAD", "", "x", "__wb_method=HEAD"},
		{"POST", "application/x-www-form-urlencoded", "foo=bar&dir=%2Fbaz&q=a+b", "__wb_method=POST&foo=bar&dir=/baz&q=a b"},
		{"POST", "application/x-www-form-urlencoded; charset=UTF-8", "", "__wb_method=POST"},
		{"PUT", "application/json", `{"a": {"b": 1, "c": [true, null, "x y"]}, "b": 2.5, "d": []}`, "__wb_method=PUT&b=1&c=True&c.2_=None&c.3_=x+y&b.2_=2.5"},
		{"POST", "application/json", `{"a": 1` + "\n", "__wb_method=POST"},
		{"POST", "application/json", "{\"a\": 1}\n{\"a\": 2}", "__wb_method=POST&a=1&a.2_=2"},
		{"POST", "text/plain", `{"a": "1"}`, "__wb_method=POST&a=1"},
		{"POST", "text/plain", `plain`, "__wb_method=POST&__wb_post_data=cGxhaW4="},
		{"POST", "", "\x00\x01", "__wb_method=POST&__wb_post_data=AAE="},
		{"POST", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"a b\"\r\n\r\n1&2\r\n--b--\r\n", "__wb_method=POST&a+b=1%262"},
		{"POST", "multipart/form-data", "x", "__wb_method=POST&__wb_post_data=eA=="},
	} {
		if got := MethodQuery(c.method, c.contentType, []byte(c.body)); got != c.want {
			t.Errorf("%s %s %q:\n got %s\nwant %s", c.method, c.contentType, c.body, got, c.want)
		}
	}
	if got := WithMethod("http://a.test/x?y", "__wb_method=POST"); got != "http://a.test/x?y&__wb_method=POST" {
		t.Error(got)
	}
	if got := WithMethod("http://a.test/x", "__wb_method=POST"); got != "http://a.test/x?__wb_method=POST" {
		t.Error(got)
	}
}

func FuzzMethodQuery(f *testing.F) {
	f.Add("application/json", []byte(`{"a":[1,{"b":null}]}`))
	f.Add("multipart/form-data; boundary=b", []byte("--b\r\n\r\nx\r\n--b--"))
	f.Add("application/x-www-form-urlencoded", []byte("a=%zz"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		if got := MethodQuery("POST", contentType, body); len(got) > maxMethodQuery+len("__wb_method=POST&") {
			t.Errorf("%d bytes", len(got))
		}
	})
}
