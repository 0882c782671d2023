CREATE TABLE "earnest"."review" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"service_id" text NOT NULL,
	"buyer_account_id" text NOT NULL,
	"provider_account_id" text NOT NULL,
	"rating" smallint,
	"text" text,
	"settled" boolean DEFAULT true NOT NULL,
	"edits" integer DEFAULT 0 NOT NULL,
	"edited_at" timestamp with time zone,
	"withdrawn_at" timestamp with time zone,
	"answer" text,
	"answered_at" timestamp with time zone,
	"reports" integer DEFAULT 0 NOT NULL,
	"marked" boolean DEFAULT false NOT NULL,
	"disputed_by_provider" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "review_order_id_unique" UNIQUE("order_id"),
	CONSTRAINT "review_rating" CHECK ("earnest"."review"."rating" between 1 and 5),
	CONSTRAINT "review_withdrawn" CHECK (("earnest"."review"."rating" is null) = ("earnest"."review"."withdrawn_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "earnest"."review_report" (
	"review_id" text NOT NULL,
	"account_id" text NOT NULL,
	"reason" text NOT NULL,
	"counts" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "review_report_review_id_account_id_pk" PRIMARY KEY("review_id","account_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."review_tally" (
	"service_id" text PRIMARY KEY NOT NULL,
	"agent_id" text NOT NULL,
	"rated_1" integer NOT NULL,
	"rated_2" integer NOT NULL,
	"rated_3" integer NOT NULL,
	"rated_4" integer NOT NULL,
	"rated_5" integer NOT NULL,
	"marked" integer NOT NULL,
	"withdrawn" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "earnest"."review" ADD CONSTRAINT "review_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review" ADD CONSTRAINT "review_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review" ADD CONSTRAINT "review_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review" ADD CONSTRAINT "review_buyer_account_id_account_id_fk" FOREIGN KEY ("buyer_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review" ADD CONSTRAINT "review_provider_account_id_account_id_fk" FOREIGN KEY ("provider_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review_report" ADD CONSTRAINT "review_report_review_id_review_id_fk" FOREIGN KEY ("review_id") REFERENCES "earnest"."review"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review_report" ADD CONSTRAINT "review_report_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review_tally" ADD CONSTRAINT "review_tally_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "review_agent" ON "earnest"."review" USING btree ("agent_id","created_at","id");--> statement-breakpoint
CREATE INDEX "review_buyer" ON "earnest"."review" USING btree ("buyer_account_id","created_at");--> statement-breakpoint
CREATE INDEX "review_report_account" ON "earnest"."review_report" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "review_tally_agent" ON "earnest"."review_tally" USING btree ("agent_id");--> statement-breakpoint
-- A review counts while its order's settlement stands: one that a reorganised chain took back counts no more.
CREATE FUNCTION "earnest"."settle_review"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE earnest.review SET settled = NEW.status IN ('released', 'refunded') WHERE order_id = NEW.id;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_settled_review" AFTER UPDATE OF "status" ON "earnest"."order" FOR EACH ROW
  WHEN ((OLD.status IN ('released', 'refunded')) <> (NEW.status IN ('released', 'refunded')))
  EXECUTE FUNCTION earnest.settle_review();--> statement-breakpoint
-- How much a review adds to the tally of its rating. Nothing is added by one that is not there, as OLD of an insert.
CREATE FUNCTION "earnest"."review_counts"(one "earnest"."review", wanted integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(one.settled AND one.rating = wanted, false)::integer
$$;--> statement-breakpoint
CREATE FUNCTION "earnest"."tally_review"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.review_tally AS tally
    (service_id, agent_id, rated_1, rated_2, rated_3, rated_4, rated_5, marked, withdrawn)
    VALUES (NEW.service_id, NEW.agent_id,
      earnest.review_counts(NEW, 1) - earnest.review_counts(OLD, 1),
      earnest.review_counts(NEW, 2) - earnest.review_counts(OLD, 2),
      earnest.review_counts(NEW, 3) - earnest.review_counts(OLD, 3),
      earnest.review_counts(NEW, 4) - earnest.review_counts(OLD, 4),
      earnest.review_counts(NEW, 5) - earnest.review_counts(OLD, 5),
      (NEW.marked AND NEW.settled AND NEW.rating IS NOT NULL)::integer
        - coalesce(OLD.marked AND OLD.settled AND OLD.rating IS NOT NULL, false)::integer,
      (NEW.withdrawn_at IS NOT NULL)::integer - coalesce(OLD.id IS NOT NULL AND OLD.withdrawn_at IS NOT NULL, false)::integer)
    ON CONFLICT (service_id) DO UPDATE SET
      rated_1 = tally.rated_1 + excluded.rated_1,
      rated_2 = tally.rated_2 + excluded.rated_2,
      rated_3 = tally.rated_3 + excluded.rated_3,
      rated_4 = tally.rated_4 + excluded.rated_4,
      rated_5 = tally.rated_5 + excluded.rated_5,
      marked = tally.marked + excluded.marked,
      withdrawn = tally.withdrawn + excluded.withdrawn;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "review_tallied" AFTER INSERT ON "earnest"."review" FOR EACH ROW EXECUTE FUNCTION earnest.tally_review();--> statement-breakpoint
CREATE TRIGGER "review_change_tallied" AFTER UPDATE ON "earnest"."review" FOR EACH ROW
  WHEN ((OLD.rating, OLD.settled, OLD.marked, OLD.withdrawn_at) IS DISTINCT FROM (NEW.rating, NEW.settled, NEW.marked, NEW.withdrawn_at))
  EXECUTE FUNCTION earnest.tally_review();
