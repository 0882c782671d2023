CREATE TABLE "earnest"."agent_domain" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"agent_id" text,
	"domain" text NOT NULL,
	"site" text NOT NULL,
	"proof" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"method" text,
	"verified_at" timestamp with time zone,
	"lost_at" timestamp with time zone,
	"checked_at" timestamp with time zone,
	"next_check_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_owner" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"contested_at" timestamp with time zone,
	"problems" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."wallet_age" (
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	"first_block" bigint,
	"first_at" timestamp with time zone,
	"checked_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "wallet_age_address_chain_id_pk" PRIMARY KEY("address","chain_id")
);
--> statement-breakpoint
ALTER TABLE "earnest"."agent" ADD COLUMN "verified" text[] DEFAULT '{}'::text[] NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."offer" ADD COLUMN "verified" text[] DEFAULT '{}'::text[] NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "verified" text[] DEFAULT '{}'::text[] NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."agent_domain" ADD CONSTRAINT "agent_domain_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."agent_domain" ADD CONSTRAINT "agent_domain_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_domain_agent" ON "earnest"."agent_domain" USING btree ("agent_id") WHERE "earnest"."agent_domain"."status" <> 'removed';--> statement-breakpoint
CREATE INDEX "agent_domain_account" ON "earnest"."agent_domain" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "agent_domain_due" ON "earnest"."agent_domain" USING btree ("next_check_at") WHERE "earnest"."agent_domain"."status" in ('pending', 'verified');--> statement-breakpoint
CREATE INDEX "agent_domain_leased" ON "earnest"."agent_domain" USING btree ("site") WHERE "earnest"."agent_domain"."lease_owner" is not null;--> statement-breakpoint
CREATE INDEX "agent_domain_proved" ON "earnest"."agent_domain" USING btree ("domain") WHERE "earnest"."agent_domain"."status" = 'verified';--> statement-breakpoint
CREATE INDEX "agent_verified" ON "earnest"."agent" USING gin ("verified") WHERE "earnest"."agent"."status" = 'published';--> statement-breakpoint
-- What an agent shows as proved, from its domain and its identity. Its row is locked first: of two that change at once,
-- the second sees what the first did.
CREATE FUNCTION "earnest"."keep_verified"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changed text := CASE WHEN TG_OP = 'DELETE' THEN OLD.agent_id ELSE coalesce(NEW.agent_id, OLD.agent_id) END;
BEGIN
  PERFORM FROM earnest.agent WHERE id = changed FOR NO KEY UPDATE;
  UPDATE earnest.agent SET verified = proved.kinds
    FROM (SELECT array_remove(ARRAY[
      CASE WHEN EXISTS (SELECT FROM earnest.agent_domain WHERE agent_id = changed AND status = 'verified') THEN 'domain' END,
      CASE WHEN EXISTS (SELECT FROM earnest.agent_identity WHERE agent_id = changed AND lost_at IS NULL) THEN 'erc8004' END],
      NULL) AS kinds) AS proved
    WHERE id = changed AND verified <> proved.kinds;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_domain_verified" AFTER UPDATE ON "earnest"."agent_domain"
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND 'verified' IN (OLD.status, NEW.status)) EXECUTE FUNCTION earnest.keep_verified();--> statement-breakpoint
CREATE TRIGGER "agent_identity_verified_new" AFTER INSERT OR DELETE ON "earnest"."agent_identity"
  FOR EACH ROW EXECUTE FUNCTION earnest.keep_verified();--> statement-breakpoint
CREATE TRIGGER "agent_identity_verified" AFTER UPDATE ON "earnest"."agent_identity"
  FOR EACH ROW WHEN ((OLD.lost_at IS NULL) <> (NEW.lost_at IS NULL)) EXECUTE FUNCTION earnest.keep_verified();--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."list_service"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.listed := false;
  IF NEW.status = 'published' THEN
    SELECT agent.verified, agent.status = 'published' INTO NEW.verified, NEW.listed
      FROM earnest.agent WHERE id = NEW.agent_id FOR SHARE;
  END IF;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."verify_services_of_agent"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE earnest.service SET verified = NEW.verified
    WHERE agent_id = NEW.id AND status = 'published' AND verified <> NEW.verified;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_verifying" AFTER UPDATE OF "verified" ON "earnest"."agent"
  FOR EACH ROW WHEN (OLD.verified <> NEW.verified) EXECUTE FUNCTION earnest.verify_services_of_agent();--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."offer_terms"(service_id text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS $$
DECLARE terms tsvector;
BEGIN
  SELECT array_to_tsvector(tsvector_to_array(search)
    || ARRAY(
      SELECT earnest.pair_term(lexeme, following) FROM (
        SELECT lexeme, position, lead(lexeme) OVER side AS following, lead(position) OVER side AS next
        FROM unnest(search), unnest(positions) AS position WINDOW side AS (ORDER BY position)) AS word
      WHERE next = position + 1)
    || ARRAY(
      SELECT chr(2) || term FROM unnest(ARRAY['a' || agent_id, 'c' || category, 'm' || pricing_model,
        'd' || earnest.delivery_step(delivery_time_hours), 'p' || least(earnest.price_digits(price), 16),
        'p' || earnest.price_digits(price) || ':' || left(price::text, 1)]) AS term WHERE term IS NOT NULL)
    || ARRAY(SELECT chr(2) || 't' || tag FROM unnest(tags) AS tag)
    || ARRAY(SELECT chr(2) || 'v' || kind FROM unnest(verified) AS kind))
  INTO terms FROM earnest.service WHERE id = service_id;
  RETURN terms;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."keep_offer"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.listed AND NEW.listed AND (OLD.title, OLD.summary, OLD.description, OLD.tags, OLD.category, OLD.pricing_model,
        OLD.price, OLD.delivery_time_hours, OLD.created_at, OLD.verified)
      IS NOT DISTINCT FROM (NEW.title, NEW.summary, NEW.description, NEW.tags, NEW.category, NEW.pricing_model,
        NEW.price, NEW.delivery_time_hours, NEW.created_at, NEW.verified)
    THEN
      UPDATE earnest.offer SET completed_orders = NEW.completed_orders
        WHERE service_id = NEW.id AND completed_orders <> NEW.completed_orders;
      RETURN NULL;
    END IF;
    -- Not updated in place: a row that is new is indexed by the service's new text.
    IF OLD.listed THEN DELETE FROM earnest.offer WHERE service_id = NEW.id; END IF;
  END IF;
  IF NEW.listed THEN
    INSERT INTO earnest.offer
      VALUES (NEW.id, NEW.agent_id, NEW.category, NEW.tags, NEW.pricing_model, NEW.price, NEW.delivery_time_hours,
        NEW.completed_orders, NEW.created_at, NEW.verified);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
DROP TRIGGER "service_offer" ON "earnest"."service";--> statement-breakpoint
CREATE TRIGGER "service_offer" AFTER UPDATE OF "status", "listed", "title", "tags", "summary", "description", "category",
  "pricing_model", "price", "delivery_time_hours", "completed_orders", "created_at", "verified" ON "earnest"."service"
  FOR EACH ROW WHEN (OLD.listed OR NEW.listed) EXECUTE FUNCTION earnest.keep_offer();--> statement-breakpoint
UPDATE "earnest"."agent" SET "verified" = '{erc8004}'
  WHERE EXISTS (SELECT FROM "earnest"."agent_identity" WHERE "agent_id" = "agent"."id" AND "lost_at" IS NULL);
