ALTER TABLE "earnest"."wallet" DROP CONSTRAINT "wallet_address_unique";--> statement-breakpoint
ALTER TABLE "earnest"."organisation_invitation" ADD COLUMN "chain_id" integer;--> statement-breakpoint
ALTER TABLE "earnest"."wallet" ADD COLUMN "chain_id" integer;--> statement-breakpoint
ALTER TABLE "earnest"."wallet" ADD COLUMN "proved_by" text;--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_address" ON "earnest"."wallet" USING btree ("address",coalesce("chain_id", 0));--> statement-breakpoint
ALTER TABLE "earnest"."wallet" ADD CONSTRAINT "wallet_contract_has_chain" CHECK (("earnest"."wallet"."chain_id" is not null) = ("earnest"."wallet"."proved_by" is not distinct from 'contract'));