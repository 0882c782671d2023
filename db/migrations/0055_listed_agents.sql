-- What an agent is found by: its words; a hash for two words that stand side by side, as an offer has it; and after a
-- character 2 its skills, its languages and what it shows as proved. "Immutable" so that it can be indexed: what it reads of
-- an agent changes only together with the agent's row of "listed_agent".
CREATE FUNCTION "earnest"."agent_terms"(listed_id text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
DECLARE terms tsvector;
BEGIN
  SELECT array_to_tsvector(tsvector_to_array(search)
    || ARRAY(
      SELECT earnest.pair_term(lexeme, following) FROM (
        SELECT lexeme, position, lead(lexeme) OVER side AS following, lead(position) OVER side AS next
        FROM unnest(search), unnest(positions) AS position WINDOW side AS (ORDER BY position)) AS word
      WHERE next = position + 1)
    || ARRAY(SELECT chr(2) || 'k' || skill FROM jsonb_array_elements_text(capabilities -> 'skills') AS skill)
    || ARRAY(SELECT chr(2) || 'l' || tag FROM jsonb_array_elements_text(capabilities -> 'languages') AS tag)
    || ARRAY(SELECT chr(2) || 'v' || kind FROM unnest(verified) AS kind))
  INTO terms FROM earnest.agent WHERE id = listed_id;
  RETURN terms;
END $$;--> statement-breakpoint
CREATE TABLE "earnest"."listed_agent" (
	"agent_id" text PRIMARY KEY NOT NULL,
	"completed_orders" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"score" smallint DEFAULT 0 NOT NULL,
	"rating" smallint DEFAULT 0 NOT NULL,
	"on_time" smallint DEFAULT 0 NOT NULL
) WITH (fillfactor=90);
--> statement-breakpoint
ALTER TABLE "earnest"."listed_agent" ADD CONSTRAINT "listed_agent_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- The agent's row is locked, and so is its place here.
CREATE FUNCTION "earnest"."list_agent"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.status = 'published' AND NEW.status = 'published' AND
      (OLD.name, OLD.capabilities, OLD.tagline, OLD.description, OLD.verified, OLD.created_at) IS NOT DISTINCT FROM
      (NEW.name, NEW.capabilities, NEW.tagline, NEW.description, NEW.verified, NEW.created_at)
    THEN
      UPDATE earnest.listed_agent
        SET completed_orders = NEW.completed_orders, score = NEW.score, rating = NEW.rating, on_time = NEW.on_time
        WHERE agent_id = NEW.id AND (completed_orders, score, rating, on_time)
          <> (NEW.completed_orders, NEW.score, NEW.rating, NEW.on_time);
      RETURN NULL;
    END IF;
    -- Not updated in place: a row that is new is indexed by the agent's new text.
    DELETE FROM earnest.listed_agent WHERE agent_id = NEW.id;
  END IF;
  IF NEW.status = 'published' THEN
    INSERT INTO earnest.listed_agent
      VALUES (NEW.id, NEW.completed_orders, NEW.created_at, NEW.score, NEW.rating, NEW.on_time);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_listed_new" AFTER INSERT ON "earnest"."agent"
  FOR EACH ROW WHEN (NEW.status = 'published') EXECUTE FUNCTION earnest.list_agent();--> statement-breakpoint
CREATE TRIGGER "agent_listed" AFTER UPDATE OF "status", "name", "capabilities", "tagline", "description", "completed_orders",
  "created_at", "verified", "score", "rating", "on_time"
  ON "earnest"."agent" FOR EACH ROW WHEN (OLD.status = 'published' OR NEW.status = 'published') EXECUTE FUNCTION earnest.list_agent();--> statement-breakpoint
INSERT INTO "earnest"."listed_agent"
  SELECT "id", "completed_orders", "created_at", "score", "rating", "on_time" FROM "earnest"."agent" WHERE "status" = 'published';--> statement-breakpoint
CREATE INDEX "listed_agent_terms" ON "earnest"."listed_agent" USING gin (earnest.agent_terms("agent_id")) WITH (fastupdate=false);--> statement-breakpoint
-- The plans of searches need no statistics of terms, and each term looks up an agent.
ALTER INDEX "earnest"."listed_agent_terms" ALTER COLUMN 1 SET STATISTICS 0;--> statement-breakpoint
DROP INDEX "earnest"."agent_skills";--> statement-breakpoint
DROP INDEX "earnest"."agent_languages";--> statement-breakpoint
DROP INDEX "earnest"."agent_search";--> statement-breakpoint
DROP INDEX "earnest"."agent_verified";--> statement-breakpoint
-- How many offers have these terms, counted up to `most`. Lots are drawn at random, so a part of them says beyond doubt that
-- there are so many: with fewer, `enough` would be in that part by chance once in a billion (Bernstein's inequality). Where
-- no part says so, all are counted.
CREATE OR REPLACE FUNCTION "earnest"."count_offers"(terms tsquery, verified tsquery, price_from numeric, price_to numeric, hours integer,
  most integer, orders_from integer DEFAULT 0, score_from integer DEFAULT 0, rating_from integer DEFAULT 0,
  on_time_from integer DEFAULT 0, also tsquery DEFAULT NULL)
  RETURNS integer LANGUAGE plpgsql STABLE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
DECLARE
  -- The shelves of one look after the other, and the share of all lots that is then seen. The second look has no lots.
  looks constant text[] := '{"{35,25,15,5}","{113,112,111,110,109,108,107,106,105,104,103,102,101}","{34,33,24,23,14,13,4,3}",
    "{32,22,12,2}","{31,30,21,20,11,10,1,0}"}';
  shares constant float8[] := '{0.03125,0.03125,0.125,0.25,1}';
  look smallint[];
  share float8;
  whole integer := 0;
  drawn integer := 0;
  seen integer;
  missing integer;
  enough integer;
  wanted integer;
BEGIN
  FOR step IN 1..5 LOOP
    look := looks[step];
    share := shares[step];
    -- So few are sooner counted at once.
    IF (step = 2 AND drawn < enough / 4) OR (step = 3 AND whole + 32 * drawn < 0.9 * most) THEN
      look := ARRAY(SELECT shelf FROM unnest(earnest.shelves()) AS shelf
        WHERE shelf <> ALL (looks[1]::smallint[]) AND (step = 2 OR shelf < 100));
      share := 1;
    END IF;
    missing := most - whole;
    enough := least(missing, ceil(share * missing + 6.8 * sqrt(share * (1 - share) * missing) + 11));
    wanted := CASE WHEN step = 2 THEN missing ELSE enough END - drawn;
    IF wanted <= 0 THEN RETURN most; END IF;
    IF also IS NULL THEN
      seen := (SELECT count(*) FROM (
        SELECT FROM unnest(look) AS place (number) CROSS JOIN LATERAL (
          SELECT FROM earnest.shelved_offer
          WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ terms
            AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
            AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
            AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
          OFFSET 0) AS found
        WHERE place.number >= earnest.shelf_of(orders_from, 0)
        LIMIT wanted) AS counted);
    ELSE
      seen := (SELECT count(*) FROM (
        SELECT FROM unnest(look) AS place (number) CROSS JOIN LATERAL (
          SELECT FROM earnest.shelved_offer
          WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ terms AND earnest.offer_terms(service_id) @@ also
            AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
            AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
            AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
          OFFSET 0) AS found
        WHERE place.number >= earnest.shelf_of(orders_from, 0)
        LIMIT wanted) AS counted);
    END IF;
    IF seen >= wanted THEN RETURN most; END IF;
    IF step = 2 THEN whole := seen; ELSE drawn := drawn + seen; END IF;
    EXIT WHEN share = 1;
  END LOOP;
  RETURN whole + drawn;
END $$;
