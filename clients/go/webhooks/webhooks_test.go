package webhooks_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/webhooks"
)

func TestTheServicesOwnVectors(t *testing.T) {
	text, err := os.ReadFile("../../../protocol/webhooks/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Cases []struct {
			Name, Secret, Body string
			BodyBase64         []byte `json:"body_base64"`
			Header             *string
			Now                float64
			Valid              bool
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, one := range vectors.Cases {
		body, header := []byte(one.Body), ""
		if one.BodyBase64 != nil {
			body = one.BodyBase64
		}
		if one.Header != nil {
			header = *one.Header
		}
		if got := webhooks.Verify(body, header, one.Secret, time.UnixMilli(int64(one.Now*1000))); got != one.Valid {
			t.Errorf("%s: %t", one.Name, got)
		}
		if one.Valid {
			good++
		}
	}
	if good == 0 || len(vectors.Cases) < 2*good {
		t.Errorf("%d of %d cases are good", good, len(vectors.Cases))
	}
}

const (
	secret  = "whsec_/41athkDmFAKnuXTxEinssegc/Gs6o7Q6ARdTyKa6vE="
	another = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	body    = `{"id": "whd_1", "event_id": "evt_1", "type": "order.funded", "data": {"order": {"id": "ord_1"}}}`
)

func standard(key string) http.Header {
	bytes, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whsec_"))
	mac := hmac.New(sha256.New, bytes)
	mac.Write([]byte("whd_1.1790000000." + body))
	header := http.Header{}
	header.Set("webhook-id", "whd_1")
	header.Set("webhook-timestamp", "1790000000")
	header.Set("webhook-signature", "v1,AAAA v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return header
}

func TestStandardWebhooksAndRotation(t *testing.T) {
	now := time.Unix(1_790_000_300, 0)
	event, err := webhooks.Read([]byte(body), standard(secret), now, another, secret)
	if err != nil || event.Type != earnest.EventTypeOrderFunded {
		t.Fatalf("%+v, %v", event, err)
	}
	if data, err := event.Payload(); err != nil || data.(*earnest.OrderEventData).Order.ID != "ord_1" {
		t.Errorf("%v, %v", data, err)
	}
	spoil := func(name, value string) http.Header {
		header := standard(secret)
		header.Set(name, value)
		return header
	}
	for name, header := range map[string]http.Header{
		"another secret":          standard(another),
		"no header":               {},
		"another id":              spoil("webhook-id", "whd_2"),
		"another time":            spoil("webhook-timestamp", "1790000001"),
		"no time":                 spoil("webhook-timestamp", "soon"),
		"a time beyond all":       spoil("webhook-timestamp", "99999999999999999999"),
		"a signature cut":         spoil("webhook-signature", "v1,AAAA"),
		"own header that is bad":  spoil("X-Service-Signature", "t=1790000000,v1=00"),
		"own header that is none": spoil("X-Service-Signature", ""),
	} {
		if _, err := webhooks.Read([]byte(body), header, now, secret); !errors.Is(err, webhooks.ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, one := range map[string]string{"no secret": "", "a bare prefix": "whsec_", "no base64": "whsec_%"} {
		if webhooks.VerifyStandard([]byte(body), standard(secret), one, now) {
			t.Errorf("%s was taken", name)
		}
	}
	if webhooks.VerifyStandard([]byte(body), standard(secret), secret, now.Add(time.Second)) {
		t.Error("a delivery of 301 seconds ago was taken")
	}
	if _, err := webhooks.Read([]byte(body), standard(secret), now); !errors.Is(err, webhooks.ErrSignature) {
		t.Errorf("without a secret: %v", err)
	}
}
