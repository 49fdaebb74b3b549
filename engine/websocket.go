package engine

// This file opens WebSockets for a page that is being loaded, by the one gate, and makes the record of them
// (urn:websockets:). What both sides then send goes over an open connection, within the bounds of package fetch/browser.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"kavosh"
	"kavosh/fetch/browser"
	"kavosh/frontier"
	"kavosh/lib/weburl"
)

// aWebSocket is what notes call such a request.
const aWebSocket = "WebSocket"

// socket answers a request to open a WebSocket, by sending it: at the turn of its host, if scope and robots.txt allow it. It
// is in no queue, because nobody could use it without the page, and leaves no response record.
func (v *visit) socket(ctx context.Context, key string, ask *kavosh.Ask, answer func(*kavosh.Exchange)) error {
	link := kavosh.Link{URL: key, Kind: kavosh.Embed, From: v.from}
	if d := v.c.belongs(&link, &v.page); !d.In {
		v.leaveOut(&link, d, aWebSocket)
		return nil
	}
	return v.beyondQueue(ctx, v.followed(key), func(lease *frontier.Lease) (again bool, err error) {
		if lease.Refused != nil {
			v.c.refusedOnce(lease, aWebSocket)
			v.refuse("a WebSocket: " + lease.Refused.Text)
			lease.Drop()
			return false, nil
		}
		held := places{urls: 1}
		if !v.c.quota.placeLeft(held) {
			lease.Later(0)
			lease.Drop()
			v.refuse(noPlace)
			return false, nil
		}
		defer v.c.quota.unreserve(held)
		x, err := v.c.fetch(lease, &part{ctx: v.ctx, ask: ask})
		lease.Drop() // its host is free again, however long the socket stays open
		if err != nil || x == nil {
			return err == nil && v.ctx.Err() == nil, err
		}
		defer x.Close()
		if !x.Answered() {
			v.refuse("a WebSocket: " + x.Detail)
			return false, nil
		}
		answer(x)
		return false, nil
	})
}

// spoken is the record of a page's WebSockets. secrets are the texts that give access to a host, which no record may have.
func spoken(page string, sockets []browser.Socket, secrets func(host string) []string) kavosh.Rendering {
	for _, s := range sockets {
		hidden := secrets(weburl.Host("http" + strings.TrimPrefix(s.URL, "ws")))
		for i := range s.Frames {
			f := &s.Frames[i]
			for _, secret := range hidden {
				if f.Page && secret != "" {
					mask := strings.Repeat("x", len(secret))
					f.Text, f.Data = strings.ReplaceAll(f.Text, secret, mask), bytes.ReplaceAll(f.Data, []byte(secret), []byte(mask))
				}
			}
		}
	}
	data, _ := json.Marshal(struct {
		URL     string           `json:"url"`
		Sockets []browser.Socket `json:"sockets"`
	}{page, sockets}) // strings and numbers always encode
	return kavosh.Rendering{Kind: kavosh.WebSockets, Data: data}
}

// toldSockets says for the notes of a page which WebSockets it had.
func toldSockets(sockets []browser.Socket) (notes []string) {
	for _, s := range sockets {
		note := fmt.Sprintf("browser: WebSocket %s: status %d, %d frames", s.URL, s.Status, len(s.Frames))
		if s.Ended != "" {
			note += "; ended, " + s.Ended
		}
		notes = append(notes, note)
	}
	return notes
}
