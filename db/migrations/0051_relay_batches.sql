ALTER TABLE "earnest"."relay" ADD COLUMN "batch_id" text;--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD COLUMN "batch_index" integer;--> statement-breakpoint
CREATE INDEX "relay_batch" ON "earnest"."relay" USING btree ("batch_id") WHERE "earnest"."relay"."batch_id" is not null;