package stored

// This file opens a folder of files as a stored web.

import (
	"fmt"
	"io/fs"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"kavosh"
	"kavosh/lib/weburl"
)

// openFolder opens a folder of files as the sites they mirror. With a base, the folder is that URL; without, its
// sub-folders are host names. A file has the URL of its path; an index.html has its folder's URL too.
func openFolder(dir, base string) (*Web, error) {
	b := newBuilder(dir)
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		body, err := os.ReadFile(path) // links among the files of a package are followed
		if err != nil {
			return nil // a dangling symbolic link
		}
		if len(body) > maxBody {
			body = body[:maxBody]
		}
		urls, err := folderURLs(filepath.ToSlash(rel), base)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, u := range urls {
			a := fileAnswer(path, body)
			if b.add(u, &a, nil) {
				files = append(files, path)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	b.web.answer = func(i int) (Answer, error) {
		body, err := os.ReadFile(files[i])
		if err != nil {
			return Answer{}, err
		}
		return fileAnswer(files[i], body[:min(len(body), maxBody)]), nil
	}
	return b.done()
}

func folderURLs(rel, base string) ([]string, error) {
	if base == "" {
		base = "http://"
	} else if !strings.HasSuffix(base, "/") {
		base += "/"
	}
	var urls []string
	path := (&url.URL{Path: rel}).EscapedPath()
	for _, p := range []string{strings.TrimSuffix(path, "index.html"), path} {
		if p == path && len(urls) > 0 {
			break
		}
		if p != path && !strings.HasSuffix(p, "/") && p != "" {
			continue // fooindex.html
		}
		key, err := weburl.Key(base + p)
		if err != nil {
			return nil, fmt.Errorf("its path makes no URL: %w", err)
		}
		urls = append(urls, key)
		if p != path { // also the file under its own name
			if key, err := weburl.Key(base + path); err == nil {
				urls = append(urls, key)
			}
		}
	}
	return urls, nil
}

// fileAnswer returns what a plain server would send for a file.
func fileAnswer(path string, body []byte) Answer {
	t := mime.TypeByExtension(strings.ToLower(filepath.Ext(path)))
	if t == "" || strings.HasPrefix(t, "text/html") {
		t = "text/html" // without a charset, because the page declares it
	}
	return Answer{Status: 200, Header: kavosh.Header{{Name: "Content-Type", Value: t}}, Body: body}
}
