CREATE TABLE "earnest"."open_request" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"tags" text[] NOT NULL,
	"budget" numeric(78, 0),
	"budget_currency" text,
	"status" text DEFAULT 'open' NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone,
	"announced_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."quote" (
	"id" text PRIMARY KEY NOT NULL,
	"request_id" text NOT NULL,
	"account_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"service_id" text NOT NULL,
	"price" numeric(78, 0) NOT NULL,
	"price_currency" text NOT NULL,
	"delivery_time_hours" integer NOT NULL,
	"message" text,
	"status" text DEFAULT 'offered' NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"order_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "quote_order_id_unique" UNIQUE("order_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."subscription" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"service_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"provider_account_id" text NOT NULL,
	"price" numeric(78, 0) NOT NULL,
	"price_currency" text NOT NULL,
	"interval" text NOT NULL,
	"input_payload" jsonb,
	"settlement_rail" text NOT NULL,
	"buyer_address" text NOT NULL,
	"arbiter" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"ended_reason" text,
	"periods" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"next_order_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."subscription_order" (
	"subscription_id" text NOT NULL,
	"period" integer NOT NULL,
	"order_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subscription_order_subscription_id_period_pk" PRIMARY KEY("subscription_id","period"),
	CONSTRAINT "subscription_order_order_id_unique" UNIQUE("order_id")
);
--> statement-breakpoint
ALTER TABLE "earnest"."event" ADD COLUMN "key" text;--> statement-breakpoint
ALTER TABLE "earnest"."open_request" ADD CONSTRAINT "open_request_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."quote" ADD CONSTRAINT "quote_request_id_open_request_id_fk" FOREIGN KEY ("request_id") REFERENCES "earnest"."open_request"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."quote" ADD CONSTRAINT "quote_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."quote" ADD CONSTRAINT "quote_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."quote" ADD CONSTRAINT "quote_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."quote" ADD CONSTRAINT "quote_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription" ADD CONSTRAINT "subscription_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription" ADD CONSTRAINT "subscription_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription" ADD CONSTRAINT "subscription_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription" ADD CONSTRAINT "subscription_provider_account_id_account_id_fk" FOREIGN KEY ("provider_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription_order" ADD CONSTRAINT "subscription_order_subscription_id_subscription_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "earnest"."subscription"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription_order" ADD CONSTRAINT "subscription_order_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "open_request_account" ON "earnest"."open_request" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "open_request_listed" ON "earnest"."open_request" USING btree ("created_at","id") WHERE "earnest"."open_request"."status" = 'open';--> statement-breakpoint
CREATE INDEX "open_request_tags" ON "earnest"."open_request" USING gin ("tags");--> statement-breakpoint
CREATE UNIQUE INDEX "quote_standing" ON "earnest"."quote" USING btree ("request_id","service_id") WHERE "earnest"."quote"."status" = 'offered';--> statement-breakpoint
CREATE UNIQUE INDEX "quote_accepted" ON "earnest"."quote" USING btree ("request_id") WHERE "earnest"."quote"."status" = 'accepted';--> statement-breakpoint
CREATE INDEX "quote_request" ON "earnest"."quote" USING btree ("request_id","created_at","id");--> statement-breakpoint
CREATE INDEX "quote_account" ON "earnest"."quote" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "subscription_account" ON "earnest"."subscription" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "subscription_provider" ON "earnest"."subscription" USING btree ("provider_account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "subscription_due" ON "earnest"."subscription" USING btree ("next_order_at") WHERE "earnest"."subscription"."status" = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX "event_key" ON "earnest"."event" USING btree ("account_id","key") WHERE "earnest"."event"."key" is not null;