-- Offers go onto shelves, the most completed first. With fewer than four completed orders each number has six shelves, of a
-- half, a quarter, an eighth and so on of the lots; the highest lots come first. More completed orders share a shelf.
CREATE FUNCTION "earnest"."lot_of"(id text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ('x' || left(md5(id), 8))::bit(32)::int & 2147483647 $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."shelf_of"(completed integer, lot integer) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE
    WHEN completed >= 4 THEN 100 + width_bucket(completed, ARRAY[4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512, 1024])
    ELSE completed * 10 + width_bucket(lot, ARRAY[1073741824, 1610612736, 1879048192, 2013265920, 2080374784])
  END)::smallint $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."shelves"() RETURNS smallint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '{113,112,111,110,109,108,107,106,105,104,103,102,101,35,34,33,32,31,30,25,24,23,22,21,20,15,14,13,12,11,10,5,4,3,2,1,0}'::smallint[] $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."pair_term"(first text, second text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT chr(1) || left(md5(first || ' ' || second), 5) $$;--> statement-breakpoint
-- What an offer is found by: its words; a hash of 20 bits for two words that stand side by side, after a character 1; and
-- what filters ask for, after a character 2. "Immutable" so that it can be indexed: what it reads of a service changes
-- only together with the service's offer.
CREATE FUNCTION "earnest"."offer_terms"(service_id text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS $$
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
    || ARRAY(SELECT chr(2) || 't' || tag FROM unnest(tags) AS tag))
  INTO terms FROM earnest.service WHERE id = service_id;
  RETURN terms;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."lexeme_of"(quoted text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT replace(replace(substr(quoted, 2, length(quoted) - 2), '''''', ''''), '\\', '\') $$;--> statement-breakpoint
-- The terms that whatever fits a search has: of a phrase its words and its pairs, nothing of a phrase that is to be left
-- out. Null for a search of no words.
CREATE FUNCTION "earnest"."terms_of"(asked tsquery) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  tokens text[];
  made text := '';
  at integer := 1;
  closing integer;
BEGIN
  IF numnode(asked) = 0 THEN RETURN NULL; END IF;
  IF asked::text !~ '<(-|\d+)>' THEN RETURN asked; END IF;
  tokens := ARRAY(SELECT token[1] FROM
    regexp_matches(asked::text, '(''(?:[^'']|'''')*''(?::[*A-D]+)?|<(?:-|\d+)>|[&|!()])', 'g') AS token);
  WHILE at <= cardinality(tokens) LOOP
    IF tokens[at] = '!' AND tokens[at + 1] = '(' THEN
      closing := at + array_position(tokens[at:], ')') - 1;
      IF EXISTS (SELECT FROM unnest(tokens[at:closing]) AS token WHERE token ~ '^<') THEN
        made := made || '!''' || chr(2) || '''';
        at := closing;
      ELSE
        made := made || '!';
      END IF;
    ELSIF tokens[at] = '<->' AND tokens[at - 1] ~ '''$' AND tokens[at + 1] ~ '''$' THEN
      made := made || '&''' || earnest.pair_term(earnest.lexeme_of(tokens[at - 1]), earnest.lexeme_of(tokens[at + 1])) || '''&';
    ELSIF tokens[at] ~ '^<' THEN
      made := made || '&';
    ELSE
      made := made || tokens[at];
    END IF;
    at := at + 1;
  END LOOP;
  RETURN made::tsquery;
END $$;--> statement-breakpoint
CREATE TABLE "earnest"."shelved_offer" (
	"shelf" smallint NOT NULL,
	"service_id" text NOT NULL,
	"completed_orders" integer NOT NULL,
	"lot" integer NOT NULL,
	"delivery_time_hours" integer NOT NULL,
	"price" numeric(78, 0) NOT NULL,
	"pricing_model" text NOT NULL,
	"category" text,
	"tags" text[] NOT NULL
) PARTITION BY LIST ("shelf");
--> statement-breakpoint
DO $$
DECLARE shelf smallint;
BEGIN
  FOREACH shelf IN ARRAY earnest.shelves() LOOP
    EXECUTE format('CREATE TABLE earnest.shelved_offer_%s PARTITION OF earnest.shelved_offer FOR VALUES IN (%s)', shelf, shelf);
  END LOOP;
END $$;--> statement-breakpoint
INSERT INTO "earnest"."shelved_offer"
  SELECT earnest.shelf_of("completed_orders", "lot"), "service_id", "completed_orders", "lot", "delivery_time_hours", "price",
    "pricing_model", "category", "tags"
  FROM "earnest"."offer", earnest.lot_of("service_id") AS "lot";--> statement-breakpoint
CREATE INDEX "shelved_offer_service" ON "earnest"."shelved_offer" USING btree ("service_id");--> statement-breakpoint
CREATE INDEX "shelved_offer_terms" ON "earnest"."shelved_offer" USING gin (earnest.offer_terms("service_id")) WITH (fastupdate=false);--> statement-breakpoint
DROP INDEX "earnest"."offer_tags";--> statement-breakpoint
DROP INDEX "earnest"."offer_search";--> statement-breakpoint
-- The offer is under the lock of its service, and so is its place.
CREATE FUNCTION "earnest"."keep_shelf"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE drawn integer := earnest.lot_of(CASE WHEN TG_OP = 'DELETE' THEN OLD.service_id ELSE NEW.service_id END);
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO earnest.shelved_offer VALUES (earnest.shelf_of(NEW.completed_orders, drawn), NEW.service_id,
      NEW.completed_orders, drawn, NEW.delivery_time_hours, NEW.price, NEW.pricing_model, NEW.category, NEW.tags);
  ELSIF TG_OP = 'DELETE' THEN
    DELETE FROM earnest.shelved_offer
      WHERE service_id = OLD.service_id AND shelf = earnest.shelf_of(OLD.completed_orders, drawn);
  ELSE
    -- Most completed orders leave it on its shelf, and its terms as they are indexed.
    UPDATE earnest.shelved_offer
      SET completed_orders = NEW.completed_orders, shelf = earnest.shelf_of(NEW.completed_orders, drawn)
      WHERE service_id = NEW.service_id AND shelf = earnest.shelf_of(OLD.completed_orders, drawn);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "offer_shelf" AFTER INSERT OR DELETE OR UPDATE OF "completed_orders" ON "earnest"."offer"
  FOR EACH ROW EXECUTE FUNCTION earnest.keep_shelf();--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."keep_offer"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.listed AND NEW.listed AND (OLD.title, OLD.summary, OLD.description, OLD.tags, OLD.category, OLD.pricing_model,
        OLD.price, OLD.delivery_time_hours, OLD.created_at)
      IS NOT DISTINCT FROM (NEW.title, NEW.summary, NEW.description, NEW.tags, NEW.category, NEW.pricing_model,
        NEW.price, NEW.delivery_time_hours, NEW.created_at)
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
        NEW.completed_orders, NEW.created_at);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
-- The offers that have these terms, down the shelves: the most completed first, of those the highest lot, `most` of them.
-- Terms promise no more than they can: `verified` and the bounds are checked of each offer. Its one plan is an index scan
-- of one shelf after the other.
CREATE FUNCTION "earnest"."find_offers"(terms tsquery, verified tsquery, price_from numeric, price_to numeric, hours integer,
  after_completed integer, after_lot integer, after_id text, most integer)
  RETURNS SETOF earnest.shelved_offer LANGUAGE plpgsql STABLE ROWS 1000
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT found.* FROM unnest(earnest.shelves()) AS place (number) CROSS JOIN LATERAL (
      SELECT * FROM earnest.shelved_offer
      WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ terms
        AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
        AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
        AND (after_completed IS NULL OR (completed_orders, lot, service_id) < (after_completed, after_lot, after_id))
      ORDER BY completed_orders DESC, lot DESC, service_id DESC) AS found
    WHERE after_completed IS NULL OR place.number <= earnest.shelf_of(after_completed, after_lot)
    LIMIT most;
END $$;--> statement-breakpoint
-- How many offers have these terms, counted up to `most`.
CREATE FUNCTION "earnest"."count_offers"(terms tsquery, verified tsquery, price_from numeric, price_to numeric, hours integer,
  most integer)
  RETURNS integer LANGUAGE plpgsql STABLE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN (SELECT count(*) FROM (
    SELECT FROM unnest(earnest.shelves()) AS place (number) CROSS JOIN LATERAL (
      SELECT FROM earnest.shelved_offer
      WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ terms
        AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
        AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
      OFFSET 0) AS found
    LIMIT most) AS counted);
END $$;
