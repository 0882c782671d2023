CREATE TABLE "earnest"."record_statement" (
	"agent_id" text PRIMARY KEY NOT NULL,
	"document" jsonb NOT NULL,
	"key_id" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "earnest"."agent_record" ADD COLUMN "outcomes_root" text;--> statement-breakpoint
ALTER TABLE "earnest"."agent_record" ADD COLUMN "stated_as_of" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "earnest"."record_statement" ADD CONSTRAINT "record_statement_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "record_statement_key" ON "earnest"."record_statement" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "agent_record_unstated" ON "earnest"."agent_record" USING btree ("as_of") WHERE "earnest"."agent_record"."outcomes_root" is not null and ("earnest"."agent_record"."stated_as_of" is null or "earnest"."agent_record"."stated_as_of" < "earnest"."agent_record"."as_of");