CREATE TABLE "earnest"."organisation_invitation" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"address" text NOT NULL,
	"role" text NOT NULL,
	"invited_by" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"answered_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."organisation_member" (
	"account_id" text NOT NULL,
	"member_account_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "organisation_member_account_id_member_account_id_pk" PRIMARY KEY("account_id","member_account_id")
);
--> statement-breakpoint
ALTER TABLE "earnest"."api_key" ADD COLUMN "created_by" text;--> statement-breakpoint
ALTER TABLE "earnest"."organisation_invitation" ADD CONSTRAINT "organisation_invitation_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."organisation_invitation" ADD CONSTRAINT "organisation_invitation_invited_by_account_id_fk" FOREIGN KEY ("invited_by") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."organisation_member" ADD CONSTRAINT "organisation_member_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."organisation_member" ADD CONSTRAINT "organisation_member_member_account_id_account_id_fk" FOREIGN KEY ("member_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "organisation_invitation_account" ON "earnest"."organisation_invitation" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "organisation_invitation_open" ON "earnest"."organisation_invitation" USING btree ("address") WHERE "earnest"."organisation_invitation"."status" = 'open';--> statement-breakpoint
CREATE INDEX "organisation_member_of" ON "earnest"."organisation_member" USING btree ("member_account_id");--> statement-breakpoint
ALTER TABLE "earnest"."api_key" ADD CONSTRAINT "api_key_created_by_account_id_fk" FOREIGN KEY ("created_by") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;