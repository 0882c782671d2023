CREATE TABLE "earnest"."payment" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"account_id" text NOT NULL,
	"method" text NOT NULL,
	"payer" text NOT NULL,
	"nonce" text NOT NULL,
	"calls" jsonb NOT NULL,
	"step" integer DEFAULT 0 NOT NULL,
	"status" text DEFAULT 'accepted' NOT NULL,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "earnest"."payment" ADD CONSTRAINT "payment_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."payment" ADD CONSTRAINT "payment_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "payment_authorization" ON "earnest"."payment" USING btree ("order_id","method","payer","nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "payment_standing" ON "earnest"."payment" USING btree ("order_id") WHERE "earnest"."payment"."status" <> 'failed';--> statement-breakpoint
CREATE INDEX "payment_open" ON "earnest"."payment" USING btree ("created_at") WHERE "earnest"."payment"."status" in ('accepted', 'submitted');