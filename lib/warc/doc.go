// Package warc reads, writes, checks and repairs web archive files: WARC 1.1 and 1.0, older drafts, and ARC.
//
// It works like archive/tar. A Reader returns one Record after another. The block of a record is a stream and never
// held in memory:
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
// ReadAt returns the single record at an offset, as indexes name it. A Writer writes each record into its own gzip
// member or zstd frame, so that each can be read alone.
//
// Real files have many faults. The reader accepts what it can and notes what was odd (Record.Notes, Reader.Report).
// After a broken record or member it continues at the next sound one. Check says what is wrong with a file, rule by
// rule. Repair saves what is sound.
package warc
