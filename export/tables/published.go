package tables

// This file makes, beside the tables of an SQLite file, those of Spaniol, Mazeika, Denev and Weikum ("Catch me if you can:
// Visual Analysis of Coherence Defects in Web Archiving", 2009), so that their SQL runs on an archive as it is printed.

import (
	"database/sql"
	"fmt"
)

// numbers are the published tables that give numbers to what the others name.
var numbers = []string{
	`CREATE TABLE t_urls (url_id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE)`,
	`INSERT OR IGNORE INTO t_urls (url) SELECT url FROM captures ORDER BY capture`,
	`INSERT OR IGNORE INTO t_urls (url) SELECT source FROM links`,
	`INSERT OR IGNORE INTO t_urls (url) SELECT target FROM links`,
	`CREATE TABLE t_sites (site_id INTEGER PRIMARY KEY, site TEXT NOT NULL UNIQUE)`,
	`INSERT OR IGNORE INTO t_sites (site) SELECT host FROM hosts`,
	`INSERT OR IGNORE INTO t_sites (site) SELECT source_host FROM links WHERE source_host IS NOT NULL`,
	`INSERT OR IGNORE INTO t_sites (site) SELECT target_host FROM links WHERE target_host IS NOT NULL`,
	`CREATE TABLE t_crawls (crawl_id INTEGER PRIMARY KEY, crawl TEXT NOT NULL UNIQUE)`,
	`INSERT INTO t_crawls (crawl) SELECT coalesce(crawl, '') FROM captures WHERE coalesce(crawl, '') NOT IN (SELECT crawl FROM mending) GROUP BY 1 ORDER BY min(time)`,
	`CREATE TABLE t_mimes (mime_id INTEGER PRIMARY KEY, mime TEXT NOT NULL UNIQUE)`,
	`INSERT OR IGNORE INTO t_mimes (mime) SELECT mime FROM captures WHERE mime IS NOT NULL ORDER BY capture`,
}

// digestOf and mimeOf are what a row c of captures holds. A revisit without a digest, to which the server said that nothing had
// changed, holds what the capture before it does; any revisit has the media type of its original.
const (
	digestOf = `coalesce(c.digest, CASE c.type WHEN 'revisit' THEN
		(SELECT v.digest FROM captures v WHERE v.url = c.url AND (v.time, v.capture) < (c.time, c.capture) AND v.digest IS NOT NULL ORDER BY v.time DESC, v.capture DESC LIMIT 1) END)`
	mimeOf = `coalesce((SELECT o.mime FROM captures o WHERE c.type = 'revisit' AND o.digest = ` + digestOf + ` AND o.type <> 'revisit' LIMIT 1), c.mime)`
)

// views are the published tables of pages and links. What only running a subquery tells costs nothing where nobody asks for it.
var views = []string{
	`CREATE VIEW t_pages AS SELECT c.capture AS page_id, u.url_id, s.site_id, k.crawl_id,
		(SELECT min(q.capture) FROM links l JOIN captures q ON q.url = l.source AND q.crawl IS c.crawl AND (q.time, q.capture) < (c.time, c.capture)
			WHERE l.target = c.url AND l.source <> c.url) AS parent_page_id,
		c.etag, c.bytes AS page_size,
		CASE WHEN ` + mimeOf + ` LIKE '%html%' THEN 'html' WHEN ` + mimeOf + ` LIKE 'image/%' THEN 'image' ELSE 'other' END AS page_type,
		(SELECT mime_id FROM t_mimes WHERE mime = ` + mimeOf + `) AS mime_id,
		c.status AS status_code, c.time AS visited_timestamp, c.modified AS last_modified, NULL AS download_time,
		` + digestOf + ` AS checksum,
		(SELECT p.simhash FROM pages p WHERE p.capture = c.capture) AS sig0,
		NULL AS sig1, NULL AS sig2, NULL AS sig3, NULL AS sig4, NULL AS sig5, NULL AS sig6, NULL AS sig7, NULL AS sig8, NULL AS sig9,
		c.file AS filename,
		(SELECT t.body FROM pages p JOIN texts t ON t.text = p.text WHERE p.capture = c.capture) AS content,
		(SELECT v.capture FROM captures v WHERE v.url = c.url AND (v.time, v.capture) < (c.time, c.capture) AND v.crawl IS NOT c.crawl AND coalesce(v.crawl, '') IN (SELECT crawl FROM t_crawls) ORDER BY v.time DESC, v.capture DESC LIMIT 1) AS vs_page_id,
		c.standin
	FROM captures c JOIN t_urls u ON u.url = c.url JOIN t_crawls k ON k.crawl = coalesce(c.crawl, '') LEFT JOIN t_sites s ON s.site = c.host
	WHERE c.method IS NULL AND c.url LIKE 'http%'`,
	`CREATE VIEW t_links AS SELECT c.capture * 10000000000 + l.rowid AS link_id, f.url_id AS from_url_id, g.url_id AS to_url_id,
		a.site_id AS from_site_id, b.site_id AS to_site_id, k.crawl_id, c.time AS visited_timestamp, l.kind
	FROM captures c
		JOIN captures o ON o.rowid = (SELECT min(x.rowid) FROM captures x WHERE x.digest = ` + digestOf + `)
		JOIN links l ON l.source = o.url AND l.time = o.time
		JOIN t_urls f ON f.url = c.url JOIN t_urls g ON g.url = l.target JOIN t_crawls k ON k.crawl = coalesce(c.crawl, '')
		LEFT JOIN t_sites a ON a.site = c.host LEFT JOIN t_sites b ON b.site = l.target_host
	WHERE c.method IS NULL`,
}

// publish makes the published tables, after all rows and indexes are there. They leave out crawls that mend the archive.
func publish(tx *sql.Tx, mending []string) error {
	if _, err := tx.Exec(`CREATE TEMP TABLE mending (crawl TEXT)`); err != nil {
		return err
	}
	for _, id := range mending {
		if _, err := tx.Exec(`INSERT INTO mending VALUES (?)`, id); err != nil {
			return err
		}
	}
	for _, list := range [][]string{numbers, views} {
		for _, statement := range list {
			if _, err := tx.Exec(statement); err != nil {
				return fmt.Errorf("%.40s: %w", statement, err)
			}
		}
	}
	return nil
}
