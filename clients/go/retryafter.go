package earnest

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// longestRetryAfter is the bound of a reported wait.
const longestRetryAfter = 366 * 24 * time.Hour

var (
	seconds = regexp.MustCompile(`\A[0-9]+(\.[0-9]+)?\z`)
	months  = strings.Split("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", " ")
	// The three forms of RFC 9110, section 5.6.7; the last one has no zone and means UTC as well.
	dateForms = []*regexp.Regexp{
		regexp.MustCompile(`\A(?:` + days + `), (?P<day>\d\d) ` + month + ` (?P<year>[1-9]\d{3}) ` + clock + ` GMT\z`),
		regexp.MustCompile(`\A(?:` + longDays + `), (?P<day>\d\d)-` + month + `-(?P<year>\d\d) ` + clock + ` GMT\z`),
		regexp.MustCompile(`\A(?:` + days + `) ` + month + ` (?P<day>[ \d]\d) ` + clock + ` (?P<year>[1-9]\d{3})\z`),
	}
)

const (
	days     = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
	longDays = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
	month    = "(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
	clock    = `(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d):(?P<second>[0-5]\d)`
)

// readRetryAfter reads the wait of the header Retry-After, which has seconds or a date; nil if it is missing, invalid or
// repeated. http.ParseTime accepts more forms.
func readRetryAfter(header http.Header, now time.Time) *time.Duration {
	values := header.Values("Retry-After")
	if len(values) != 1 {
		return nil
	}
	var wait time.Duration
	if seconds.MatchString(values[0]) {
		// A number that is too large is infinite.
		number, _ := strconv.ParseFloat(values[0], 64)
		wait = time.Duration(min(number, longestRetryAfter.Seconds()) * float64(time.Second))
	} else if date, isDate := readHTTPDate(values[0], now); isDate {
		wait = min(longestRetryAfter, max(0, date.Sub(now)))
	} else {
		return nil
	}
	return &wait
}

func readHTTPDate(text string, now time.Time) (time.Time, bool) {
	for _, form := range dateForms {
		match := form.FindStringSubmatch(text)
		if match == nil {
			continue
		}
		part := func(name string) string { return strings.TrimLeft(match[form.SubexpIndex(name)], " ") }
		number := func(name string) int {
			value, _ := strconv.Atoi(part(name))
			return value
		}
		year := fullYear(part("year"), now.UTC().Year())
		month := time.Month(slices.Index(months, part("month")) + 1)
		date := time.Date(year, month, number("day"), number("hour"), number("minute"), number("second"), 0, time.UTC)
		return date, date.Day() == number("day")
	}
	return time.Time{}, false
}

// fullYear reads two digits as a year of this century. A year more than 50 years ahead is of the last century.
func fullYear(digits string, thisYear int) int {
	year, _ := strconv.Atoi(digits)
	if len(digits) == 4 {
		return year
	}
	if year += thisYear - thisYear%100; year > thisYear+50 {
		return year - 100
	}
	return year
}
