package earnest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// mostMessageBytes limits one message, so that a stream cannot fill the memory. Tests change it.
var mostMessageBytes = 4 << 20

var errTooLarge = errors.New("a message is too large")

// message is one message of server-sent events, with the fields that we know. A message without data has only a position.
type message struct {
	id       string
	data     string
	hasData  bool
	retry    time.Duration
	hasRetry bool
}

// messageReader reads a stream of server-sent events by section 9.2.6 of WHATWG HTML.
type messageReader struct {
	lines   *bufio.Scanner
	isBegun bool
}

func newMessageReader(body io.Reader) *messageReader {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, mostMessageBytes)
	afterReturn := false
	// searched counts the bytes of the unfinished line that were already searched.
	looked := 0
	// A line ends with its CR, so no message waits for one more byte. The LF of the pair may come later.
	lines.Split(func(text []byte, atEnd bool) (int, []byte, error) {
		begin := 0
		if afterReturn && len(text) > 0 {
			afterReturn = false
			if text[0] == '\n' {
				begin = 1
			}
		}
		from := begin + looked
		length := bytes.IndexAny(text[from:], "\r\n")
		switch {
		case length >= 0:
			looked = 0
			end := from + length
			afterReturn = text[end] == '\r'
			return end + 1, text[begin:end], nil
		case atEnd:
			// A message without an end is dropped.
			return len(text), nil, nil
		default:
			looked = len(text) - begin
			return begin, nil, nil
		}
	})
	return &messageReader{lines: lines}
}

// next returns the next whole message, or io.EOF at the end.
func (r *messageReader) next() (message, error) {
	var found message
	var data []string
	size := 0
	for r.lines.Scan() {
		line := r.lines.Text()
		if !r.isBegun {
			line, r.isBegun = strings.TrimPrefix(line, "\ufeff"), true
		}
		if line == "" {
			found.data, found.hasData = strings.ToValidUTF8(strings.Join(data, "\n"), "\ufffd"), data != nil
			return found, nil
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			data = append(data, value)
			if size += len(value) + 1; size > mostMessageBytes {
				return message{}, errTooLarge
			}
		case "id":
			if !strings.Contains(value, "\x00") {
				found.id = value
			}
		case "retry":
			if wait, err := strconv.ParseUint(value, 10, 32); err == nil {
				found.retry, found.hasRetry = time.Duration(wait)*time.Millisecond, true
			}
		}
	}
	if err := r.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return message{}, errTooLarge
	} else if err != nil {
		return message{}, err
	}
	return message{}, io.EOF
}
