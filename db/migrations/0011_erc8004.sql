CREATE TABLE "earnest"."agent_identity" (
	"agent_id" text PRIMARY KEY NOT NULL,
	"chain_id" integer NOT NULL,
	"registry" text NOT NULL,
	"token_id" numeric(78, 0) NOT NULL,
	"agent_uri" text,
	"wallet" text NOT NULL,
	"authority" text NOT NULL,
	"verified_at" timestamp with time zone NOT NULL,
	"verified_block" bigint NOT NULL,
	"lost_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."feedback" (
	"order_id" text PRIMARY KEY NOT NULL,
	"file_hash" text NOT NULL,
	"status" text DEFAULT 'prepared' NOT NULL,
	"block_number" bigint,
	"block_hash" text,
	"transaction_hash" text,
	"log_index" integer,
	"feedback_index" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."feedback_file" (
	"hash" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"content" text NOT NULL,
	"chain_id" integer NOT NULL,
	"reputation_registry" text NOT NULL,
	"token_id" numeric(78, 0) NOT NULL,
	"client_address" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "earnest"."agent_identity" ADD CONSTRAINT "agent_identity_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."feedback" ADD CONSTRAINT "feedback_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."feedback" ADD CONSTRAINT "feedback_file_hash_feedback_file_hash_fk" FOREIGN KEY ("file_hash") REFERENCES "earnest"."feedback_file"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."feedback_file" ADD CONSTRAINT "feedback_file_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_identity_linked" ON "earnest"."agent_identity" USING btree ("chain_id","registry","token_id") WHERE "earnest"."agent_identity"."lost_at" is null;--> statement-breakpoint
CREATE INDEX "agent_identity_due" ON "earnest"."agent_identity" USING btree ("verified_at") WHERE "earnest"."agent_identity"."lost_at" is null;--> statement-breakpoint
CREATE INDEX "feedback_seen" ON "earnest"."feedback" USING btree ("block_number") WHERE "earnest"."feedback"."status" <> 'prepared';--> statement-breakpoint
CREATE INDEX "feedback_submitted" ON "earnest"."feedback" USING btree ("updated_at") WHERE "earnest"."feedback"."status" = 'submitted';--> statement-breakpoint
CREATE INDEX "feedback_file_order" ON "earnest"."feedback_file" USING btree ("order_id","created_at");