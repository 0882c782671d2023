package earnest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/earnest-market/earnest-go/sessions"
)

// PaidCall is a call of a session that a handler works on.
type PaidCall[In any] struct {
	Input   In
	OrderID string
	// CallID is the call's own name, the same when it is sent again. A handler that a crash interrupted is called again with it.
	CallID string
	Buyer  string
	// Body is the input as plain bytes.
	Body        []byte
	ContentType string
}

// CallHandler does the work of a call. The input is JSON; for another media type read the Body. An output of []byte is sent as it
// is, any other as JSON. A call whose handler fails is not paid for. The text of an error that wraps ErrDeclined goes to the buyer.
type CallHandler func(ctx context.Context, call PaidCall[JSON]) (output any, err error)

// HandleCall returns a CallHandler that reads the input into a type.
func HandleCall[In, Out any](work func(context.Context, PaidCall[In]) (Out, error)) CallHandler {
	return func(ctx context.Context, raw PaidCall[JSON]) (any, error) {
		call := PaidCall[In]{
			OrderID: raw.OrderID, CallID: raw.CallID, Buyer: raw.Buyer, Body: raw.Body, ContentType: raw.ContentType,
		}
		if raw.Input != nil {
			if err := raw.Input.Decode(&call.Input); err != nil {
				return nil, fmt.Errorf("%w: the input has another form", ErrDeclined)
			}
		}
		return work(ctx, call)
	}
}

var escrowForm = regexp.MustCompile(`^0x[0-9a-f]{64}$`)
var jsonForm = regexp.MustCompile(`(?i)^application/([a-z.+-]+\+)?json\s*(;|$)`)

// ServeHTTP answers the calls and the close requests of the sessions.
func (s *ServedCalls) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer s.requests.Add(-1)
	isBusy := s.requests.Add(1) > s.options.MaxRequests
	reply, orderID, err := s.reply(w, r, isBusy)
	var refusal *refusedCall
	if err != nil && !errors.As(err, &refusal) {
		refusal = &refusedCall{code: sessions.HandlerFailed, message: "The call failed. It is not paid for.", cause: err}
	}
	if refusal != nil {
		if refusal.cause != nil {
			s.options.OnError(refusal.cause, orderID)
		}
		writeRefusal(w, refusal)
		return
	}
	w.Header().Set("Content-Type", reply.kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(reply.body)))
	if reply.statement != "" {
		w.Header().Set(sessions.StatementHeader, reply.statement)
	}
	w.WriteHeader(reply.status)
	_, _ = w.Write(reply.body)
}

func (s *ServedCalls) reply(w http.ResponseWriter, r *http.Request, isBusy bool) (reply callReply, orderID string, err error) {
	if isBusy {
		return reply, "", &refusedCall{code: sessions.Busy, message: "Too many calls are at work. Send the call again."}
	}
	escrowID := r.Header.Get(sessions.SessionHeader)
	if !escrowForm.MatchString(escrowID) {
		message := fmt.Sprintf("Header %s: send the escrow's id in lower case.", sessions.SessionHeader)
		return reply, "", &refusedCall{code: sessions.Malformed, message: message}
	}
	session := s.find(escrowID)
	if session == nil {
		s.readFeedNow()
		return reply, "", &refusedCall{code: sessions.UnknownSession, message: "The session is not known here, not funded yet, or over."}
	}
	if header := r.Header.Get(sessions.CloseHeader); header != "" {
		reply, err = s.closeByBuyer(session, header)
	} else {
		reply, err = s.call(session, w, r)
	}
	return reply, session.agreed.id, err
}

