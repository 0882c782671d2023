CREATE TABLE "earnest"."agent_record" (
	"id" text PRIMARY KEY NOT NULL,
	"agent_id" text NOT NULL,
	"service_id" text,
	"record" jsonb NOT NULL,
	"score" integer,
	"lower" integer,
	"upper" integer,
	"evidence" integer NOT NULL,
	"orders" integer NOT NULL,
	"on_time" integer,
	"outcomes" integer NOT NULL,
	"as_of" timestamp with time zone NOT NULL,
	"version" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."counterparty" (
	"agent_id" text NOT NULL,
	"buyer_account_id" text NOT NULL,
	"number" integer NOT NULL,
	"orders" integer,
	"paid" numeric(78, 0),
	"wallets" text[],
	"wallet_since" timestamp with time zone,
	"other_providers" integer,
	"first_funded_at" timestamp with time zone,
	"last_settled_at" timestamp with time zone,
	"weight" integer,
	CONSTRAINT "counterparty_agent_id_buyer_account_id_pk" PRIMARY KEY("agent_id","buyer_account_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."order_outcome" (
	"order_id" text PRIMARY KEY NOT NULL,
	"agent_id" text NOT NULL,
	"service_id" text NOT NULL,
	"provider_account_id" text NOT NULL,
	"buyer_account_id" text NOT NULL,
	"chain_id" integer NOT NULL,
	"token" text NOT NULL,
	"provider_address" text NOT NULL,
	"buyer_address" text NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"released" numeric(78, 0) NOT NULL,
	"refunded" numeric(78, 0) NOT NULL,
	"promised_seconds" integer NOT NULL,
	"funded_at" timestamp with time zone NOT NULL,
	"settled_at" timestamp with time zone NOT NULL,
	"delivered_at" timestamp with time zone,
	"ended" text NOT NULL,
	"dispute" text,
	"apart" text,
	"recorded_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "order_outcome_whole" CHECK ("earnest"."order_outcome"."released" + "earnest"."order_outcome"."refunded" = "earnest"."order_outcome"."amount")
);
--> statement-breakpoint
CREATE TABLE "earnest"."provenance" (
	"provider_account_id" text NOT NULL,
	"buyer_address" text NOT NULL,
	"chain_id" integer NOT NULL,
	"token" text NOT NULL,
	"sent" numeric(78, 0) DEFAULT 0 NOT NULL,
	"tied" boolean DEFAULT false NOT NULL,
	"checked_at" timestamp with time zone,
	"asked_at" timestamp with time zone,
	"next_check_at" timestamp with time zone DEFAULT now(),
	CONSTRAINT "provenance_provider_account_id_buyer_address_chain_id_token_pk" PRIMARY KEY("provider_account_id","buyer_address","chain_id","token")
);
--> statement-breakpoint
CREATE TABLE "earnest"."record_due" (
	"agent_id" text PRIMARY KEY NOT NULL,
	"changes" bigint DEFAULT 1 NOT NULL,
	"due_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."wallet_paid" (
	"chain_id" integer NOT NULL,
	"buyer_address" text NOT NULL,
	"provider_address" text NOT NULL,
	"orders" integer NOT NULL,
	CONSTRAINT "wallet_paid_buyer_address_provider_address_chain_id_pk" PRIMARY KEY("buyer_address","provider_address","chain_id")
);
--> statement-breakpoint
ALTER TABLE "earnest"."review" ADD COLUMN "apart" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."review_tally" ADD COLUMN "apart" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."agent_record" ADD CONSTRAINT "agent_record_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."agent_record" ADD CONSTRAINT "agent_record_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."counterparty" ADD CONSTRAINT "counterparty_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."counterparty" ADD CONSTRAINT "counterparty_buyer_account_id_account_id_fk" FOREIGN KEY ("buyer_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order_outcome" ADD CONSTRAINT "order_outcome_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order_outcome" ADD CONSTRAINT "order_outcome_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order_outcome" ADD CONSTRAINT "order_outcome_provider_account_id_account_id_fk" FOREIGN KEY ("provider_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order_outcome" ADD CONSTRAINT "order_outcome_counterparty" FOREIGN KEY ("agent_id","buyer_account_id") REFERENCES "earnest"."counterparty"("agent_id","buyer_account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."provenance" ADD CONSTRAINT "provenance_provider_account_id_account_id_fk" FOREIGN KEY ("provider_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."record_due" ADD CONSTRAINT "record_due_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_record_agent" ON "earnest"."agent_record" USING btree ("agent_id","score");--> statement-breakpoint
CREATE INDEX "agent_record_old" ON "earnest"."agent_record" USING btree ("as_of") WHERE "earnest"."agent_record"."service_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "counterparty_number" ON "earnest"."counterparty" USING btree ("agent_id","number");--> statement-breakpoint
CREATE INDEX "counterparty_counted" ON "earnest"."counterparty" USING btree ("agent_id","number") WHERE "earnest"."counterparty"."weight" is not null;--> statement-breakpoint
CREATE INDEX "order_outcome_agent" ON "earnest"."order_outcome" USING btree ("agent_id","settled_at","order_id");--> statement-breakpoint
CREATE INDEX "order_outcome_buyer" ON "earnest"."order_outcome" USING btree ("agent_id","buyer_account_id","settled_at");--> statement-breakpoint
CREATE INDEX "order_outcome_payer" ON "earnest"."order_outcome" USING btree ("agent_id","buyer_address");--> statement-breakpoint
CREATE INDEX "order_outcome_pair" ON "earnest"."order_outcome" USING btree ("provider_account_id","buyer_address","chain_id","token","agent_id");--> statement-breakpoint
CREATE INDEX "provenance_due" ON "earnest"."provenance" USING btree ("next_check_at") WHERE "earnest"."provenance"."next_check_at" is not null;--> statement-breakpoint
CREATE INDEX "provenance_asked" ON "earnest"."provenance" USING btree ("provider_account_id","asked_at");--> statement-breakpoint
CREATE INDEX "record_due_at" ON "earnest"."record_due" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "wallet_paid_by" ON "earnest"."wallet_paid" USING btree ("provider_address","buyer_address");--> statement-breakpoint
-- Which wallet paid which at arm's length. Nothing is counted of an outcome that is not there, as OLD of an insert.
CREATE FUNCTION "earnest"."count_payer"(one "earnest"."order_outcome", change integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF one.order_id IS NULL OR one.released = 0 OR one.apart IS NOT NULL THEN RETURN; END IF;
  INSERT INTO earnest.wallet_paid AS known (chain_id, buyer_address, provider_address, orders)
    VALUES (one.chain_id, one.buyer_address, one.provider_address, change)
    ON CONFLICT (buyer_address, provider_address, chain_id) DO UPDATE SET orders = known.orders + change;
  IF change < 0 THEN
    DELETE FROM earnest.wallet_paid WHERE orders = 0
      AND (buyer_address, provider_address, chain_id) = (one.buyer_address, one.provider_address, one.chain_id);
  END IF;
END $$;--> statement-breakpoint
-- What follows from an outcome that came, changed or went. An agent of many outcomes is due the later for each of them.
CREATE FUNCTION "earnest"."follow_outcome"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE agent text := CASE WHEN TG_OP = 'DELETE' THEN OLD.agent_id ELSE NEW.agent_id END;
BEGIN
  INSERT INTO earnest.record_due AS due (agent_id, due_at)
    VALUES (agent, greatest(now(), coalesce(
      (SELECT as_of + make_interval(secs => 10 + outcomes / 100.0) FROM earnest.agent_record WHERE id = agent), now())))
    ON CONFLICT (agent_id) DO UPDATE SET changes = due.changes + 1;
  IF TG_OP <> 'INSERT' THEN PERFORM earnest.count_payer(OLD, -1); END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM earnest.count_payer(NEW, 1);
    UPDATE earnest.review SET apart = NEW.apart IS NOT NULL
      WHERE order_id = NEW.order_id AND apart <> (NEW.apart IS NOT NULL);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_outcome_followed" AFTER INSERT OR UPDATE OR DELETE ON "earnest"."order_outcome"
  FOR EACH ROW EXECUTE FUNCTION earnest.follow_outcome();--> statement-breakpoint
CREATE FUNCTION "earnest"."set_review_apart"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.apart := EXISTS (SELECT FROM earnest.order_outcome WHERE order_id = NEW.order_id AND apart IS NOT NULL);
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "review_apart" BEFORE INSERT ON "earnest"."review" FOR EACH ROW EXECUTE FUNCTION earnest.set_review_apart();--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."review_counts"(one "earnest"."review", wanted integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(one.settled AND NOT one.apart AND one.rating = wanted, false)::integer
$$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."tally_review"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.review_tally AS tally
    (service_id, agent_id, rated_1, rated_2, rated_3, rated_4, rated_5, marked, withdrawn, apart)
    VALUES (NEW.service_id, NEW.agent_id,
      earnest.review_counts(NEW, 1) - earnest.review_counts(OLD, 1),
      earnest.review_counts(NEW, 2) - earnest.review_counts(OLD, 2),
      earnest.review_counts(NEW, 3) - earnest.review_counts(OLD, 3),
      earnest.review_counts(NEW, 4) - earnest.review_counts(OLD, 4),
      earnest.review_counts(NEW, 5) - earnest.review_counts(OLD, 5),
      (NEW.marked AND NEW.settled AND NOT NEW.apart AND NEW.rating IS NOT NULL)::integer
        - coalesce(OLD.marked AND OLD.settled AND NOT OLD.apart AND OLD.rating IS NOT NULL, false)::integer,
      (NEW.withdrawn_at IS NOT NULL)::integer - coalesce(OLD.id IS NOT NULL AND OLD.withdrawn_at IS NOT NULL, false)::integer,
      (NEW.apart AND NEW.settled AND NEW.rating IS NOT NULL)::integer
        - coalesce(OLD.apart AND OLD.settled AND OLD.rating IS NOT NULL, false)::integer)
    ON CONFLICT (service_id) DO UPDATE SET
      rated_1 = tally.rated_1 + excluded.rated_1,
      rated_2 = tally.rated_2 + excluded.rated_2,
      rated_3 = tally.rated_3 + excluded.rated_3,
      rated_4 = tally.rated_4 + excluded.rated_4,
      rated_5 = tally.rated_5 + excluded.rated_5,
      marked = tally.marked + excluded.marked,
      withdrawn = tally.withdrawn + excluded.withdrawn,
      apart = tally.apart + excluded.apart;
  RETURN NULL;
END $$;--> statement-breakpoint
DROP TRIGGER "review_change_tallied" ON "earnest"."review";--> statement-breakpoint
CREATE TRIGGER "review_change_tallied" AFTER UPDATE ON "earnest"."review" FOR EACH ROW
  WHEN ((OLD.rating, OLD.settled, OLD.marked, OLD.withdrawn_at, OLD.apart)
    IS DISTINCT FROM (NEW.rating, NEW.settled, NEW.marked, NEW.withdrawn_at, NEW.apart))
  EXECUTE FUNCTION earnest.tally_review();
