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
CREATE TABLE "earnest"."relay_attempt" (
	"transaction_hash" text PRIMARY KEY NOT NULL,
	"relay_id" text NOT NULL,
	"sender" text NOT NULL,
	"nonce" integer NOT NULL,
	"raw_transaction" text NOT NULL,
	"signed_block" bigint NOT NULL,
	"reverted" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
DROP INDEX "earnest"."relay_open";--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD COLUMN "account_id" text;--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD COLUMN "queued_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD COLUMN "queued_times" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."relayer" ADD COLUMN "gas_price" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "earnest"."relayer" ADD COLUMN "waiting" text;--> statement-breakpoint
ALTER TABLE "earnest"."relayer" ADD COLUMN "waiting_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "earnest"."relayer" ADD COLUMN "mined" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."relayer" ADD COLUMN "failed" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."relayer" ADD COLUMN "bumped" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."relayer" ADD COLUMN "overtaken" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."payment" ADD CONSTRAINT "payment_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."payment" ADD CONSTRAINT "payment_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."relay_attempt" ADD CONSTRAINT "relay_attempt_relay_id_relay_id_fk" FOREIGN KEY ("relay_id") REFERENCES "earnest"."relay"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "payment_authorization" ON "earnest"."payment" USING btree ("order_id","method","payer","nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "payment_standing" ON "earnest"."payment" USING btree ("order_id") WHERE "earnest"."payment"."status" <> 'failed';--> statement-breakpoint
CREATE INDEX "payment_open" ON "earnest"."payment" USING btree ("created_at") WHERE "earnest"."payment"."status" in ('accepted', 'submitted');--> statement-breakpoint
CREATE INDEX "relay_attempt_relay" ON "earnest"."relay_attempt" USING btree ("relay_id","created_at");--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD CONSTRAINT "relay_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "relay_budget" ON "earnest"."relay" USING btree ("account_id","queued_at") WHERE "earnest"."relay"."account_id" is not null;--> statement-breakpoint
CREATE INDEX "relay_open" ON "earnest"."relay" USING btree ("chain_id","status","queued_at","id") WHERE "earnest"."relay"."status" in ('queued', 'signed');--> statement-breakpoint
-- What is on its way keeps its transaction.
INSERT INTO "earnest"."relay_attempt" ("transaction_hash", "relay_id", "sender", "nonce", "raw_transaction", "signed_block", "reverted")
  SELECT "transaction_hash", "id", "sender", "nonce", "raw_transaction", 0, "status" = 'failed' FROM "earnest"."relay" WHERE "raw_transaction" IS NOT NULL;--> statement-breakpoint
UPDATE "earnest"."relay" SET "queued_at" = "created_at";--> statement-breakpoint
ALTER TABLE "earnest"."relay" DROP COLUMN "raw_transaction";