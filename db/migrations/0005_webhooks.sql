CREATE SEQUENCE "earnest"."event_place" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "earnest"."webhook_attempt" (
	"delivery_id" text NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"latency_ms" integer,
	"status_code" integer,
	"error" text,
	"request_headers" jsonb NOT NULL,
	"response_body" text,
	CONSTRAINT "webhook_attempt_delivery_id_number_pk" PRIMARY KEY("delivery_id","number")
);
--> statement-breakpoint
CREATE TABLE "earnest"."webhook_delivery" (
	"id" text PRIMARY KEY NOT NULL,
	"endpoint_id" text NOT NULL,
	"event_id" text,
	"type" text NOT NULL,
	"test_body" jsonb,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_owner" text,
	"leased_until" timestamp with time zone,
	"last_status_code" integer,
	"last_error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."webhook_endpoint" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"url" text NOT NULL,
	"description" text,
	"events" text[] NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"disabled_reason" text,
	"secret_version" integer DEFAULT 1 NOT NULL,
	"previous_secret_until" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."webhook_recovery" (
	"id" text PRIMARY KEY NOT NULL,
	"endpoint_id" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"until" timestamp with time zone NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"cursor" bigint DEFAULT 0 NOT NULL,
	"queued" integer DEFAULT 0 NOT NULL,
	"total" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
DROP INDEX "earnest"."event_feed";--> statement-breakpoint
ALTER TABLE "earnest"."event" ADD COLUMN "position" bigint;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_attempt" ADD CONSTRAINT "webhook_attempt_delivery_id_webhook_delivery_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "earnest"."webhook_delivery"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_endpoint_id_webhook_endpoint_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "earnest"."webhook_endpoint"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_event_id_event_id_fk" FOREIGN KEY ("event_id") REFERENCES "earnest"."event"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_recovery" ADD CONSTRAINT "webhook_recovery_endpoint_id_webhook_endpoint_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "earnest"."webhook_endpoint"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_delivery_once" ON "earnest"."webhook_delivery" USING btree ("endpoint_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_delivery_due" ON "earnest"."webhook_delivery" USING btree ("next_attempt_at") WHERE "earnest"."webhook_delivery"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_delivery_pending" ON "earnest"."webhook_delivery" USING btree ("endpoint_id","next_attempt_at") WHERE "earnest"."webhook_delivery"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_delivery_list" ON "earnest"."webhook_delivery" USING btree ("endpoint_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_delivery_event" ON "earnest"."webhook_delivery" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "webhook_delivery_old" ON "earnest"."webhook_delivery" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_endpoint_account" ON "earnest"."webhook_endpoint" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_endpoint_active" ON "earnest"."webhook_endpoint" USING btree ("account_id") WHERE "earnest"."webhook_endpoint"."status" = 'active';--> statement-breakpoint
CREATE INDEX "webhook_recovery_endpoint" ON "earnest"."webhook_recovery" USING btree ("endpoint_id","created_at");--> statement-breakpoint
CREATE INDEX "event_unplaced" ON "earnest"."event" USING btree ("account_id","seq") WHERE "earnest"."event"."position" is null;--> statement-breakpoint
CREATE INDEX "event_old" ON "earnest"."event" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "event_feed" ON "earnest"."event" USING btree ("account_id","position");