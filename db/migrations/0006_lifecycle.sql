ALTER TABLE "earnest"."agent" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "billing_interval" text;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "available" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."session" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "earnest"."sign_in_nonce" ADD COLUMN "purpose" text DEFAULT 'sign_in' NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."sign_in_nonce" ADD COLUMN "account_id" text;--> statement-breakpoint
ALTER TABLE "earnest"."sign_in_nonce" ADD CONSTRAINT "sign_in_nonce_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_primary" ON "earnest"."wallet" USING btree ("account_id") WHERE "earnest"."wallet"."is_primary";