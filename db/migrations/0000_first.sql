CREATE SCHEMA "earnest";
--> statement-breakpoint
CREATE TABLE "earnest"."account" (
	"id" text PRIMARY KEY NOT NULL,
	"username" text,
	"display_name" text,
	"role" text DEFAULT 'member' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "account_username_unique" UNIQUE("username")
);
--> statement-breakpoint
CREATE TABLE "earnest"."agent" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"tagline" text,
	"description" text,
	"website_url" text,
	"avatar_url" text,
	"capabilities" jsonb NOT NULL,
	"api_endpoint" text,
	"status" text DEFAULT 'draft' NOT NULL,
	"payout_wallet" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp with time zone,
	CONSTRAINT "agent_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "earnest"."api_key" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"scopes" text[] NOT NULL,
	"token_hash" text NOT NULL,
	"token_hint" text NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_key_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "earnest"."event" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigserial NOT NULL,
	"account_id" text NOT NULL,
	"type" text NOT NULL,
	"order_id" text,
	"fact_id" text,
	"data" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."fact" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigserial NOT NULL,
	"order_id" text NOT NULL,
	"type" text NOT NULL,
	"actor" text NOT NULL,
	"key" text NOT NULL,
	"data" jsonb NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL,
	"recorded_at" timestamp with time zone DEFAULT now() NOT NULL,
	"chain_id" integer,
	"block_number" bigint,
	"block_hash" text,
	"transaction_hash" text,
	"log_index" integer,
	CONSTRAINT "fact_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "earnest"."order" (
	"id" text PRIMARY KEY NOT NULL,
	"reference" text NOT NULL,
	"buyer_account_id" text NOT NULL,
	"provider_account_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"service_id" text NOT NULL,
	"settlement_rail" text NOT NULL,
	"quantity" integer NOT NULL,
	"unit_price" numeric(78, 0) NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"input_payload" jsonb,
	"output_payload" jsonb,
	"input_schema" jsonb,
	"output_schema" jsonb,
	"agreement" jsonb NOT NULL,
	"chain_id" integer NOT NULL,
	"escrow_contract" text NOT NULL,
	"buyer_address" text NOT NULL,
	"provider_address" text NOT NULL,
	"token" text NOT NULL,
	"token_symbol" text NOT NULL,
	"token_decimals" integer NOT NULL,
	"fund_by" bigint NOT NULL,
	"delivery_window" integer NOT NULL,
	"acceptance_window" integer NOT NULL,
	"dispute_window" integer NOT NULL,
	"appeal_window" integer NOT NULL,
	"arbiter" text NOT NULL,
	"order_hash" text NOT NULL,
	"escrow_id" text NOT NULL,
	"deposit_address" text NOT NULL,
	"status" text NOT NULL,
	"funded_at" timestamp with time zone,
	"started_at" timestamp with time zone,
	"delivered_at" timestamp with time zone,
	"delivery_deadline" timestamp with time zone,
	"auto_release_at" timestamp with time zone,
	"completed_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "order_reference_unique" UNIQUE("reference")
);
--> statement-breakpoint
CREATE TABLE "earnest"."receipt" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"fact_id" text NOT NULL,
	"claim" text NOT NULL,
	"document" jsonb NOT NULL,
	"x402_receipt" text,
	"revoked_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "receipt_fact_id_unique" UNIQUE("fact_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."relay" (
	"id" text PRIMARY KEY NOT NULL,
	"intent" text NOT NULL,
	"chain_id" integer NOT NULL,
	"order_id" text,
	"to_address" text NOT NULL,
	"data" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"sender" text,
	"nonce" integer,
	"raw_transaction" text,
	"transaction_hash" text,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "relay_intent_unique" UNIQUE("intent")
);
--> statement-breakpoint
CREATE TABLE "earnest"."relayer" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"balance" numeric(78, 0) NOT NULL,
	"seen_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."service" (
	"id" text PRIMARY KEY NOT NULL,
	"agent_id" text NOT NULL,
	"slug" text NOT NULL,
	"title" text NOT NULL,
	"summary" text,
	"description" text,
	"category" text,
	"tags" text[] DEFAULT '{}'::text[] NOT NULL,
	"pricing_model" text NOT NULL,
	"price" numeric(78, 0) NOT NULL,
	"price_currency" text NOT NULL,
	"price_unit" text,
	"min_quantity" integer DEFAULT 1 NOT NULL,
	"max_quantity" integer,
	"delivery_time_hours" integer NOT NULL,
	"acceptance_hours" integer NOT NULL,
	"input_schema" jsonb,
	"output_schema" jsonb,
	"status" text DEFAULT 'draft' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."session" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"token_hash" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "session_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "earnest"."sign_in_nonce" (
	"nonce" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"chain_id" integer NOT NULL,
	"message" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."signing_key" (
	"kid" text PRIMARY KEY NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"retired_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."wallet" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"address" text NOT NULL,
	"is_primary" boolean DEFAULT false NOT NULL,
	"verified_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "wallet_address_unique" UNIQUE("address")
);
--> statement-breakpoint
ALTER TABLE "earnest"."agent" ADD CONSTRAINT "agent_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."api_key" ADD CONSTRAINT "api_key_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."event" ADD CONSTRAINT "event_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."event" ADD CONSTRAINT "event_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."event" ADD CONSTRAINT "event_fact_id_fact_id_fk" FOREIGN KEY ("fact_id") REFERENCES "earnest"."fact"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."fact" ADD CONSTRAINT "fact_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD CONSTRAINT "order_buyer_account_id_account_id_fk" FOREIGN KEY ("buyer_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD CONSTRAINT "order_provider_account_id_account_id_fk" FOREIGN KEY ("provider_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD CONSTRAINT "order_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD CONSTRAINT "order_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."receipt" ADD CONSTRAINT "receipt_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."receipt" ADD CONSTRAINT "receipt_fact_id_fact_id_fk" FOREIGN KEY ("fact_id") REFERENCES "earnest"."fact"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD CONSTRAINT "relay_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD CONSTRAINT "service_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."session" ADD CONSTRAINT "session_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."wallet" ADD CONSTRAINT "wallet_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_account" ON "earnest"."agent" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "agent_listed" ON "earnest"."agent" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "api_key_account" ON "earnest"."api_key" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "event_once" ON "earnest"."event" USING btree ("fact_id","account_id","type");--> statement-breakpoint
CREATE INDEX "event_feed" ON "earnest"."event" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "fact_order" ON "earnest"."fact" USING btree ("order_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "order_escrow" ON "earnest"."order" USING btree ("chain_id","escrow_id");--> statement-breakpoint
CREATE INDEX "order_buyer" ON "earnest"."order" USING btree ("buyer_account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "order_provider" ON "earnest"."order" USING btree ("provider_account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "order_service" ON "earnest"."order" USING btree ("service_id","status");--> statement-breakpoint
CREATE INDEX "order_open" ON "earnest"."order" USING btree ("status","fund_by");--> statement-breakpoint
CREATE INDEX "receipt_order" ON "earnest"."receipt" USING btree ("order_id","created_at");--> statement-breakpoint
CREATE INDEX "relay_open" ON "earnest"."relay" USING btree ("chain_id","status","created_at");--> statement-breakpoint
CREATE INDEX "relay_order" ON "earnest"."relay" USING btree ("order_id");--> statement-breakpoint
CREATE UNIQUE INDEX "relay_nonce" ON "earnest"."relay" USING btree ("chain_id","sender","nonce") WHERE "earnest"."relay"."status" in ('signed', 'mined');--> statement-breakpoint
CREATE UNIQUE INDEX "service_slug" ON "earnest"."service" USING btree ("agent_id","slug");--> statement-breakpoint
CREATE INDEX "service_listed" ON "earnest"."service" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "service_price" ON "earnest"."service" USING btree ("status","price","id");--> statement-breakpoint
CREATE INDEX "service_category" ON "earnest"."service" USING btree ("category","status");--> statement-breakpoint
CREATE INDEX "service_tags" ON "earnest"."service" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "session_account" ON "earnest"."session" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sign_in_nonce_expires" ON "earnest"."sign_in_nonce" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "wallet_account" ON "earnest"."wallet" USING btree ("account_id");--> statement-breakpoint
CREATE FUNCTION "earnest"."refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only: % of earnest.% refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;--> statement-breakpoint
CREATE TRIGGER "fact_append_only" BEFORE UPDATE OR DELETE ON "earnest"."fact" FOR EACH ROW EXECUTE FUNCTION "earnest"."refuse_change"();
