// Package warc reads, writes, checks and repairs web archive files: WARC 1.1 and 1.0, older drafts, and ARC.
//
// It has the shape of archive/tar. A Reader delivers one Record after another; the block of a record is a stream that
// is never held in memory:
//
//	r, err := warc.NewReader(f)
//	for {
//		rec, err := r.Next()
//		if err == io.EOF {
//			break
//		}
//		io.Copy(w, rec.Block)
//	}
//
// ReadAt delivers the one record at an offset, as an index names it. A Writer writes records, each in a gzip member or
// zstd frame of its own, so that each can be read alone.
//
// Files in the wild are odd in many ways. The reader takes what it can: it notes what was odd (Record.Notes,
// Reader.Report), and when a record or member is broken it goes on at the next one that is not. Check says what is
// wrong with a file, rule by rule, and Repair salvages what is sound.
package warc
