CREATE TABLE "earnest"."mail_message" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"address" text NOT NULL,
	"counted" text NOT NULL,
	"after" bigint,
	"up_to" bigint,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_owner" text,
	"leased_until" timestamp with time zone,
	"last_error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "mail_message_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "earnest"."mail_setting" (
	"account_id" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"events" text[] NOT NULL,
	"mode" text NOT NULL,
	"verified_at" timestamp with time zone,
	"verification_nonce" text,
	"verification_expires_at" timestamp with time zone,
	"stopped_at" timestamp with time zone,
	"stopped_reason" text,
	"position" bigint DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"gap_seconds" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "earnest"."mail_message" ADD CONSTRAINT "mail_message_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."mail_setting" ADD CONSTRAINT "mail_setting_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mail_message_due" ON "earnest"."mail_message" USING btree ("next_attempt_at") WHERE "earnest"."mail_message"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "mail_message_account" ON "earnest"."mail_message" USING btree ("account_id","kind","created_at");--> statement-breakpoint
CREATE INDEX "mail_message_address" ON "earnest"."mail_message" USING btree ("counted","kind");--> statement-breakpoint
CREATE INDEX "mail_message_old" ON "earnest"."mail_message" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "mail_message_sent" ON "earnest"."mail_message" USING btree ("finished_at") WHERE "earnest"."mail_message"."status" = 'sent';--> statement-breakpoint
CREATE INDEX "mail_setting_due" ON "earnest"."mail_setting" USING btree ("next_at") WHERE "earnest"."mail_setting"."verified_at" is not null and "earnest"."mail_setting"."stopped_at" is null;--> statement-breakpoint
CREATE INDEX "mail_setting_unverified" ON "earnest"."mail_setting" USING btree ("created_at") WHERE "earnest"."mail_setting"."verified_at" is null;