package browser

import (
	"bufio"
	"bytes"
	"io"
	"testing"
	"time"

	"kavosh/internal/clock"
)

// FuzzFrames wants frames to be passed on as they came, and never more of them kept than the bounds allow.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x81\x02hi"), true)
	f.Add([]byte("\x81\x82\x01\x02\x03\x04ik\x88\x00"), true)
	f.Add([]byte("\x82\x7e\x00\x03abc"), false)
	f.Add([]byte("\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xffabc"), false)
	f.Add([]byte("\x01\x7f\x00\x00\x00\x00\x00\x00\x00\x01a\x0f\x00"), false)
	f.Fuzz(func(t *testing.T, came []byte, page bool) {
		p := &proxy{clock: clock.Real{}}
		s := new(Socket)
		var passed bytes.Buffer
		p.pass(s, time.Now(), page, &passed, bufio.NewReader(bytes.NewReader(came)))
		if !bytes.HasPrefix(came, passed.Bytes()) {
			t.Errorf("%q came and %q was passed on", came, passed.Bytes())
		}
		if len(s.Frames) > maxFrames || p.mu.framed > int64(len(came)) {
			t.Errorf("%d frames, %d bytes", len(s.Frames), p.mu.framed)
		}
	})
}

// TestFrames wants the text of frames to be kept as it is, and one that is cut short not to be passed on.
func TestFrames(t *testing.T) {
	p, s := &proxy{clock: clock.Real{}}, new(Socket)
	p.pass(s, time.Now(), true, io.Discard, bufio.NewReader(bytes.NewReader([]byte("\x81\x82\x01\x02\x03\x04ik\x02\x01\xff\x80\x05cut"))))
	if len(s.Frames) != 2 || s.Frames[0].Text != "hi" || !s.Frames[0].Last || s.Frames[1].Last || s.Frames[1].Data[0] != 0xff {
		t.Errorf("%+v", s.Frames)
	}
}
