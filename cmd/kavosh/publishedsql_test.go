package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"testing"

	"kavosh/quality"
)

// published is SQL as Spaniol, Mazeika, Denev and Weikum print it: their listings 2 and 3, the latter without a column that their
// own table does not have.
const published = `
create table t_pages_dd as select t_pages.* from
 (select crawl_id,url_id,max(visited_timestamp) as latest_timestamp from t_pages group by crawl_id,url_id) as x, t_pages
 where t_pages.crawl_id=x.crawl_id and t_pages.url_id=x.url_id and t_pages.visited_timestamp=x.latest_timestamp;
create table t_links_dd as select t_links.* from t_pages_dd,t_links
 where t_pages_dd.url_id=t_links.from_url_id and t_pages_dd.visited_timestamp=t_links.visited_timestamp;
create table clean_mapping as select dirty.url_id dirty_url_id, clean.url_id clean_url_id
 from (select min(url_id) url_id, lower(url) url from t_urls group by lower(url)) clean, t_urls dirty
 where clean.url = lower(dirty.url);
create table lower_url_dd as select crawl_id, clean_url_id as url_id, site_id, min(etag) etag,
  min(page_size), min(page_type), min(visited_timestamp), min(checksum) checksum, min(last_modified), min(status_code),
  min(download_time), min(sig0), min(sig9), min(mime_id), min(filename)
 from t_pages_dd, clean_mapping where t_pages_dd.url_id=dirty_url_id group by crawl_id, site_id, clean_url_id;
`

// kinds is their listing 4, of a table and the site 1.
const kinds = `select kind,count(*) from (select case when p.url_id is null then 'added' when c.url_id is null then 'deleted'
   when p.checksum=c.checksum then 'unchanged' else 'changed' end kind
 from (select * from %[1]s where crawl_id=2-1 and site_id=1) p
 full outer join (select * from %[1]s where crawl_id=2 and site_id=1) c on p.url_id=c.url_id) group by kind`

// structure counts the pages of both crawls whose sets of links differ.
const structure = `select count(distinct d.from_url_id) from (
   select from_url_id,to_url_id,min(crawl_id) crawl_id from (select distinct from_url_id,to_url_id,crawl_id from t_links_dd where kind='navigation')
   group by from_url_id,to_url_id having count(*)=1) d
 join t_pages_dd p on p.crawl_id=1 and p.url_id=d.from_url_id join t_pages_dd c on c.crawl_id=2 and c.url_id=d.from_url_id
 where p.status_code=200 and c.status_code in (200,304) and c.standin is null`

// TestPublishedSQL runs the SQL of the publication on an export, and wants the numbers of kavosh quality.
func TestPublishedSQL(t *testing.T) {
	t.Parallel()
	site := newScriptedSite(3, 9, 20)
	_, dir := site.crawl(t, false, "15ms") // so that no page is visited twice in one second, which is how exact times of tables are
	var told defectsOf
	if err := json.Unmarshal([]byte(command(t, "quality", dir, "--between", "all", "--json")), &told); err != nil {
		t.Fatal(err)
	}
	d := &told.Visits[0]
	file := filepath.Join(t.TempDir(), "a.sqlite")
	command(t, "export", "tables", dir, "-o", file)
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(published); err != nil {
		t.Fatal(err)
	}
	const robots = 1 // robots.txt is a row as well, and no page
	want := map[string]int64{
		"added": d.Classes[quality.DefectAdded], "deleted": d.Classes[quality.DefectDeleted], "unchanged": d.Unchanged + robots,
		"changed": d.Classes[quality.DefectContent] + d.Classes[quality.DefectStructure] + d.Classes[quality.DefectMissing] + d.Noise,
	}
	for _, table := range []string{"t_pages_dd", "lower_url_dd"} {
		rows, err := db.Query(fmt.Sprintf(kinds, table))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		for rows.Next() {
			var kind string
			var n int64
			if err := rows.Scan(&kind, &n); err != nil {
				t.Fatal(err)
			}
			got[kind] = n
		}
		if err := rows.Err(); err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v (%v)", table, got, want, err)
		}
	}
	for _, is := range []struct {
		query string
		want  int64
	}{
		{structure, d.Classes[quality.DefectStructure]},
		{"select count(*) from t_pages_dd where crawl_id=2 and vs_page_id is null and page_type='html'", d.Classes[quality.DefectAdded]},
		{"select count(*) from t_pages_dd p join t_urls u on u.url_id=p.url_id where parent_page_id is null and url like '%/s%/p%'", 0}, // all have a section above them
		{"select count(*) from t_pages_dd where crawl_id=1 and page_type='html' and content like 'The page at%first version%'", d.Pages - 10},
	} {
		var got int64
		if err := db.QueryRow(is.query).Scan(&got); err != nil || got != is.want {
			t.Errorf("%s: %d, want %d (%v)", is.query, got, is.want, err)
		}
	}
}
