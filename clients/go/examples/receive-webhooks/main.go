// Receives deliveries and prints the events that are signed:
//
//	WEBHOOK_SECRET=whsec_... go run ./examples/receive-webhooks :3000
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/earnest-market/earnest-go/webhooks"
)

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	if secret == "" {
		log.Fatal("WEBHOOK_SECRET is not set")
	}
	address := ":3000"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	var handled sync.Map
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			return
		}
		event, err := webhooks.Read(body, r.Header, time.Now(), secret)
		if errors.Is(err, webhooks.ErrSignature) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		// A delivery comes again if the service did not get the response.
		if _, again := handled.LoadOrStore(event.ID, true); !again {
			fmt.Println(event.Type, event.EventID)
		}
		w.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe(address, nil))
}
