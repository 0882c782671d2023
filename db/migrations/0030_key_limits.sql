CREATE TABLE "earnest"."key_spending" (
	"key_id" text NOT NULL,
	"order_id" text NOT NULL,
	"token" text NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"given_back" numeric(78, 0) NOT NULL,
	"is_placed" boolean NOT NULL,
	"is_open" boolean DEFAULT true NOT NULL,
	"charged_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "key_spending_order_id_key_id_pk" PRIMARY KEY("order_id","key_id")
);
--> statement-breakpoint
ALTER TABLE "earnest"."api_key" ADD COLUMN "limits" jsonb;--> statement-breakpoint
ALTER TABLE "earnest"."api_key" ADD COLUMN "allowed_ips" text[];--> statement-breakpoint
ALTER TABLE "earnest"."api_key" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "earnest"."subscription" ADD COLUMN "key_id" text;--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD COLUMN "approval_status" text;--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD COLUMN "approval_requested_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD COLUMN "approval_decided_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD COLUMN "approval_decided_by" text;--> statement-breakpoint
ALTER TABLE "earnest"."key_spending" ADD CONSTRAINT "key_spending_key_id_api_key_id_fk" FOREIGN KEY ("key_id") REFERENCES "earnest"."api_key"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."key_spending" ADD CONSTRAINT "key_spending_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "key_spending_sum" ON "earnest"."key_spending" USING btree ("key_id","charged_at","token","amount","given_back");--> statement-breakpoint
CREATE INDEX "key_spending_open" ON "earnest"."key_spending" USING btree ("key_id") WHERE "earnest"."key_spending"."is_open" and "earnest"."key_spending"."is_placed";--> statement-breakpoint
CREATE INDEX "key_spending_over" ON "earnest"."key_spending" USING btree ("charged_at") WHERE not "earnest"."key_spending"."is_open";--> statement-breakpoint
ALTER TABLE "earnest"."subscription" ADD CONSTRAINT "subscription_key_id_api_key_id_fk" FOREIGN KEY ("key_id") REFERENCES "earnest"."api_key"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "order_approval" ON "earnest"."order" USING btree ("buyer_account_id","created_at","id") WHERE "earnest"."order"."approval_status" = 'pending';