package shown

// This file reads the text and the document of a page.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// documentScript gives the document as HTML, with its doctype.
const documentScript = `(document.doctype ? new XMLSerializer().serializeToString(document.doctype) + '\n' : '') + document.documentElement.outerHTML`

// Document returns the current document as HTML in UTF-8. If it is larger than MaxDOM, whole is false and the rest is
// missing.
func Document(tab context.Context) (html string, whole bool, err error) {
	return read(tab, documentScript, MaxDOM)
}

// textScript gives the text that is displayed: of the document, of its frames that it may look into, and of open shadow
// roots, whose texts come after that of what they stand in.
const textScript = `(() => {
  const texts = [];
  let left = 100000;
  const of = root => {
    for (const e of root.body ? [root.body] : root.children) if (e.getClientRects().length) texts.push(e.innerText ?? e.textContent);
    for (const e of root.querySelectorAll('*')) {
      if (left-- < 0) return;
      if (e.shadowRoot) of(e.shadowRoot);
      else if (e.contentDocument) of(e.contentDocument);
    }
  };
  of(document);
  return texts.join('\n');
})()`

// Text returns the text that the page displays. If it is larger than MaxText, whole is false and the rest is missing.
func Text(tab context.Context) (text string, whole bool, err error) {
	return read(tab, textScript, MaxText)
}

// read evaluates a script that gives a text, of which it returns at most so many bytes.
func read(tab context.Context, script string, most int) (text string, whole bool, err error) {
	data, err := evaluate(tab, fmt.Sprintf(`(%s).slice(0, %d)`, script, most+1))
	if err != nil {
		return "", false, err
	}
	if err := json.Unmarshal(data, &text); err != nil {
		return "", false, err
	}
	if len(text) <= most {
		return text, true, nil
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], false, nil
}

// evaluate evaluates an expression in the tab's page, in a world where only the document is the page's.
func evaluate(tab context.Context, expression string) (json.RawMessage, error) {
	frame := cdp.FrameID(chromedp.FromContext(tab).Target.TargetID)
	world, err := chromedp.Call(tab, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: "kavosh"})
	if err != nil {
		return nil, err
	}
	byValue := true
	got, err := chromedp.Call(tab, runtime.Evaluate,
		runtime.EvaluateParams{Expression: expression, ContextID: world.ExecutionContextID, ReturnByValue: &byValue})
	switch {
	case err != nil:
		return nil, err
	case got.ExceptionDetails != nil:
		return nil, fmt.Errorf("the page gives an error: %s", got.ExceptionDetails.Text)
	case got.Result == nil || len(got.Result.Value) == 0:
		return nil, errors.New("the page gives no value")
	}
	return json.RawMessage(got.Result.Value), nil
}
