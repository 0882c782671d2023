CREATE TABLE "earnest"."execution" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"is_revision" boolean NOT NULL,
	"service_id" text NOT NULL,
	"account_id" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"reason" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"rejections" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_owner" text,
	"host" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."execution_attempt" (
	"execution_id" text NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"status_code" integer,
	"error" text,
	"message" text,
	"response_body" text,
	CONSTRAINT "execution_attempt_execution_id_number_pk" PRIMARY KEY("execution_id","number")
);
--> statement-breakpoint
CREATE TABLE "earnest"."execution_endpoint" (
	"service_id" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"answered_at" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"duration_ms" integer
);
--> statement-breakpoint
CREATE TABLE "earnest"."execution_host" (
	"host" text PRIMARY KEY NOT NULL,
	"answered_at" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"next_trial_at" timestamp with time zone,
	"paid_until" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "execution_url" text;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "execution_host" text;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "execution_seconds" integer;--> statement-breakpoint
ALTER TABLE "earnest"."execution" ADD CONSTRAINT "execution_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."execution" ADD CONSTRAINT "execution_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."execution" ADD CONSTRAINT "execution_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."execution_attempt" ADD CONSTRAINT "execution_attempt_execution_id_execution_id_fk" FOREIGN KEY ("execution_id") REFERENCES "earnest"."execution"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."execution_endpoint" ADD CONSTRAINT "execution_endpoint_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "execution_once" ON "earnest"."execution" USING btree ("order_id","is_revision");--> statement-breakpoint
CREATE INDEX "execution_due" ON "earnest"."execution" USING btree ("next_attempt_at") WHERE "earnest"."execution"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "execution_pending" ON "earnest"."execution" USING btree ("service_id","next_attempt_at") WHERE "earnest"."execution"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "execution_held" ON "earnest"."execution" USING btree ("next_attempt_at") WHERE "earnest"."execution"."lease_owner" is not null;--> statement-breakpoint
CREATE INDEX "execution_recent" ON "earnest"."execution" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "execution_attempt_old" ON "earnest"."execution_attempt" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "service_execution_host" ON "earnest"."service" USING btree ("execution_host") WHERE "earnest"."service"."execution_host" is not null;