// Follows the orders of an account, and continues after a stop:
//
//	BASE_URL=http://localhost:42069 EARNEST_KEY=esk_... go run ./examples/watch-orders cursor.txt
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"

	earnest "github.com/earnest-market/earnest-go"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	file := "cursor.txt"
	if len(os.Args) > 1 {
		file = os.Args[1]
	}
	cursor, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		log.Fatal(err)
	}
	client, err := earnest.NewClient(os.Getenv("BASE_URL"), earnest.WithAPIKey(os.Getenv("EARNEST_KEY")))
	if err != nil {
		log.Fatal(err)
	}
	stream := client.Events.Follow(ctx, earnest.FollowOptions{Cursor: string(cursor)})
	for event, err := range stream.All() {
		if err != nil {
			log.Fatal(err)
		}
		data, err := event.Payload()
		if err != nil {
			log.Fatal(err)
		}
		if step, is := data.(*earnest.OrderEventData); is {
			fmt.Println(event.Type, step.Order.Reference, step.Order.TotalAmount, step.Order.Currency)
		}
		keep(file, stream.Cursor())
	}
	keep(file, stream.Cursor())
}

func keep(file, cursor string) {
	if err := os.WriteFile(file, []byte(cursor), 0o600); err != nil {
		log.Fatal(err)
	}
}
