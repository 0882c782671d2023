CREATE TABLE "earnest"."agent_probe" (
	"agent_id" text PRIMARY KEY NOT NULL,
	"target_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."probe_tally" (
	"target_id" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"checks" integer NOT NULL,
	"ok" integer NOT NULL,
	CONSTRAINT "probe_tally_target_id_hour_pk" PRIMARY KEY("target_id","hour")
);
--> statement-breakpoint
CREATE TABLE "earnest"."probe_target" (
	"id" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"host" text NOT NULL,
	"phase" double precision NOT NULL,
	"next_probe_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_owner" text,
	"last_checked_at" timestamp with time zone,
	"last_ok_at" timestamp with time zone,
	"reachable" boolean,
	"status_code" integer,
	"latency_ms" integer,
	"tls_valid" boolean,
	"body_is_json" boolean,
	"consecutive_failures" integer DEFAULT 0 NOT NULL,
	"checks_7d" integer DEFAULT 0 NOT NULL,
	"ok_7d" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "earnest"."agent_probe" ADD CONSTRAINT "agent_probe_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."agent_probe" ADD CONSTRAINT "agent_probe_target_id_probe_target_id_fk" FOREIGN KEY ("target_id") REFERENCES "earnest"."probe_target"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."probe_tally" ADD CONSTRAINT "probe_tally_target_id_probe_target_id_fk" FOREIGN KEY ("target_id") REFERENCES "earnest"."probe_target"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_probe_target" ON "earnest"."agent_probe" USING btree ("target_id");--> statement-breakpoint
CREATE INDEX "probe_target_due" ON "earnest"."probe_target" USING btree ("next_probe_at");--> statement-breakpoint
CREATE INDEX "agent_updated" ON "earnest"."agent" USING btree ("updated_at");