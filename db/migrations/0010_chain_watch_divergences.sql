CREATE TABLE "earnest"."chain_anchor" (
	"chain_id" integer NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" text NOT NULL,
	CONSTRAINT "chain_anchor_chain_id_block_number_pk" PRIMARY KEY("chain_id","block_number")
);
--> statement-breakpoint
CREATE TABLE "earnest"."chain_watch" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"index_state" text NOT NULL,
	"reason" text,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	"head_block" bigint NOT NULL,
	"indexed_block" bigint NOT NULL,
	"moved_at" timestamp with time zone DEFAULT now() NOT NULL,
	"checked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"reconciled_up_to" text DEFAULT '' NOT NULL,
	"reconciled_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."divergence" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"chain_id" integer NOT NULL,
	"what" text NOT NULL,
	"ledger" text,
	"index" text,
	"contract" text,
	"explanation" text NOT NULL,
	"found_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sightings" integer DEFAULT 1 NOT NULL,
	"resolved_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD COLUMN "mined_block" bigint;--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD COLUMN "mined_block_hash" text;--> statement-breakpoint
ALTER TABLE "earnest"."divergence" ADD CONSTRAINT "divergence_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "divergence_open" ON "earnest"."divergence" USING btree ("order_id","what") WHERE "earnest"."divergence"."resolved_at" is null;--> statement-breakpoint
CREATE INDEX "divergence_order" ON "earnest"."divergence" USING btree ("order_id","found_at");--> statement-breakpoint
CREATE INDEX "order_due" ON "earnest"."order" USING btree ("chain_id",coalesce("auto_release_at", "delivery_deadline")) WHERE "earnest"."order"."status" in ('funded', 'started', 'delivered');--> statement-breakpoint
CREATE INDEX "relay_mined" ON "earnest"."relay" USING btree ("chain_id","mined_block") WHERE "earnest"."relay"."status" = 'mined';