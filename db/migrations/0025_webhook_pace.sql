CREATE TABLE "earnest"."webhook_host" (
	"host" text PRIMARY KEY NOT NULL,
	"acknowledged_at" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"next_trial_at" timestamp with time zone,
	"paid_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."webhook_sender" (
	"account_id" text PRIMARY KEY NOT NULL,
	"tried_at" timestamp with time zone,
	"paid_until" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "earnest"."webhook_endpoint" ADD COLUMN "host" text;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_endpoint" ADD COLUMN "acknowledged_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_endpoint" ADD COLUMN "next_trial_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_sender" ADD CONSTRAINT "webhook_sender_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_endpoint_host" ON "earnest"."webhook_endpoint" USING btree ("host");--> statement-breakpoint
-- Whoever acknowledged something that is still known is not tried anew.
UPDATE "earnest"."webhook_endpoint" endpoint SET
	host = coalesce(lower(substring(url from '^[A-Za-z]+://(\[[^]]*\]|[^/?#:]+)')), ''),
	acknowledged_at = (
		SELECT min(delivery.finished_at) FROM "earnest"."webhook_delivery" delivery
		WHERE delivery.endpoint_id = endpoint.id AND delivery.status = 'succeeded');--> statement-breakpoint
ALTER TABLE "earnest"."webhook_endpoint" ALTER COLUMN "host" SET NOT NULL;--> statement-breakpoint
INSERT INTO "earnest"."webhook_host" (host, acknowledged_at)
SELECT host, min(acknowledged_at) FROM "earnest"."webhook_endpoint" WHERE acknowledged_at IS NOT NULL GROUP BY host;
