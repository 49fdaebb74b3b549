package chromium

// This file reads the storage of pages.

import (
	"encoding/json"
	"fmt"

	"kavosh"
)

// StorageScript returns the storage of the page's origin as JSON: what ParseStorage reads.
const StorageScript = `(() => {
  const all = [];
  for (const [of, session] of [[localStorage, false], [sessionStorage, true]])
    for (let i = 0; i < of.length && i < 1000; i++) {
      const key = of.key(i), value = of.getItem(key);
      if (key.length + value.length < 1 << 20) all.push({origin: location.origin, session, key, value});
    }
  return JSON.stringify(all).slice(0, 8 << 20);
})()`

// ParseStorage reads what StorageScript returned, of any origin.
func ParseStorage(text string) (origin string, storage []kavosh.Stored, err error) {
	if err := json.Unmarshal([]byte(text), &storage); err != nil {
		return "", nil, fmt.Errorf("the page's storage cannot be read")
	}
	for i := range storage {
		if origin = storage[i].Origin; origin != storage[0].Origin {
			return "", nil, fmt.Errorf("the page's storage is of several origins")
		}
	}
	return origin, storage, nil
}
