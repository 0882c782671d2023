CREATE TABLE "earnest"."audit_entry" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"actor_account_id" text NOT NULL,
	"credential_id" text,
	"action" text NOT NULL,
	"target" text NOT NULL,
	"data" jsonb NOT NULL,
	"client_address" text,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."idempotency_record" (
	"scope" text PRIMARY KEY NOT NULL,
	"request_hash" text NOT NULL,
	"effect_id" text NOT NULL,
	"leased_until" timestamp with time zone,
	"status" integer,
	"answer" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "earnest"."rate_limit" (
	"bucket" text PRIMARY KEY NOT NULL,
	"full_at" timestamp with time zone NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE "earnest"."audit_entry" ADD CONSTRAINT "audit_entry_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."audit_entry" ADD CONSTRAINT "audit_entry_actor_account_id_account_id_fk" FOREIGN KEY ("actor_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_entry_account" ON "earnest"."audit_entry" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "idempotency_record_old" ON "earnest"."idempotency_record" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "relay_hour" ON "earnest"."relay" USING btree ("chain_id","queued_at") WHERE "earnest"."relay"."account_id" is not null;--> statement-breakpoint
CREATE TRIGGER "audit_entry_append_only" BEFORE UPDATE OR DELETE ON "earnest"."audit_entry" FOR EACH ROW EXECUTE FUNCTION "earnest"."refuse_change"();
