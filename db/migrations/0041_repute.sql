CREATE TABLE "earnest"."repute_due" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "earnest"."repute_due_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "earnest"."agent" ADD COLUMN "score" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."agent" ADD COLUMN "rating" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."agent" ADD COLUMN "on_time" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."offer" ADD COLUMN "score" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."offer" ADD COLUMN "rating" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."offer" ADD COLUMN "on_time" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "score" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "rating" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "on_time" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."shelved_offer" ADD COLUMN "score" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."shelved_offer" ADD COLUMN "rating" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."shelved_offer" ADD COLUMN "on_time" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "agent_score" ON "earnest"."agent" USING btree ("score","completed_orders","id") WHERE "earnest"."agent"."status" = 'published';--> statement-breakpoint
CREATE INDEX "offer_score" ON "earnest"."offer" USING btree ("score","completed_orders","service_id");--> statement-breakpoint
CREATE INDEX "review_service" ON "earnest"."review" USING btree ("service_id","created_at","id");--> statement-breakpoint
-- What an offer is found by of its score, its rating and its punctuality: the step that each is within, so that few changes
-- of them are changes of its terms. None where nothing is known.
CREATE FUNCTION "earnest"."repute_terms"(score smallint, rating smallint, on_time smallint) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_remove(ARRAY[
    CASE WHEN score > 0 THEN 's' || score / 100 END,
    CASE WHEN rating > 0 THEN 'r' || rating / 50 END,
    CASE WHEN on_time > 0 THEN 'o' || on_time / 5 END], NULL) $$;--> statement-breakpoint
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
    || ARRAY(SELECT chr(2) || 'v' || kind FROM unnest(verified) AS kind)
    || ARRAY(SELECT chr(2) || term FROM unnest(earnest.repute_terms(score, rating, on_time)) AS term))
  INTO terms FROM earnest.service WHERE id = service_id;
  RETURN terms;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."keep_offer"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.listed AND NEW.listed AND (OLD.title, OLD.summary, OLD.description, OLD.tags, OLD.category, OLD.pricing_model,
        OLD.price, OLD.delivery_time_hours, OLD.created_at, OLD.verified,
        earnest.repute_terms(OLD.score, OLD.rating, OLD.on_time))
      IS NOT DISTINCT FROM (NEW.title, NEW.summary, NEW.description, NEW.tags, NEW.category, NEW.pricing_model,
        NEW.price, NEW.delivery_time_hours, NEW.created_at, NEW.verified,
        earnest.repute_terms(NEW.score, NEW.rating, NEW.on_time))
    THEN
      UPDATE earnest.offer
        SET completed_orders = NEW.completed_orders, score = NEW.score, rating = NEW.rating, on_time = NEW.on_time
        WHERE service_id = NEW.id AND (completed_orders, score, rating, on_time)
          <> (NEW.completed_orders, NEW.score, NEW.rating, NEW.on_time);
      RETURN NULL;
    END IF;
    -- Not updated in place: a row that is new is indexed by the service's new text.
    IF OLD.listed THEN DELETE FROM earnest.offer WHERE service_id = NEW.id; END IF;
  END IF;
  IF NEW.listed THEN
    INSERT INTO earnest.offer
      VALUES (NEW.id, NEW.agent_id, NEW.category, NEW.tags, NEW.pricing_model, NEW.price, NEW.delivery_time_hours,
        NEW.completed_orders, NEW.created_at, NEW.verified, NEW.score, NEW.rating, NEW.on_time);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
DROP TRIGGER "service_offer" ON "earnest"."service";--> statement-breakpoint
CREATE TRIGGER "service_offer" AFTER UPDATE OF "status", "listed", "title", "tags", "summary", "description", "category",
  "pricing_model", "price", "delivery_time_hours", "completed_orders", "created_at", "verified", "score", "rating", "on_time"
  ON "earnest"."service" FOR EACH ROW WHEN (OLD.listed OR NEW.listed) EXECUTE FUNCTION earnest.keep_offer();--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."keep_shelf"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE drawn integer := earnest.lot_of(CASE WHEN TG_OP = 'DELETE' THEN OLD.service_id ELSE NEW.service_id END);
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO earnest.shelved_offer VALUES (earnest.shelf_of(NEW.completed_orders, drawn), NEW.service_id,
      NEW.completed_orders, drawn, NEW.delivery_time_hours, NEW.price, NEW.pricing_model, NEW.category, NEW.tags,
      NEW.score, NEW.rating, NEW.on_time);
  ELSIF TG_OP = 'DELETE' THEN
    DELETE FROM earnest.shelved_offer
      WHERE service_id = OLD.service_id AND shelf = earnest.shelf_of(OLD.completed_orders, drawn);
  ELSE
    -- Most changes leave it on its shelf, and its terms as they are indexed.
    UPDATE earnest.shelved_offer
      SET completed_orders = NEW.completed_orders, shelf = earnest.shelf_of(NEW.completed_orders, drawn),
        score = NEW.score, rating = NEW.rating, on_time = NEW.on_time
      WHERE service_id = NEW.service_id AND shelf = earnest.shelf_of(OLD.completed_orders, drawn);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
