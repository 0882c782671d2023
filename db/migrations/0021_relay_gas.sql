ALTER TABLE "earnest"."relay" ADD COLUMN "signer" text;--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD COLUMN "for_funded" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD COLUMN "gas_bound" integer DEFAULT 600000 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD COLUMN "gas_charged" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD COLUMN "gas_charged_before" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD COLUMN "reverted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "earnest"."relayer" ADD COLUMN "gas_used" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."relayer" ADD COLUMN "gas_reverted" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "relay_reverted" ON "earnest"."relay" USING btree ("chain_id","reverted_at") WHERE "earnest"."relay"."reverted_at" is not null;--> statement-breakpoint
UPDATE "earnest"."relay" SET "gas_charged" = 100000 * "queued_times" WHERE "account_id" IS NOT NULL AND "queued_at" > now() - interval '1 hour';--> statement-breakpoint
ALTER TABLE "earnest"."relay" DROP COLUMN "queued_times";
