CREATE TABLE "earnest"."key_log" (
	"seq" integer PRIMARY KEY NOT NULL,
	"entry" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."receipt_status_list" (
	"issuer" text PRIMARY KEY NOT NULL,
	"document" jsonb NOT NULL,
	"issued_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "earnest"."signing_key" RENAME COLUMN "created_at" TO "not_before";--> statement-breakpoint
ALTER TABLE "earnest"."signing_key" ALTER COLUMN "not_before" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "earnest"."signing_key" ADD COLUMN "compromised_since" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "receipt_revoked" ON "earnest"."receipt" USING btree ("revoked_at") WHERE "earnest"."receipt"."revoked_at" is not null;