func (s *ServedCalls) call(session *providerSession, w http.ResponseWriter, r *http.Request) (callReply, error) {
	voucher, err := sessions.ReadVoucher(r.Header.Get(sessions.VoucherHeader))
	if err != nil {
		message := fmt.Sprintf("Header %s: send amount;work hash;signature, in lower case.", sessions.VoucherHeader)
		return callReply{}, &refusedCall{code: sessions.Malformed, message: message}
	}
	kind := r.Header.Get("Content-Type")
	if kind == "" {
		kind = "application/octet-stream"
	}
	read := func() ([]byte, error) { return s.readInput(w, r) }
	work := func(ctx context.Context, input []byte) ([]byte, string, error) {
		return s.work(ctx, session, PaidCall[JSON]{
			OrderID: session.agreed.id, CallID: voucher.WorkHash.String(), Buyer: session.agreed.Terms.Buyer.String(), Body: input, ContentType: kind,
		})
	}
	return session.answer(s.ctx, voucher, read, work, s.lastCallOf(session))
}

func (s *ServedCalls) readInput(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	// A server without deadlines has its own limit.
	_ = control.SetReadDeadline(time.Now().Add(s.options.InputTimeout))
	input, err := io.ReadAll(io.LimitReader(r.Body, s.options.MaxInput+1))
	if err != nil {
		return nil, &refusedCall{code: sessions.InputTooSlow, message: "The input did not arrive in time."}
	}
	_ = control.SetReadDeadline(time.Time{})
	if int64(len(input)) > s.options.MaxInput {
		message := fmt.Sprintf("The input has more than %d bytes.", s.options.MaxInput)
		return nil, &refusedCall{code: sessions.InputTooLarge, message: message}
	}
	return input, nil
}

func (s *ServedCalls) work(ctx context.Context, session *providerSession, call PaidCall[JSON]) (output []byte, kind string, err error) {
	if jsonForm.MatchString(call.ContentType) {
		if !json.Valid(call.Body) {
			return nil, "", &refusedCall{code: sessions.Malformed, message: "The input is not JSON, as its Content-Type says."}
		}
		call.Input = JSON(call.Body)
	}
	made, err := s.handler(ctx, call)
	kind = "application/octet-stream"
	if bytes, isBytes := made.([]byte); err == nil && isBytes {
		output = bytes
	} else if err == nil {
		kind = "application/json"
		output, err = json.Marshal(made)
	}
	if err != nil {
		message := "The handler failed."
		if errors.Is(err, ErrDeclined) {
			message = err.Error() + "."
		}
		return nil, "", &refusedCall{code: sessions.HandlerFailed, message: message + " The call is not paid for.", cause: err}
	}
	if int64(len(output)) > s.options.MaxOutput {
		cause := fmt.Errorf("earnest: the output has more than %d bytes", s.options.MaxOutput)
		return nil, "", &refusedCall{code: sessions.HandlerFailed, message: "The output is too large. The call is not paid for.", cause: cause}
	}
	return output, kind, nil
}

func (s *ServedCalls) closeByBuyer(session *providerSession, header string) (callReply, error) {
	request, err := sessions.ReadCloseRequest(header)
	if err != nil {
		message := fmt.Sprintf("Header %s: send amount;deadline;signature, in lower case.", sessions.CloseHeader)
		return callReply{}, &refusedCall{code: sessions.Malformed, message: message}
	}
	if request.Signature, err = session.verify(session.agreed.Close(request.ProviderAmount, request.Deadline), request.Signature); err != nil {
		return callReply{}, err
	}
	newest, _, earned := session.state()
	if request.ProviderAmount.Cmp(earned) != 0 || session.isBusy() {
		message := fmt.Sprintf("The amount of all calls is %s base units.", earned)
		return callReply{}, &refusedCall{code: sessions.WrongAmount, message: message, expected: earned, newest: newest}
	}
	if err := session.close(&request); err != nil {
		return callReply{}, err
	}
	s.closeSoon(session)
	body, err := json.Marshal(map[string]string{"status": "closing", "amount": earned.String()})
	return callReply{status: http.StatusAccepted, body: body, kind: "application/json"}, err
}

var _ http.Handler = (*ServedCalls)(nil)
