package earnest

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// usualIdle is the time without a call after which a session is closed, unless the provider chooses another time.
	usualIdle = 24 * time.Hour
	// longestMargin is the longest time before a session's deadline in which it takes no calls, unless the provider chooses another time.
	longestMargin = time.Hour
	// closingPause is between two checks of the sessions that have to be closed.
	closingPause = time.Second
	// mostAtOnce is the most sessions that take a step to their end at once.
	mostAtOnce = 8
)

// lastCallOf returns the time after which a session takes no call.
func (s *ServedCalls) lastCallOf(session *providerSession) time.Time {
	margin := s.options.Margin
	if margin <= 0 {
		window := time.Duration(session.agreed.Terms.DeliveryWindow) * time.Second
		margin = min(longestMargin, window/10)
	}
	return session.endsAt.Add(-margin)
}

// closeSoon closes a session with the next check.
func (s *ServedCalls) closeSoon(session *providerSession) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	id := session.agreed.ID().String()
	if _, isClosing := s.closing[id]; !isClosing && s.sessions[id] != nil {
		s.closing[id] = time.Time{}
	}
}

func (s *ServedCalls) closeNamed(escrowID string) {
	if session := s.find(escrowID); session != nil {
		s.closeSoon(session)
	}
}

// CloseAll closes all sessions that are open, for example before the service ends.
func (s *ServedCalls) CloseAll(ctx context.Context) error {
	for _, session := range s.all() {
		s.closeSoon(session)
	}
	for ctx.Err() == nil && s.ctx.Err() == nil {
		s.mutex.Lock()
		left := len(s.closing)
		s.mutex.Unlock()
		if left == 0 {
			return nil
		}
		pauseUntil(ctx, closingPause/4)
	}
	return errors.Join(ctx.Err(), s.ctx.Err())
}

// closeDue closes each session when it is due, until the run stops: when its buyer asks, when it is idle, and before its deadline.
func (s *ServedCalls) closeDue() {
	var steps sync.WaitGroup
	slots := make(chan struct{}, mostAtOnce)
	for s.ctx.Err() == nil {
		now := time.Now()
		for _, session := range s.all() {
			session.mutex.Lock()
			isIdle := now.Sub(session.usedAt) > s.options.Idle
			session.mutex.Unlock()
			if isIdle || now.After(s.lastCallOf(session)) {
				s.closeSoon(session)
			}
			s.mutex.Lock()
			at, isClosing := s.closing[session.agreed.ID().String()]
			s.mutex.Unlock()
			if isClosing && !at.After(now) && s.ctx.Err() == nil {
				steps.Go(func() {
					slots <- struct{}{}
					s.stepOn(session)
					<-slots
				})
			}
		}
		steps.Wait()
		pauseUntil(s.ctx, closingPause)
	}
}

// stepOn takes the next step to a session's end, and forgets a session that is over.
func (s *ServedCalls) stepOn(session *providerSession) {
	wait, id := 2*closingPause, session.agreed.ID().String()
	isOver, err := s.stepWithoutCall(session)
	if err == nil && isOver {
		s.mutex.Lock()
		delete(s.sessions, id)
		delete(s.closing, id)
		s.mutex.Unlock()
		if err := session.forget(); err != nil {
			s.options.OnError(err, session.agreed.id)
		}
		return
	}
	if err != nil {
		wait = 10 * closingPause
		if s.ctx.Err() == nil {
			s.options.OnError(err, session.agreed.id)
		}
	}
	s.mutex.Lock()
	s.closing[id] = time.Now().Add(wait)
	s.mutex.Unlock()
}

// stepWithoutCall takes the next step unless the session still waits for its call at work. It reports whether the session is over.
func (s *ServedCalls) stepWithoutCall(session *providerSession) (isOver bool, err error) {
	if err := session.close(nil); err != nil {
		return false, err
	}
	// Half of the time without calls is for the service, and half for the provider's own wallet.
	last := s.lastCallOf(session)
	payAloneAt := last.Add(session.endsAt.Sub(last) / 2)
	if session.awaitsCall(payAloneAt) {
		return false, nil
	}
	return s.closeStep(session, payAloneAt)
}
