package earnest

import (
	"context"
	"encoding/json"
	"iter"
	"net/url"
	"regexp"
)

// List is a list that is read on demand: Page reads its first page, and All all items.
type List[Item, Body any] struct {
	ctx    context.Context
	sender sender
	call   call
	read   func(*Body) ([]Item, *string)
	opts   []Option
}

func newList[Item, Body any](ctx context.Context, sender sender, c call, read func(*Body) ([]Item, *string), opts []Option) *List[Item, Body] {
	return &List[Item, Body]{ctx: ctx, sender: sender, call: c, read: read, opts: opts}
}

// Page is one page of a list.
type Page[Item, Body any] struct {
	Items []Item
	// Body is the response of the page. It has Total if the list counts.
	Body Body
	// NextCursor is the Cursor of the next page's query, and is empty on the last page.
	NextCursor string
}

// Page reads the first page.
func (l *List[Item, Body]) Page() (*Page[Item, Body], error) {
	response, err := l.sender.do(l.ctx, l.call, l.opts)
	if err != nil {
		return nil, err
	}
	page := new(Page[Item, Body])
	if err := readAnswer(l.call, response, &page.Body); err != nil {
		return nil, err
	}
	items, next := l.read(&page.Body)
	page.Items = items
	if next != nil {
		page.NextCursor = *next
	} else {
		page.NextCursor = cursorOfLink(response.Header.Get("Link"))
	}
	return page, nil
}

// Pages goes through all pages. An error ends it.
func (l *List[Item, Body]) Pages() iter.Seq2[*Page[Item, Body], error] {
	return func(yield func(*Page[Item, Body], error) bool) {
		for list := l; ; {
			page, err := list.Page()
			if !yield(page, err) || err != nil || page.NextCursor == "" {
				return
			}
			query, err := queryAt(l.call.query, page.NextCursor)
			if err != nil {
				yield(nil, err)
				return
			}
			next := *l
			next.call.query = query
			list = &next
		}
	}
}

// All goes through the items of all pages. An error ends it.
//
//	for order, err := range client.Orders.List(ctx, earnest.OrdersListQuery{}).All() {
//		if err != nil {
//			return err
//		}
//	}
func (l *List[Item, Body]) All() iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for page, err := range l.Pages() {
			if err != nil {
				var none Item
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// queryAt returns the query with a cursor. It removes the offset, because the service refuses both together.
func queryAt(query any, cursor string) (any, error) {
	text, err := json.Marshal(query)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	if err := JSON(text).Decode(&fields); err != nil {
		return nil, err
	}
	delete(fields, "offset")
	fields["cursor"] = cursor
	return fields, nil
}

var nextLink = regexp.MustCompile(`<([^>]*)>\s*;\s*rel="?next"?`)

// cursorOfLink returns the cursor in the address of the next page (RFC 8288).
func cursorOfLink(link string) string {
	found := nextLink.FindStringSubmatch(link)
	if found == nil {
		return ""
	}
	address, err := url.Parse(found[1])
	if err != nil {
		return ""
	}
	return address.Query().Get("cursor")
}
