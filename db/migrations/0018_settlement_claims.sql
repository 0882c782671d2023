ALTER TABLE "earnest"."account_settlement" ADD COLUMN "claim" text;--> statement-breakpoint
UPDATE "earnest"."account_settlement" SET "claim" = r.claim FROM "earnest"."receipt" AS r WHERE r.id = "receipt_id";--> statement-breakpoint
ALTER TABLE "earnest"."account_settlement" ALTER COLUMN "claim" SET NOT NULL;--> statement-breakpoint
DROP INDEX "earnest"."account_settlement_list";--> statement-breakpoint
CREATE INDEX "account_settlement_list" ON "earnest"."account_settlement" USING btree ("account_id","created_at","receipt_id","role","claim");
