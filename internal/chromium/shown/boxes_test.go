package shown

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/cdproto/domsnapshot"
)

// snapshot is that of <body><p>hi</p><iframe>, whose frame has <b>.
const snapshot = `{"strings":["#document","BODY","P","#text","hi","IFRAME","B","20px"],"documents":[
{"contentWidth":800,"contentHeight":600,
"nodes":{"parentIndex":[-1,0,1,2,1],"nodeName":[0,1,2,3,5],"contentDocumentIndex":{"index":[4],"value":[1]}},
"layout":{"nodeIndex":[1,2,3,4],"bounds":[[0,0,800,600],[8,8,100,20],[8,8,16,20],[50,100,300,150]],"text":[-1,-1,4,-1],
"styles":[[7,-1,-1,-1,-1,-1,-1],[7,-1,-1,-1,-1,-1,-1],[],[7,-1,-1,-1,-1,-1,-1]]}},
{"scrollOffsetY":5,"nodes":{"parentIndex":[-1,0],"nodeName":[0,6]},"layout":{"nodeIndex":[1],"bounds":[[1,2,3,4]],"text":[],"styles":[[]]}}]}`

// A text has the styles of its element, and a box of a frame stands where the frame shows it.
func TestLayout(t *testing.T) {
	var s domsnapshot.CaptureSnapshotResult
	if err := json.Unmarshal([]byte(snapshot), &s); err != nil {
		t.Fatal(err)
	}
	l := layoutOf(&s)
	if len(l.Boxes) != 5 || l.Width != 800 || l.Height != 600 {
		t.Fatalf("%+v", l)
	}
	if b := l.Boxes[2]; b.Tag != "#text" || b.Text != "hi" || b.Parent != 1 || b.FontSize != "20px" {
		t.Errorf("text: %+v", b)
	}
	if b := l.Boxes[4]; b.Tag != "b" || b.Parent != 3 || b.X != 51 || b.Y != 97 {
		t.Errorf("in the frame: %+v", b)
	}
}

func FuzzLayout(f *testing.F) {
	f.Add([]byte(snapshot))
	f.Add([]byte(`{"documents":[null]}`))
	f.Add([]byte(`{"strings":["A"],"documents":[{"nodes":{"parentIndex":[0,9],"nodeName":[0,-5]},"layout":{"nodeIndex":[0,1,-1],"bounds":[[1,2,3,4],[1],[]],"styles":[[1,2,3,4,5,6,99]]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s domsnapshot.CaptureSnapshotResult
		if json.Unmarshal(data, &s) != nil {
			return
		}
		for i, b := range layoutOf(&s).Boxes {
			if b.Parent >= i {
				t.Fatalf("box %d is in box %d", i, b.Parent)
			}
		}
	})
}
