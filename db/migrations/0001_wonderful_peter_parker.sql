ALTER TABLE "earnest"."subscription" ADD COLUMN "chain_id" integer NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."subscription" ADD COLUMN "token" text NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "accepts" jsonb;