DROP TRIGGER "offer_shelf" ON "earnest"."offer";--> statement-breakpoint
CREATE TRIGGER "offer_shelf" AFTER INSERT OR DELETE OR UPDATE OF "completed_orders", "score", "rating", "on_time" ON "earnest"."offer"
  FOR EACH ROW EXECUTE FUNCTION earnest.keep_shelf();--> statement-breakpoint
DROP FUNCTION "earnest"."find_offers"(tsquery, tsquery, numeric, numeric, integer, integer, integer, text, integer);--> statement-breakpoint
-- The offers that have these terms, down the shelves: the most completed first, of those the highest lot, `most` of them.
-- Terms promise no more than they can: `verified` and the bounds are checked of each offer. Its one plan is an index scan
-- of one shelf after the other.
CREATE FUNCTION "earnest"."find_offers"(terms tsquery, verified tsquery, price_from numeric, price_to numeric, hours integer,
  after_completed integer, after_lot integer, after_id text, most integer, orders_from integer DEFAULT 0,
  score_from integer DEFAULT 0, rating_from integer DEFAULT 0, on_time_from integer DEFAULT 0)
  RETURNS SETOF earnest.shelved_offer LANGUAGE plpgsql STABLE ROWS 1000
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT found.* FROM unnest(earnest.shelves()) AS place (number) CROSS JOIN LATERAL (
      SELECT * FROM earnest.shelved_offer
      WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ terms
        AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
        AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
        AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
        AND (after_completed IS NULL OR (completed_orders, lot, service_id) < (after_completed, after_lot, after_id))
      ORDER BY completed_orders DESC, lot DESC, service_id DESC) AS found
    WHERE place.number >= earnest.shelf_of(orders_from, 0)
      AND (after_completed IS NULL OR place.number <= earnest.shelf_of(after_completed, after_lot))
    LIMIT most;
END $$;--> statement-breakpoint
DROP FUNCTION "earnest"."count_offers"(tsquery, tsquery, numeric, numeric, integer, integer);--> statement-breakpoint
-- How many offers have these terms, counted up to `most`.
CREATE FUNCTION "earnest"."count_offers"(terms tsquery, verified tsquery, price_from numeric, price_to numeric, hours integer,
  most integer, orders_from integer DEFAULT 0, score_from integer DEFAULT 0, rating_from integer DEFAULT 0,
  on_time_from integer DEFAULT 0)
  RETURNS integer LANGUAGE plpgsql STABLE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN (SELECT count(*) FROM (
    SELECT FROM unnest(earnest.shelves()) AS place (number) CROSS JOIN LATERAL (
      SELECT FROM earnest.shelved_offer
      WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ terms
        AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
        AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
        AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
      OFFSET 0) AS found
    WHERE place.number >= earnest.shelf_of(orders_from, 0)
    LIMIT most) AS counted);
END $$;--> statement-breakpoint
-- What changes what an agent or a service is sorted and filtered by says so. Nothing here waits for anything: a job carries
-- it over, a few rows in a transaction.
DROP TRIGGER "agent_verifying" ON "earnest"."agent";--> statement-breakpoint
DROP FUNCTION "earnest"."verify_services_of_agent"();--> statement-breakpoint
CREATE FUNCTION "earnest"."note_verified"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.repute_due (id) VALUES (NEW.id);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_verifying" AFTER UPDATE OF "verified" ON "earnest"."agent"
  FOR EACH ROW WHEN (OLD.verified <> NEW.verified) EXECUTE FUNCTION earnest.note_verified();--> statement-breakpoint
CREATE FUNCTION "earnest"."note_rating"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.repute_due (id) VALUES (NEW.agent_id), (NEW.service_id);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "review_tally_noted" AFTER INSERT OR UPDATE ON "earnest"."review_tally"
  FOR EACH ROW EXECUTE FUNCTION earnest.note_rating();--> statement-breakpoint
CREATE FUNCTION "earnest"."note_record"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.repute_due (id) VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.id ELSE NEW.id END);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_record_noted" AFTER INSERT OR DELETE ON "earnest"."agent_record"
  FOR EACH ROW EXECUTE FUNCTION earnest.note_record();--> statement-breakpoint
CREATE TRIGGER "agent_record_change_noted" AFTER UPDATE ON "earnest"."agent_record"
  FOR EACH ROW WHEN ((OLD.score, OLD.on_time) IS DISTINCT FROM (NEW.score, NEW.on_time)) EXECUTE FUNCTION earnest.note_record();--> statement-breakpoint
INSERT INTO "earnest"."repute_due" ("id")
  SELECT "service_id" FROM "earnest"."review_tally" UNION SELECT "agent_id" FROM "earnest"."review_tally"
  UNION SELECT "id" FROM "earnest"."agent_record";
